"""A PostgreSQL database for one script alone."""

from __future__ import annotations

import psycopg
from psycopg.sql import SQL, Identifier

from tests.support import migrated


def drop_database(url: str) -> None:
    base, _, name = url.rpartition("/")
    with psycopg.connect(f"{base}/postgres", autocommit=True) as connection:
        connection.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))


def fresh_database(url: str, ending: str) -> str:
    """Makes the database of `url` with `ending` behind its name anew, migrated and empty; returns its URL."""
    base, _, name = url.rpartition("/")
    template = migrated.database(url)
    with psycopg.connect(f"{base}/postgres", autocommit=True) as connection:
        connection.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name + ending)))
        connection.execute(
            SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name + ending), Identifier(template))
        )
    return url + ending
