"""Premieres while things break: `python -m tests.faults.premiere [kills] [broker] [race]` (all without arguments).

kills   4 Celery workers are killed at random (kill -9) while 500 mails go out
broker  Redis is flushed, stopped, frozen between publish and due time (needs redis-server)
race    100 unpublishes around the second in which a premiere is due

It works on a database of its own: SQLite in a temporary folder, or, with DATABASE_URL set, that database with
`_faults` behind its name, made anew. Exit status 1 where a promise was broken.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from redis import Redis

WORKERS = 4
MAILS = 500
KILLS = 12
ROUNDS = 100
FOLDER = Path(tempfile.mkdtemp(prefix="capsules-faults-"))
BROKER_PORT = int(os.environ.get("FAULTS_REDIS_PORT", "8135"))


def own_environment() -> None:
    """Points the settings at a database, a broker and a mail server of this script alone."""
    from tests.faults.databases import own_database
    from tests.support.ports import free_port

    os.environ |= {
        "DATABASE_URL": own_database(os.environ.get("DATABASE_URL", ""), "_faults", FOLDER),
        "DATA_DIR": str(FOLDER),
        "REDIS_URL": "",
        "DATABASE_POOL": "4",
        "EMAIL_URL": f"smtp://127.0.0.1:{free_port()}",
        "MAIL_RATE": "0",
        "PREMIERE_LEASE": "4",
        "SWEEP_INTERVAL": "1",
        "PREMIERE_DELAY": "3",
        "LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }


class Stage:
    """A workspace, its rendered media, and a mail server that notes when it took what."""

    def __init__(self) -> None:
        import django

        django.setup()
        from django.conf import settings

        from accounts.actors import Actor
        from accounts.models import User
        from tests.support import factories
        from tests.support.smtp import Mailbox

        self.workspace = factories.make_workspace("north-shore", title="North Shore Press", plan="pro")
        self.by = Actor.by_token(User.objects.get(email="owner@north-shore.example"))
        self.rendered = factories.render_media()
        self.box = Mailbox()
        self.box.controller.port = settings.EMAIL_PORT
        self.box.controller.start()

    def story(self, title: str) -> Any:
        from tests.support import factories

        return factories.make_story(self.workspace, self.rendered, title=title)

    def publish(self, title: str, story: Any = None) -> Any:
        from publishing import actions

        story = story or self.story(title)
        actions.publish(story, request=actions.PublishRequest(premiere_email_mode="FULL"), by=self.by)
        return story

    def premiere(self, story: Any) -> Any:
        from publishing.models import Premiere

        return Premiere.objects.get(publication__story=story)

    def wait_until_done(self, story: Any, seconds: float) -> Any:
        deadline = time.monotonic() + seconds
        while (premiere := self.premiere(story)).state in (
            "scheduled",
            "sending",
        ) and time.monotonic() < deadline:
            time.sleep(0.2)
        return premiere


def start_worker(number: int, *, beat: bool = False, **environment: str) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "celery",
        "-A",
        "config",
        "worker",
        "-P",
        "threads",
    ]
    command += [
        "--hostname",
        f"worker{number}@faults",
        "--loglevel",
        "ERROR",
        "--without-gossip",
        "--without-mingle",
    ]
    log = subprocess.DEVNULL  # its complaints about the broker are expected
    return subprocess.Popen(
        [*command, *(["-B"] if beat else [])],
        env={**os.environ, **environment},
        stdout=log,
        stderr=log,
        start_new_session=True,
    )


def check(promise: str, kept: bool, found: object) -> bool:
    from django.db import connection

    print(f"{'kept  ' if kept else 'BROKEN'} on {connection.vendor}: {promise}: {found}", flush=True)
    return kept


# --- Workers that are killed -----------------------------------------------------------------------------------


def kills(stage: Stage) -> bool:
    from tests.support.mail import subscribe

    emails = subscribe(stage.workspace, MAILS)
    stage.box.taken.clear()
    stage.box.delay = 0.12
    workers = {number: start_worker(number) for number in range(WORKERS)}
    story = stage.publish("Killed at random")
    killed = kill_at_random(stage, story, workers)
    premiere = stage.wait_until_done(story, 300)  # what a killed worker had taken waits for its lease to end
    stop(workers)
    stage.box.delay = 0
    counts = premiere.counts()
    taken, uncertain = set(stage.box.addresses), addresses(premiere, "uncertain")
    return all(
        [
            check("at least 10 kills", killed >= 10, killed),
            check("no address gets two", not stage.box.twice(), stage.box.twice()),
            check(
                "every delivery ends in a final state", set(counts) <= {"sent", "failed", "uncertain"}, counts
            ),
            check("nobody is forgotten", sum(counts.values()) == len(emails), sum(counts.values())),
            check("uncertain ≤ kills", len(uncertain) <= killed, len(uncertain)),
            check("what is recorded as sent arrived", addresses(premiere, "sent") <= taken, len(taken)),
            check("what arrived is recorded", taken <= addresses(premiere, "sent") | uncertain, len(taken)),
        ]
    )


def addresses(premiere: Any, state: str) -> set[str]:
    return set(premiere.deliveries.filter(state=state).values_list("email", flat=True))


def kill_at_random(stage: Stage, story: Any, workers: dict[int, subprocess.Popen[bytes]]) -> int:
    """Kills and replaces workers until the premiere is done; from KILLS on it lets them work."""
    killed = 0
    while killed < KILLS and stage.premiere(story).state in ("scheduled", "sending"):
        if not stage.box.taken:
            time.sleep(0.1)
            continue
        time.sleep(random.uniform(0.4, 1.2))
        number = random.choice(list(workers))
        workers[number].send_signal(signal.SIGKILL)
        workers[number].wait()
        workers[number] = start_worker(number)
        killed += 1
    return killed


def stop(workers: dict[int, subprocess.Popen[bytes]]) -> None:
    for worker in workers.values():
        worker.terminate()
    for worker in workers.values():
        worker.wait(timeout=30)


# --- A broker that fails ---------------------------------------------------------------------------------------


def broker(stage: Stage) -> bool:
    from tests.support.mail import subscribe

    if shutil.which("redis-server") is None:
        print("skipped: there is no redis-server on this machine")
        return True
    subscribe(stage.workspace, 3)
    stage.box.taken.clear()
    url = f"redis://127.0.0.1:{BROKER_PORT}/0"
    redis = start_redis()
    worker = start_worker(9, beat=True, REDIS_URL=url)
    try:
        time.sleep(4)
        point_at(url)
        return all(
            [
                after(stage, "flushed", lambda: redis_cli("flushall")),
                after(stage, "frozen", lambda: redis.send_signal(signal.SIGSTOP)),
                while_frozen(stage),
                thawed(redis),
                after(stage, "stopped", lambda: redis.kill()),
            ]
        )
    finally:
        redis.kill()
        os.killpg(worker.pid, signal.SIGKILL)  # its timer too; without a broker Celery does not end by itself
        worker.wait()


def start_redis() -> subprocess.Popen[bytes]:
    redis = subprocess.Popen(
        ["redis-server", "--port", str(BROKER_PORT), "--save", "", "--dir", str(FOLDER)],
        stdout=subprocess.DEVNULL,
    )
    time.sleep(1)
    return redis


def redis_cli(*words: str) -> None:
    subprocess.run(["redis-cli", "-p", str(BROKER_PORT), *words], check=True, stdout=subprocess.DEVNULL)


def point_at(url: str) -> None:
    """Makes this process publish through that broker, as a web process would."""
    from django.conf import settings

    from config.celery import app

    timeouts = {"socket_timeout": 1, "socket_connect_timeout": 1, "max_retries": 1, "interval_start": 0.1}
    quick = {"global_keyprefix": settings.REDIS_PREFIX, **timeouts}
    app.conf.update(broker_url=url, broker_transport="redis", broker_transport_options=quick)
    app.amqp._producer_pool = None


def after(stage: Stage, fate: str, strike: Any) -> bool:
    """Publishes, lets the broker meet its fate, and waits for the mails."""
    story = stage.publish(f"The broker is {fate}")
    strike()
    return arrived(stage, f"Redis {fate} between publish and due time", story)


def while_frozen(stage: Stage) -> bool:
    story = stage.story("While the broker is frozen")
    started = time.monotonic()
    stage.publish("", story)
    took = time.monotonic() - started
    quick = check("publishing with a frozen Redis takes less than 8 s", took < 8, f"{took:.1f} s")
    return arrived(stage, "published while Redis is frozen", story) and quick


def thawed(redis: subprocess.Popen[bytes]) -> bool:
    redis.send_signal(signal.SIGCONT)
    began = time.monotonic()
    while (left := messages()) and time.monotonic() < began + 60:
        time.sleep(0.5)
    return check("no message stays in a Redis that came back", not left, f"{left} after a minute")


def messages() -> int:
    """How many wait in the broker's queues."""
    with Redis(port=BROKER_PORT) as broker:
        return sum(broker.llen(key) for key in broker.scan_iter(_type="list"))


