"""The Celery application. Tasks only wake what the database says is due, so a lost message is no lost work."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("capsules")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
