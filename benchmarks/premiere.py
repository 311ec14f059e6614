"""How fast one worker sends: messages a second, as a ratio of a bare smtplib loop on one connection in the same run.

    python -m benchmarks.premiere [--recipients 100000] [--bare 3000]

The sink is a real SMTP server (aiosmtpd) in a process of its own. The bare loop sends the same finished mails and
records nothing; it runs before and after, so that a busy machine slows both. Works on SQLite in a temporary folder,
or on DATABASE_URL with `_bench` behind its name, made anew.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import smtplib
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

FOLDER = Path(tempfile.mkdtemp(prefix="capsules-bench-"))
SINK = """
import asyncio, sys
from aiosmtpd.smtp import SMTP
class Sink:
    taken = 0
    async def handle_DATA(self, server, session, envelope):
        Sink.taken += 1
        return "250 taken"
async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Sink(), loop=loop), "127.0.0.1", int(sys.argv[1]))
    print("ready", flush=True)
    await loop.run_in_executor(None, sys.stdin.readline)
    print(Sink.taken, flush=True)
asyncio.run(main())
"""


def own_environment() -> int:
    """Settings for this run alone; returns the port of the sink."""
    from tests.faults.databases import fresh_database
    from tests.support.running import free_port

    port = free_port()
    if url := os.environ.get("DATABASE_URL", ""):
        os.environ["DATABASE_URL"] = fresh_database(url, "_bench")
    os.environ |= {
        "DATA_DIR": str(FOLDER),
        "REDIS_URL": "",
        "EMAIL_URL": f"smtp://127.0.0.1:{port}",
        "MAIL_RATE": "0",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    return port


def prepare(recipients: int) -> Any:
    """A premiere that is due, with so many subscribers."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db.models.functions import Now

    from accounts.actors import Actor
    from accounts.models import User
    from publishing import actions
    from publishing.models import Premiere
    from publishing.subscribers import actions as subscriptions
    from tests.support import factories

    call_command("migrate", verbosity=0)
    workspace = factories.make_workspace("north-shore", title="North Shore Press")
    people = ((f"reader-{n}@readers.example", "Benchmark") for n in range(recipients))
    subscriptions.import_confirmed(workspace, people)
    story = factories.make_story(workspace, factories.render_media(), scenes=8)
    by = Actor.by_token(User.objects.get(email="owner@north-shore.example"))
    actions.publish(story, request=actions.PublishRequest(premiere_email_mode="FULL"), by=by)
    Premiere.objects.update(due_at=Now())
    return Premiere.objects.get()


def bare(port: int, mails: int) -> float:
    """Messages a second of smtplib alone, on one connection."""
    from publishing.mail.letters import Letter
    from publishing.models import Publication
    from publishing.premieres.rendering import render

    letter = Letter(render(Publication.objects.get(), "FULL"))
    content = letter.for_recipient("reader@readers.example", "t" * 32, "<1@example.org>")
    with smtplib.SMTP("127.0.0.1", port) as smtp:
        started = time.perf_counter()
        for number in range(mails):
            smtp.sendmail(letter.sender, [f"reader-{number}@readers.example"], content)
        return mails / (time.perf_counter() - started)


class Memory(threading.Thread):
    """Notes the resident size of this process, in MB, once a second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.sizes: list[float] = []

    def run(self) -> None:
        while True:
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            self.sizes.append(pages * resource.getpagesize() / 1e6)
            time.sleep(1)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--recipients", type=int, default=100_000)
    parser.add_argument("--bare", type=int, default=3000)
    options = parser.parse_args()
    port = own_environment()
    sink = subprocess.Popen(
        [sys.executable, "-c", SINK, str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert sink.stdout and sink.stdout.readline() == "ready\n"
    try:
        premiere = prepare(options.recipients)
        return measure(premiere, port, options.bare)
    finally:
        sink.communicate("stop\n")
        shutil.rmtree(FOLDER, ignore_errors=True)


def measure(premiere: Any, port: int, mails: int) -> int:
    from publishing.premieres import sweeping

    before = bare(port, mails)
    memory = Memory()
    memory.start()
    started = time.perf_counter()
    sent = sweeping.send_due_premieres()
    rate = sent / (time.perf_counter() - started)
    sizes = list(memory.sizes)
    after = bare(port, mails)
    ratio = rate / ((before + after) / 2)
    premiere.refresh_from_db()
    early, late = sizes[min(5, len(sizes) - 1)], sizes[-1]
    print(f"{sent} mails, {premiere.state}, {premiere.counts()}")
    print(
        f"one worker {rate:.0f}/s, bare smtplib {before:.0f}/s before and {after:.0f}/s after: ratio {ratio:.2f}"
    )
    print(f"memory {early:.0f} MB after 5 s, {late:.0f} MB at the end, at most {max(sizes):.0f} MB")
    return 0 if ratio >= 0.5 and late < early * 1.3 else 1


if __name__ == "__main__":
    sys.exit(main())
