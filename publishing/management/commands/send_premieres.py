"""`manage.py send_premieres`: the sweep without Celery, once or forever."""

from __future__ import annotations

import threading
from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from accounts.people import outgoing
from accounts.webhooks import rounds as webhooks
from publishing.premieres import sweeping


class Command(BaseCommand):
    help = (
        "Sends premieres that are due. With --forever it looks again every SWEEP_INTERVAL, sends webhooks and "
        "mails about accounts, too, and needs no broker."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--forever", action="store_true")

    def handle(self, *args: object, **options: object) -> None:
        if options["forever"]:
            threading.Thread(target=outgoing.send_mails_forever, name="account mails", daemon=True).start()
            threading.Thread(target=webhooks.send_forever, name="webhooks", daemon=True).start()
            sweeping.run_forever()
        self.stdout.write(f"{sweeping.send_due_premieres()} messages handed over.")
