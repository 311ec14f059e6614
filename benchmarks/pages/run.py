"""One public page from a plain file, from our files, and from the service alone: `python -m benchmarks.pages.run`.

It starts the service on data of its own, publishes a capsule, and puts before it nginx with `deploy/nginx.conf`, which
sends the page's file. Beside it another nginx sends the same bytes as a plain file with the same headers. Each of
ROUNDS reads both in turn, the second first in every other, and then the service alone (waitress and our files), and our
file without the script that tells what is read. It
prints requests a second, p99 and processor time a request, and the medians of the ratios within each round. It needs
wrk and nginx. Aimed at: 0.9 of the plain file's rate, and at most 1.2 of its processor time. Exit status 1 where
that is missed, 3 where a tool is missing.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.faults.tools import not_tried
from tests.support.nginx import nginx
from tests.support.ports import free_port
from tests.support.running import service

ROOT = Path(__file__).resolve().parents[2]
ROUNDS, SECONDS, CONNECTIONS = 5, 4, 16
RATE, PROCESSOR = 0.9, 1.2  # of the plain file's
MILLISECONDS = {"us": 0.001, "ms": 1, "s": 1000}
READER = {"Accept-Encoding": "gzip", "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"}
UNTOLD = "-untold"  # behind the path of the page without that
KEPT = ("content-sec", "cache", "cross", "x-", "permis", "referrer", "strict")
NGINX = """
daemon off; user root; worker_processes 1; pid {folder}/pid; error_log {folder}/log crit;
events {{ worker_connections 512; }}
http {{ access_log off; keepalive_timeout 30s; server_tokens off;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port}; root {folder};
    location / {{ types {{ }} default_type text/html; charset utf-8; gzip_static on; gzip_vary on; {headers} }} }} }}
"""


@dataclass
class Measured:
    """One turn: requests a second, p99 in milliseconds, microseconds of the processor for each request."""

    rate: float
    p99: float
    processor: float


def fetch(url: str) -> tuple[bytes, list[tuple[str, str]]]:
    """The bytes of a page as they are sent, and the headers that any server would have to send with them."""
    request = urllib.request.Request(url, headers=READER)
    with urllib.request.urlopen(request, timeout=10) as answer:
        headers = [pair for pair in answer.headers.items() if pair[0].lower().startswith(KEPT)]
        return answer.read(), headers


def wait_for(url: str) -> None:
    deadline = time.monotonic() + 40
    while True:
        try:
            fetch(url)
            return
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{url} answers {error.code}: is that capsule live in DATA_DIR?") from error
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def start(stack: ExitStack, command: list[str], **env: str) -> int:
    """The pid."""
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **env})
    stack.callback(process.wait)
    stack.callback(process.terminate)
    return process.pid


def served(stack: ExitStack, path: str) -> str:
    """The web server of the service, on the data under DATA_DIR."""
    subprocess.run([sys.executable, "manage.py", "collectstatic", "--no-input", "-v0"], cwd=ROOT, check=True)
    port = free_port()
    start(stack, [sys.executable, "-m", "config.web_server"], PORT=str(port), WEB_PROCESSES="1")
    return answering(port, path)


def django(stack: ExitStack, path: str) -> str:
    """Django alone, without our files, on the same web server."""
    port = free_port()
    options = [f"--listen=127.0.0.1:{port}", "--threads=4"]
    start(stack, [sys.executable, "-m", "waitress", *options, "config.wsgi:django"])
    return answering(port, path)


def answering(port: int, path: str) -> str:
    """The address, once the server answers there."""
    url = f"http://127.0.0.1:{port}{path}"
    wait_for(url)
    return url


def plain_file(stack: ExitStack, path: str, ours: str) -> tuple[str, int]:
    """A plain file with the bytes and headers of our page, under a path as long; its address and nginx's pid."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    folder.chmod(0o755)
    file = folder / path.lstrip("/")
    file.parent.mkdir()
    packed, headers = fetch(ours)
    file.with_suffix(".gz").write_bytes(packed)
    file.write_bytes(packed)  # never sent, but nginx looks for it
    lines = " ".join(f'add_header {name} "{value}";' for name, value in headers)
    port = free_port()
    (folder / "conf").write_text(NGINX.format(folder=folder, port=port, headers=lines))
    pid = start(stack, ["nginx", "-c", str(folder / "conf"), "-p", str(folder), "-e", str(folder / "log")])
    url = answering(port, path)
    assert fetch(url) == (packed, headers), "the plain file is not what our page is"
    return url, pid


