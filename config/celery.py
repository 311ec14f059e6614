"""The Celery application. Tasks only wake what the database says is due, so a lost message is no lost work."""

import os
from typing import Any

from celery import Celery
from celery.signals import beat_embedded_init

from config.processes import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("capsules")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@beat_embedded_init.connect
def die_with_worker(**kwargs: Any) -> None:
    """The timer inside a worker (-B) is a process of its own, which a kill -9 of the worker would leave behind."""
    die_with_parent()
