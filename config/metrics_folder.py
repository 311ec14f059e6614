"""Where the web processes of one server count together; to be called before prometheus_client is imported."""

from __future__ import annotations

import os
import shutil

from django.conf import settings


def make() -> None:
    """An empty folder, which the processes that are started from here on count into."""
    folder = settings.DATA_DIR / f"metrics-{settings.PORT}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
