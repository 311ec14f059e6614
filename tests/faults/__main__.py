"""Every fault, one after the other: `make faults`, or python -m tests.faults [NAME …].

Each script breaks something under traffic and prints what was done, what was seen and which promise held. This one runs
them all, also after one failed, and ends with the list. .ci/run has the short forms of most. Exit status 1 where a
promise was broken, 3 where something was not tried because a tool is missing.
"""

from __future__ import annotations

import subprocess
import sys
import time

from tests.faults.tools import NOT_TRIED

#: What is broken, the command, and what must hold.
FAULTS: dict[str, tuple[list[str], str]] = {
    "premiere": (
        ["premiere", "kills", "broker", "race"],
        "workers killed, Redis stopped, frozen and flushed, unpublish against sending: no second mail, nothing stuck",
    ),
    "slow_clients": (
        ["slow_clients"],
        "slow readers, silent senders, idle connections: others are served as before",
    ),
    "database": (
        ["database"],
        "PostgreSQL stopped, frozen, restarted, crowded: pages from files, 503 in words elsewhere, heals by itself",
    ),
    "redis_away": (
        ["redis_away"],
        "Redis stopped, frozen, flushed: pages, lists, signing in and publishing as ever",
    ),
    "pages": (
        ["pages"],
        "changes on one and on two machines, 50 kills between commit and rename: no page is shown after its end",
    ),
    "takedown": (
        ["takedown"],
        "a capsule frozen, a workspace suspended: gone everywhere within a minute (2 s with Redis), and back as it was",
    ),
    "floods": (
        ["floods"],
        "60 clients on one costly route after the other: pages come at once, others within a second, nobody gets a 500",
    ),
    "authoring": (
        ["authoring"],
        "web and worker killed at each step of writing: done once and whole, nothing lost, nothing left behind",
    ),
    "uploads": (
        ["uploads"],
        "four films of 500 MB at once, web and worker killed twice, 30 s offline: identical bytes, flat memory",
    ),
    "two_devices": (
        ["two_devices"],
        "a film of 300 MB, its tab closed at 14 % and while it is checked, worker killed: arrives on another device",
    ),
    "editor": (
        ["editor", "--runs", "20"],
        "web killed, offline, tab closed, reloaded, signed out while an author types: no character is lost",
    ),
    "rolling": (["rolling"], "a new version takes over under load: no request fails"),
    "hosts": (
        ["hosts"],
        "two machines over one database and bucket: what is published or gone on one is so on the other",
    ),
    "symptoms": (
        ["symptoms"],
        "a dead worker, a stuck queue, a full disk and the like: metrics, readiness and logs alone name each",
    ),
    "app_publishes": (
        ["app_publishes"],
        "1,000 tries of a model to publish: nothing without a press, or once and told within a minute",
    ),
    "reads": (
        ["reads", "--readers", "2000"],
        "readers, robots and a kill: every read counted once, but what the last second told; nobody's name anywhere",
    ),
    "events": (
        ["events"],
        "10,000 publishes, web server and worker killed 20 times: history, log and what was delivered are the same",
    ),
    "crash_points": (
        ["crash_points"],
        "each deed ended at every statement, commit and effect in it: nothing half or twice, the log has each once",
    ),
    "restore": (["restore"], "everything lost: the same bytes from a backup, no mail goes out by itself"),
}

OUTCOMES = {0: "held", NOT_TRIED: "NOT TRIED"}  # by exit status; any other is a broken promise


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in FAULTS]
    if unknown:
        print(f"There is no fault {', '.join(unknown)}; there are {', '.join(FAULTS)}.")
        return 2
    results = {name: run(name) for name in names or FAULTS}
    print("\n=== What was broken, and whether the promise held")
    for name, (code, seconds) in results.items():
        print(f"{OUTCOMES.get(code, 'BROKEN'):9} {name:13} {seconds:5.0f} s  {FAULTS[name][1]}")
    codes = {code for code, _ in results.values()}
    return 1 if codes - OUTCOMES.keys() else max(codes)


def run(name: str) -> tuple[int, float]:
    command, promise = FAULTS[name]
    print(f"\n=== {name}: {promise}", flush=True)
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-m", f"tests.faults.{command[0]}", *command[1:]], check=False)
    return done.returncode, time.monotonic() - start


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
