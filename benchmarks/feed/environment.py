"""A database of its own on a PostgreSQL server, and Django set up on it."""

from __future__ import annotations

import os
import tempfile

SERVER = os.environ.get("BENCHMARK_SERVER", "postgres://root@127.0.0.1:5432")
DATABASE = "capsules_feed_benchmark"


def set_up() -> None:
    """Django on the benchmark's database; a spawned child finds the same folder in the environment."""
    os.environ["DATABASE_URL"] = f"{SERVER}/{DATABASE}"
    os.environ.setdefault("BENCHMARK_DATA", tempfile.mkdtemp(prefix="capsules-benchmark-"))
    os.environ["DATA_DIR"] = os.environ["BENCHMARK_DATA"]
    os.environ["DATABASE_POOL"] = "4"
    os.environ["DEBUG"] = "true"
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django
    from django.conf import settings

    django.setup()
    settings.RATES = {**settings.RATES, "feed": 10**9}
