"""`python -m benchmarks.feed [CAPSULES]`: the lists at a million capsules on PostgreSQL, in a database of its own.

BENCHMARK_SERVER names the server (postgres://root@127.0.0.1:5432); the database is dropped at the end.
"""

from __future__ import annotations

import shutil
import sys

import psycopg

from benchmarks.feed import environment


def main(listed: int) -> None:
    with psycopg.connect(f"{environment.SERVER}/postgres", autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {environment.DATABASE}")
        server.execute(f"CREATE DATABASE {environment.DATABASE}")
        environment.set_up()
        try:
            run(listed)
        finally:
            server.execute(f"DROP DATABASE {environment.DATABASE} WITH (FORCE)")
    from django.conf import settings

    shutil.rmtree(settings.DATA_DIR)


def run(listed: int) -> None:
    from django.core.management import call_command

    from benchmarks.feed import build, pages, sitemaps, views

    call_command("migrate", verbosity=0)
    build.build(listed)
    pages.measure(listed)
    views.measure(listed)
    sitemaps.measure(listed)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1_000_000)
