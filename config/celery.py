"""The Celery application. Tasks only wake what the database says is due, so a lost message loses no work."""

import os
import sys
from typing import Any

from celery import Celery, bootsteps
from celery.signals import (
    beat_embedded_init,
    beat_init,
    setup_logging,
    task_success,
    worker_init,
    worker_shutting_down,
)
from django.core.management.base import BaseCommand, SystemCheckError
from django.db import transaction

from config.processes import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("capsules")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def wake(task: str, *, after: float = 0) -> None:
    """Has a worker run the task of this name once the transaction is committed, `after` seconds later.

    By name, because tasks import the actions that wake them. A lost message loses no work: the next sweep finds it.
    """
    transaction.on_commit(lambda: app.send_task(task, countdown=after or None), robust=True)


@setup_logging.connect
def log_as_the_web_server_does(**kwargs: object) -> None:
    """Celery would bring its own handlers, which know neither LOG_FORMAT nor what an outage makes everybody log."""
    from logging.config import dictConfig

    from django.conf import settings

    dictConfig(settings.LOGGING)


@beat_init.connect
@worker_init.connect
def refuse_errors(**kwargs: object) -> None:
    """Celery runs the checks, and starts whatever they find."""
    try:
        BaseCommand().check()
    except SystemCheckError as error:  # which Celery would log alone
        sys.exit(str(error))


@beat_embedded_init.connect
def die_with_worker(**kwargs: object) -> None:
    """The timer inside a worker (-B) is a process of its own, which a kill -9 of the worker would leave behind."""
    die_with_parent(os.getppid())


@worker_shutting_down.connect
def stop_soon(**kwargs: object) -> None:
    """What runs ends soon or is given back, and nothing new is begun."""
    from config import stopping

    stopping.begin()


class StopsOurThreads(bootsteps.StartStopStep):
    """Stops our threads where an error ends the worker without a signal, as of a broker that is gone."""

    requires = ("celery.worker.components:Pool",)  # told before it: what runs there is given back

    def stop(self, parent: object) -> None:
        stop_soon()

    terminate = stop


app.steps["worker"].add(StopsOurThreads)


@task_success.connect
def note_sweep(sender: Any = None, **kwargs: object) -> None:
    """So that /readyz and /metrics can tell whether a worker with a timer is there."""
    if sender is not None and sender.name == "publishing.tasks.sweep":
        from config import readiness

        readiness.note_sweep()
