"""Large films that meet every trouble on their way: `python -m tests.faults.uploads [--megabytes N] [disk] [bucket]`.

Four films of nearly 500 MB come at once, in slices, by tuspy. In the middle the web server gets kill -9 twice and the
line of the first one is cut for 30 seconds, inside a slice; then the worker gets kill -9 twice while it looks at them.
Promised: every film is stored byte for byte, no part of one is left, and the web server's memory grew by 100 MB at
most. The files go to a disk and to a bucket (moto's S3 server). Exit status 1 where a promise was broken.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.support.bucket import bucket
from tests.support.running import Service, service
from tests.support.sending import (
    Line,
    call,
    large_film,
    line_to,
    send,
    state_once_checked,
    until,
    web_memory,
)

AT_ONCE = 4
OFFLINE = 30  # seconds
DROPPED_WITHIN = 60  # seconds
MOST_MEMORY = 100 * 2**20


def digest(chunks: Iterator[bytes]) -> str:
    found = hashlib.sha256()
    for chunk in chunks:
        found.update(chunk)
    return found.hexdigest()


def read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(2**20):
            yield chunk


class Trouble:
    """What happens to a running service as the first film comes to a quarter, a half and three quarters."""

    def __init__(self, running: Service, line: Line, size: int) -> None:
        self.running, self.line = running, line
        self.left: list[tuple[float, str, Callable[[], object]]] = [
            (0.25 * size, "kill -9 of the web server", self.kill),
            (0.50 * size, f"{OFFLINE} s offline, inside a slice", self.cut_soon),
            (0.75 * size, "kill -9 of the web server", self.kill),
        ]

    def at(self, offset: int) -> None:
        if self.left and offset >= self.left[0][0]:
            _, words, happen = self.left.pop(0)
            print(f"  at {offset / 10**6:.0f} MB: {words}", flush=True)
            happen()

    def kill(self) -> None:
        until(lambda: self.running.kill("web_server"), "a web server to kill")

    def cut_soon(self) -> None:
        threading.Timer(0.02, self.line.cut, [OFFLINE]).start()


def send_all(running: Service, sources: list[Path]) -> list[Any]:
    """Sends all films at once, the first one through every trouble; returns what the service says in the end."""
    with line_to(running) as line, ThreadPoolExecutor(len(sources)) as senders:
        begun, sent = [], []
        for number, source in enumerate(sources):
            about = {"kind": "film", "filename": source.name, "size": source.stat().st_size}
            upload = call(running, "POST", "/uploads", about)
            address = upload["uploadUrl"]
            trouble = Trouble(running, line, about["size"]) if number == 0 else None
            if trouble:
                address = address.replace(f":{running.port}/", f":{line.port}/")
            begun.append(upload["id"])
            reached = trouble.at if trouble else lambda offset: None
            sent.append(senders.submit(send, running, address, source, reached))
        for each in sent:
            each.result()
    for _ in range(2):
        print(f"  kill -9 of the worker ({running.kill('celery')} processes)", flush=True)
        time.sleep(5)
    return [state_once_checked(running, upload, patience=600) for upload in begun]


@contextmanager
def memory_seen(running: Service) -> Iterator[list[int]]:
    """The height of the web server's memory, looked at twice a second: a killed process takes its own along."""
    seen, over = [web_memory(running)], threading.Event()

    def look() -> None:
        while not over.wait(0.5):
            seen.append(web_memory(running))

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield seen
    finally:
        over.set()
        looking.join()


def films_on_disk(data: Path) -> set[str]:
    """The digests of the films that are stored."""
    return {digest(read(path)) for path in (data / "media/originals").rglob("*.mp4")}


def films_in_bucket(s3: Any) -> set[str]:
    keys = [entry["Key"] for entry in s3.list_objects_v2(Bucket="capsules", Prefix="originals/")["Contents"]]
    bodies = (s3.get_object(Bucket="capsules", Key=key)["Body"] for key in keys if key.endswith(".mp4"))
    return {digest(body.iter_chunks(2**20)) for body in bodies}


def parts_on_disk(data: Path) -> int:
    return sum(path.is_file() for path in (data / "media/parts").rglob("*"))


def parts_in_bucket(s3: Any) -> int:
    return int(s3.list_objects_v2(Bucket="capsules", Prefix="parts/")["KeyCount"])


def parts_left(count: Callable[[], int]) -> int:
    """How many parts stay; those of the last film go one by one once it is said to be ready."""
    with suppress(AssertionError):
        until(lambda: not count(), "no part is left", DROPPED_WITHIN)
    return count()


def try_on(where: str, size: int) -> list[str]:
    """The promises that were broken."""
    print(f"\n=== {AT_ONCE} films of {size / 10**6:.0f} MB to a {where}", flush=True)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="capsules-uploads-")))
        s3, env = None, {}
        if where == "bucket":
            _, s3, env["STORAGE_URL"], _ = stack.enter_context(bucket())
        sources = []
        for number in range(AT_ONCE):
            (made := folder / str(number)).mkdir()
            sources.append(large_film(made, size))
        (data := folder / "data").mkdir()
        running = stack.enter_context(service(data, stories=0, **env))
        before, began = web_memory(running), time.monotonic()
        with memory_seen(running) as seen:
            states = send_all(running, sources)
        grown = max(seen) - before
        films = films_in_bucket(s3) if s3 else films_on_disk(data)
        parts = parts_left(lambda: parts_in_bucket(s3) if s3 else parts_on_disk(data))
        print(
            f"  {time.monotonic() - began:.0f} s; the web server grew by {grown / 2**20:.0f} MB; parts left: {parts}"
        )
        broken = [f"{state}" for state in states if state["state"] != "ready"]
        broken += [
            f"{source} is not stored as it was" for source in sources if digest(read(source)) not in films
        ]
        broken += [f"{parts} parts were left"] if parts else []
        broken += [f"the web server grew by {grown / 2**20:.0f} MB"] if grown > MOST_MEMORY else []
        return broken


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("where", nargs="*", help="disk, bucket; both by default")
    parser.add_argument("--megabytes", type=int, default=499)
    asked = parser.parse_args()
    broken = [
        each for where in asked.where or ["disk", "bucket"] for each in try_on(where, asked.megabytes * 10**6)
    ]
    print("\n".join(f"BROKEN: {each}" for each in broken) or "All films arrived whole.")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
