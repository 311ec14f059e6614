import atexit
import gc

from django.apps import AppConfig
from django.db import connections


class HouseConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        from config.words import checks  # noqa: F401  (registers it)

        atexit.register(leave)


def leave() -> None:
    """Spares the end of a process Python's last look for garbage, which takes a third as long as to load all that it
    looks through. The connections that it would find are closed here: a database of SQLite is then in one file.
    """
    connections.close_all()
    gc.freeze()