def with_children(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def processor_time(pids: list[int]) -> float:
    """Seconds of the processor that these processes have had."""
    ticks = 0
    for pid in pids:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(after_name[11]) + int(after_name[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(url: str, *options: str, pids: Callable[[], list[int]] = list) -> Measured:
    before = processor_time(pids())
    report = wrk(url, CONNECTIONS, SECONDS, *options).communicate()[0]
    used = processor_time(pids()) - before
    if "Non-2xx" in report:
        raise SystemExit(f"{url} did not answer 200 throughout:\n{report}")
    rate = re.search(r"Requests/sec:\s+([0-9.]+)", report)
    p99 = re.search(r"99%\s+([0-9.]+)(us|ms|s)", report)
    count = re.search(r"(\d+) requests in", report)
    assert rate and p99 and count, report
    return Measured(float(rate[1]), float(p99[1]) * MILLISECONDS[p99[2]], used / int(count[1]) * 1e6)


def wrk(url: str, connections: int, seconds: int, *more: str) -> subprocess.Popen[str]:
    options = [*more, f"-c{connections}", "-t1", f"-d{seconds}s", "--latency"]
    headers = [part for name, value in READER.items() for part in ("-H", f"{name}: {value}")]
    return subprocess.Popen(["wrk", *options, *headers, url], stdout=subprocess.PIPE, text=True)


def without_telling(file: Path) -> None:
    """Puts beside a page's file one without what it tells of its readers, as pages were before they told it."""
    page = re.sub(
        rb"<script[^>]* data-to=.*?</script>|<noscript>.{0,300}/r/.*?</noscript>",
        b"",
        file.read_bytes(),
        flags=re.S,
    )
    assert b"/r/" not in page
    other = file.with_name(f"{file.stem}{UNTOLD}.html")
    other.write_bytes(page)
    other.with_name(f"{other.name}.gz").write_bytes(gzip.compress(page, 9))


def rounds(stack: ExitStack) -> dict[str, list[Measured]]:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
    running = stack.enter_context(service(folder, stories=1, BEHIND_PROXY="true"))
    path = running.publication("PUT", running.seeded["stories"][0]).json()["url"]
    ours, log = stack.enter_context(nginx([running.port], data=folder))
    file = folder / f"pages/live{path}.html"
    deadline = time.monotonic() + 120
    while not (
        file.exists() and b"og:video" in file.read_bytes()
    ):  # the worker makes a clip, which changes the page
        assert time.monotonic() < deadline, "the page is never a file"
        fetch(ours + path)
        time.sleep(0.5)
    without_telling(file)
    plain, plain_pid = plain_file(stack, path, ours + path)
    web = [pid for pid, command in running.processes().items() if "web_server" in command]
    ours_pid = int((log.parent / "pid").read_text())
    servers: dict[str, tuple[str, Callable[[], list[int]]]] = {
        "plain file": (plain, lambda: with_children(plain_pid)),
        "our files": (ours + path, lambda: with_children(ours_pid)),
        "the service alone": (running.url + path, lambda: web),
        "our files, untold": (ours + path + UNTOLD, lambda: with_children(ours_pid)),
    }
    measured: dict[str, list[Measured]] = {name: [] for name in servers}
    for number in range(ROUNDS):
        pair = list(servers)[:2]
        for name in [*(pair if number % 2 else pair[::-1]), *list(servers)[2:]]:
            url, pids = servers[name]
            measured[name].append(measure(url, pids=pids))
    return measured


def median_ratio(measured: dict[str, list[Measured]], name: str, what: str) -> float:
    pairs = zip(measured[name], measured["plain file"], strict=True)
    return statistics.median(getattr(one, what) / getattr(plain, what) for one, plain in pairs)


def main() -> int:
    if shutil.which("wrk") is None or shutil.which("nginx") is None:
        return not_tried("WRK OR NGINX IS NOT INSTALLED: NOTHING WAS MEASURED.")
    with ExitStack() as stack:
        measured = rounds(stack)
    for name, turns in measured.items():
        rate, p99, processor = (
            statistics.median(getattr(turn, what) for turn in turns) for what in ("rate", "p99", "processor")
        )
        print(
            f"{name:18}{rate:10.0f} requests/s   p99 {p99:6.2f} ms   {processor:7.1f} us of the processor each"
            f"   {median_ratio(measured, name, 'rate'):.2f} of the rate, "
            f"x {median_ratio(measured, name, 'processor'):.2f} of the processor, "
            f"x {median_ratio(measured, name, 'p99'):.2f} of p99"
        )
    is_missed = (
        median_ratio(measured, "our files", "rate") < RATE
        or median_ratio(measured, "our files", "processor") > PROCESSOR
    )
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())
