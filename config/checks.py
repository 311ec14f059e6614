"""Django's system checks at the start of every process of the service: `manage.py` alone runs them by itself."""

from __future__ import annotations

from django.core.management.base import BaseCommand


def refuse_errors() -> None:
    """Prints warnings. Raises SystemCheckError where the process must not start, as where a library has changed."""
    BaseCommand().check()
