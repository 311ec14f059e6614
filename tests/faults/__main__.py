"""Every fault, one after the other: `make faults`, or python -m tests.faults [NAME …].

Each script breaks something under traffic and prints what was done, what was seen and which promise held. This one runs
them all, also after one failed, and ends with the list. .ci/run has the short forms of most.
"""

from __future__ import annotations

import subprocess
import sys
import time

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
    "pages": (
        ["pages"],
        "changes on one and on two machines, 50 kills between commit and rename: no page is shown after its end",
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
    "restore": (["restore"], "everything lost: the same bytes from a backup, no mail goes out by itself"),
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in FAULTS]
    if unknown:
        print(f"There is no fault {', '.join(unknown)}; there are {', '.join(FAULTS)}.")
        return 2
    results = {name: run(name) for name in names or FAULTS}
    print("\n=== What was broken, and whether the promise held")
    for name, (code, seconds) in results.items():
        print(f"{'held  ' if code == 0 else 'BROKEN'} {name:13} {seconds:5.0f} s  {FAULTS[name][1]}")
    return int(any(code for code, _ in results.values()))


def run(name: str) -> tuple[int, float]:
    command, promise = FAULTS[name]
    print(f"\n=== {name}: {promise}", flush=True)
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-m", f"tests.faults.{command[0]}", *command[1:]], check=False)
    return done.returncode, time.monotonic() - start


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
