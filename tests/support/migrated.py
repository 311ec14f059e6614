"""A migrated, empty database to copy: migrations run once for each state of them, not once for each test run.

SQLite: a file in the person's cache. PostgreSQL: a database `capsules_migrated_…` on the server of DATABASE_URL.
Both may be deleted at any time.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def fingerprint() -> str:
    """Of everything that a migrated database depends on: our migrations, and the releases of others'."""
    digest = hashlib.sha256()
    for path in [*sorted(ROOT.glob("*/migrations/*.py")), ROOT / "requirements.txt"]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def cache() -> Path:
    """Where it stays whichever folder a run has its temporary files in."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "capsules-tests")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def file() -> Path:
    """A SQLite database, made now where there is none yet."""
    made = cache() / f"migrated-{fingerprint()}.sqlite3"
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            with tempfile.TemporaryDirectory(prefix="migrating-", dir=cache()) as folder:
                unfinished = Path(folder, "migrated.sqlite3")
                migrate(f"sqlite:///{unfinished}", folder)
                with sqlite3.connect(unfinished) as connection:
                    connection.execute("PRAGMA journal_mode = DELETE")  # so that it is one file
                connection.close()
                shutil.move(unfinished, made)
    return made


def database(url: str) -> str:
    """The name of a PostgreSQL database on the server of `url`, made now where there is none yet."""
    import psycopg

    server = url.rsplit("/", 1)[0]
    name = f"capsules_migrated_{fingerprint()}"
    lock_file = cache() / f"{name}.lock"
    with lock_file.open("w") as lock, psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
            connection.execute(f'DROP DATABASE IF EXISTS "{name}_unfinished" WITH (FORCE)'.encode())
            connection.execute(f'CREATE DATABASE "{name}_unfinished"'.encode())
            with tempfile.TemporaryDirectory(prefix="capsules-migrating-") as folder:
                migrate(f"{server}/{name}_unfinished", folder)
            connection.execute(f'ALTER DATABASE "{name}_unfinished" RENAME TO "{name}"'.encode())
    return name


def migrate(url: str, folder: str) -> None:
    environment = {**os.environ, "DATABASE_URL": url, "DATA_DIR": folder, "REDIS_URL": "", "DEBUG": "true"}
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=environment, check=True, timeout=600
    )


if __name__ == "__main__":
    file()
    if (url := os.environ.get("DATABASE_URL", "")).startswith("postgres"):
        database(url)