def arrived(stage: Stage, what: str, story: Any) -> bool:
    premiere = stage.wait_until_done(story, 30)
    total = premiere.deliveries.count()
    return check(
        f"{what}: sent all the same", premiere.counts() == {"sent": total} and total > 0, premiere.counts()
    )


# --- Unpublish against send ------------------------------------------------------------------------------------


def race(stage: Stage) -> bool:
    from publishing.models import Premiere, Subscriber
    from tests.support.mail import subscribe

    Premiere.objects.filter(state__in=["scheduled", "sending", "held"]).update(state="cancelled")
    Subscriber.objects.all().delete()
    subscribe(stage.workspace, 8)
    stage.box.taken.clear()
    rounds = [one_race(stage, number) for number in range(ROUNDS)]
    late, none, some = (
        max(late for late, _ in rounds),
        sum(not n for _, n in rounds),
        sum(0 < n < 8 for _, n in rounds),
    )
    print(f"       {none} rounds sent nothing, {some} a part, {ROUNDS - none - some} everything")
    return all(
        [
            check(
                "no mail after the DELETE's answer plus one in flight",
                late <= 1,
                f"at most {late} in a round",
            ),
            check(
                "the rounds met both sides of the second", none > 0 and none < ROUNDS, f"{none} of {ROUNDS}"
            ),
        ]
    )


def one_race(stage: Stage, number: int) -> tuple[int, int]:
    """How many mails came after the DELETE's answer, and how many in all."""
    from django.db import connection
    from django.db.models.functions import Now

    from publishing import actions
    from publishing.models import Premiere
    from publishing.premieres import sweeping

    story = stage.publish(f"Race {number}")
    Premiere.objects.filter(publication__story=story).update(due_at=Now())
    stage.box.taken.clear()

    def send() -> None:
        sweeping.send_due_premieres()
        connection.close()

    sender = threading.Thread(target=send)
    sender.start()
    time.sleep(random.uniform(0, 0.12))
    actions.unpublish(story, by=stage.by)
    before = len(stage.box.taken)
    sender.join()
    sweeping.close_finished()
    total = len(stage.box.taken)
    return total - before, total


def main() -> int:
    own_environment()
    stage = Stage()
    scenes = {"kills": kills, "broker": broker, "race": race}
    wanted = sys.argv[1:] or list(scenes)
    try:
        results = [scenes[name](stage) for name in wanted]
    finally:
        stage.box.controller.stop()
        shutil.rmtree(FOLDER, ignore_errors=True)
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
