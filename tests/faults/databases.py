"""A database for one script alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import psycopg
from psycopg.sql import SQL, Identifier

from tests.support import migrated


def drop_database(url: str) -> None:
    base, _, name = url.rpartition("/")
    with psycopg.connect(f"{base}/postgres", autocommit=True) as connection:
        connection.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))


def own_database(url: str, ending: str, folder: Path) -> str:
    """The URL of a migrated, empty database: as `fresh_database` on PostgreSQL, else a file of SQLite in a folder."""
    if url.startswith("postgres"):
        return fresh_database(url, ending)
    shutil.copy(migrated.file(), folder / "capsules.sqlite3")
    return f"sqlite:///{folder}/capsules.sqlite3"


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
