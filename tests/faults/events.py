"""Deeds, log and receivers agree, whatever is killed: `python -m tests.faults.events [--publishes 10000] [--kills 20]`.

A real web server and a real worker, on DATABASE_URL or SQLite. Capsules are published and unpublished by the API, while
web server and worker are killed (-9) in turn. Then the history of the publications, the log of the workspace and what
a receiver was sent are compared: each deed once in the log, no gap, nothing invented, every event delivered at least
once, under one id. Exit status 1 where a promise was broken.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any

from tests.faults.databases import own_database
from tests.support.hosts import Host, host, within
from tests.support.receiver import Receiver, receiver

STORIES, CLIENTS = 12, 4
PATIENCE = 600  # seconds for what waits at the end
ROLES = {"web": "web_server", "worker": "celery"}  # and what their processes are called
HISTORY = """
import json
from publishing.models import PublicationEvent
rows = PublicationEvent.objects.order_by("pk").values_list("story", "action")
print(json.dumps([[str(story), action] for story, action in rows]))
"""
PUBLISH, UNPUBLISH = "PUT", "DELETE"
CUT_OFF = (OSError, HTTPException)  # no answer, or the beginning of one


@dataclass
class Deeds:
    """What clients asked for and what they were answered. `sure`: of each story, the calls that were answered 200."""

    wanted: int
    begun: int = 0
    sure: Counter[str] = field(default_factory=Counter)
    unsure: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self) -> bool:
        with self.lock:
            self.begun += 1
            return self.begun <= self.wanted

    def put_back(self) -> None:
        with self.lock:
            self.begun -= 1


def client(machine: Host, stories: list[str], deeds: Deeds) -> None:
    """Publishes and unpublishes its own stories in turn; what was not answered, it asks for."""
    live = dict.fromkeys(stories, False)
    number = 0
    while deeds.next():
        story = stories[number % len(stories)]
        number += 1
        method = UNPUBLISH if live[story] else PUBLISH
        body = None if method == UNPUBLISH else {"premiereEmailMode": "OFF"}
        try:
            answer = machine.publication(method, story, body, timeout=60)
        except CUT_OFF:
            answer = None
        if answer is not None and answer.status == 200:
            deeds.sure[story] += 1
            live[story] = not live[story]
            continue
        if answer is not None and answer.status == 423:  # by the lease of a publish that was killed
            deeds.put_back()
            time.sleep(0.2)
            continue
        if answer is not None and answer.status != 503:
            deeds.refused.append(f"{method}: {answer.status} {answer.body[:200]!r}")
        state = known_state(machine, story)
        deeds.unsure[story] += 1
        live[story] = state


def known_state(machine: Host, story: str) -> bool:
    """Whether a story is published, as soon as somebody answers."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with suppress(*CUT_OFF):
            answer = machine.publication("GET", story, timeout=60)
            if answer.status == 200:
                return bool(answer.json()["isPublished"])
        time.sleep(0.2)
    raise AssertionError("The web server does not answer any more.")


def kill_in_turn(machine: Host, deeds: Deeds, kills: int) -> int:
    """Kills web server and worker in turn, whenever another part of the deeds is done; returns how often."""
    done = 0
    for number in range(1, kills + 1):
        within(
            PATIENCE, lambda due=number: deeds.begun >= deeds.wanted * due / (kills + 1), "Nothing goes on."
        )
        role = list(ROLES)[number % 2]
        done += bool(machine.kill(ROLES[role]))
        machine.children.pop(role).wait()
        machine.run(role)
    return done


def log_of(machine: Host) -> list[dict[str, Any]]:
    path = f"/api/v2/workspaces/{machine.seeded['workspace']}/events"
    auth = {"Authorization": f"Bearer {machine.seeded['token']}"}
    items: list[dict[str, Any]] = []
    after: int | None = 0
    while after is not None:
        page = machine.call("GET", f"{path}?after={after}&limit=100", **auth).json()
        items += page["items"]
        after = page["nextAfter"]
    return items


def compared(machine: Host, deeds: Deeds, there: Receiver, known: int) -> list[str]:
    """What is wrong. `known`: the log's last number before there was a webhook."""
    log = log_of(machine)
    wrong = [f"refused: {each}" for each in deeds.refused[:5]]
    if [event["sequence"] for event in log] != list(range(1, len(log) + 1)):
        wrong.append("the log has a gap")
    told = [(each["data"]["story"]["id"], each["type"]) for each in log if each["data"]["story"]]
    told = [(story, type) for story, type in told if type in ("story.published", "story.unpublished")]
    history = [
        (story, f"story.{action}")
        for story, action in json.loads(machine.manage("shell", "-v0", "-c", HISTORY))
    ]
    for story in machine.seeded["stories"]:
        own, noted = ([type for each, type in rows if each == story] for rows in (told, history))
        if own != noted:
            wrong.append(f"{story}: the log has {len(own)} events, its history {len(noted)}")
        if own != ["story.published", "story.unpublished"] * (len(own) // 2) + ["story.published"] * (
            len(own) % 2
        ):
            wrong.append(f"{story}: not in turn")
        if not deeds.sure[story] <= len(own) <= deeds.sure[story] + deeds.unsure[story]:
            wrong.append(f"{story}: {len(own)} events, {deeds.sure[story]} deeds were answered")
    sent = {event["id"]: event["sequence"] for event in log if event["sequence"] > known}
    got = Counter(each.headers["webhook-id"] for each in there.got)
    wrong += [f"{len(sent.keys() - got.keys())} events never arrived"] if sent.keys() - got.keys() else []
    wrong += [f"{len(got.keys() - sent.keys())} ids are in no log"] if got.keys() - sent.keys() else []
    if any(json.loads(each.body)["sequence"] != sent.get(each.headers["webhook-id"]) for each in there.got):
        wrong.append("an event arrived under the id of another")
    firsts = list(dict.fromkeys(json.loads(each.body)["sequence"] for each in there.got))
    wrong += ["events arrived out of order"] if firsts != sorted(firsts) else []
    twice = sum(count - 1 for count in got.values())
    print(
        f"{len(log)} events, {len(told)} of publications; {len(got)} arrived, {twice} of them again",
        flush=True,
    )
    return wrong


def everything_was_sent(machine: Host, hook: str) -> bool:
    path = f"/api/v2/workspaces/{machine.seeded['workspace']}/webhooks/{hook}/deliveries?state=waiting"
    auth = {"Authorization": f"Bearer {machine.seeded['token']}"}
    return not machine.call("GET", path, **auth).json()["items"]


def run(machine: Host, there: Receiver, publishes: int, kills: int) -> list[str]:
    machine.seed(STORIES)
    machine.run("web", "worker")
    known = max((event["sequence"] for event in log_of(machine)), default=0)
    path = f"/api/v2/workspaces/{machine.seeded['workspace']}/webhooks"
    auth = {"Authorization": f"Bearer {machine.seeded['token']}"}
    hook = machine.call("POST", path, {"url": there.url}, **auth).json()["id"]
    deeds, begun = Deeds(publishes), time.monotonic()
    parts = [machine.seeded["stories"][number::CLIENTS] for number in range(CLIENTS)]
    clients = [threading.Thread(target=client, args=[machine, part, deeds]) for part in parts]
    for each in clients:
        each.start()
    killed = kill_in_turn(machine, deeds, kills)
    for each in clients:
        each.join()
    took = time.monotonic() - begun
    log_of(machine)  # a look at it numbers what is committed
    within(PATIENCE, lambda: everything_was_sent(machine, hook), "Deliveries wait for ever.")
    sure, unsure = sum(deeds.sure.values()), sum(deeds.unsure.values())
    print(f"{sure} deeds answered, {unsure} without an answer, {killed} kills, {took:.0f} s", flush=True)
    return compared(machine, deeds, there, known)


def main(publishes: int, kills: int) -> int:
    place = Path(tempfile.mkdtemp(prefix="capsules-events-"))
    url = own_database(os.environ.get("DATABASE_URL", ""), "_events", place)
    shared = {
        **os.environ,
        "DATABASE_URL": url,
        "REDIS_URL": "",
        "DEBUG": "true",
        "FETCH_PRIVATE": "127.0.0.0/8",
        "RATE_READ": "1000000",
        "RATE_WRITE": "1000000",
        "MCP_PORT": "0",
        "WEB_PROCESSES": "1",
        "SPT_NOENV": "1",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    try:
        with receiver() as there, host(place / "machine", shared) as machine:
            wrong = run(machine, there, publishes, kills)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    for each in wrong:
        print(f"BROKEN: {each}")
    print(f"{len(wrong)} violations on {url.partition(':')[0]}")
    return int(bool(wrong))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--publishes", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=20)
    asked = parser.parse_args()
    sys.exit(main(asked.publishes, asked.kills))
