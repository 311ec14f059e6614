"""Requests a second of one public page: from the page layer, from Django's view, and of the same bytes from others.

    DATA_DIR=... python benchmarks/pages/run.py /north-shore/the-last-ferry-to-aldermoor

It serves the data under DATA_DIR (`manage.py demo` makes some) on free ports, with one process each: the web server as
it is deployed, Django alone on the same granian, granian alone with the bytes at hand, and nginx with a file. It takes
turns between them, and once more to the page layer while BESIDE connections keep its process busy with a page that
Django makes. It prints the medians of ROUNDS and their ratios. It needs wrk, and nginx for the comparison.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROUNDS, SECONDS, CONNECTIONS, BESIDE = 3, 4, 16, 2
MILLISECONDS = {"us": 0.001, "ms": 1, "s": 1000}
#: One whose views are counted.
READER = {"Accept-Encoding": "br", "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"}
KEPT = ("content-sec", "cache", "x-", "permis", "referrer")
NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/log crit;
events {{ worker_connections 512; }}
http {{ access_log off; sendfile on; open_file_cache max=10;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u;  scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port}; root {folder};
    location = /page {{ default_type text/html; add_header Content-Encoding br; {headers} }} }} }}
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


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


def start(stack: ExitStack, command: list[str], **env: str) -> None:
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **env})
    stack.callback(process.wait)
    stack.callback(process.terminate)


def page_layer(stack: ExitStack, path: str) -> str:
    subprocess.run([sys.executable, "manage.py", "collectstatic", "--no-input", "-v0"], cwd=ROOT, check=True)
    port = free_port()
    start(stack, [sys.executable, "-m", "config.web_server"], PORT=str(port), WEB_PROCESSES="1")
    return answering(port, path)


def django(stack: ExitStack, path: str) -> str:
    port = free_port()
    options = ["--interface", "wsgi", "--port", str(port), "--blocking-threads", "4", "--log-level", "error"]
    start(stack, [sys.executable, "-m", "granian", *options, "config.wsgi:django"])
    return answering(port, path)


def answering(port: int, path: str) -> str:
    """The address, once the server answers there."""
    url = f"http://127.0.0.1:{port}{path}"
    wait_for(url)
    return url


def granian(stack: ExitStack, body: bytes, headers: list[tuple[str, str]]) -> str:
    folder, port = Path(stack.enter_context(tempfile.TemporaryDirectory())), free_port()
    (folder / "page").write_bytes(body)
    (folder / "headers.json").write_text(json.dumps([["content-encoding", "br"], *headers]))
    alone = [sys.executable, "-m", "benchmarks.pages.granian_alone"]
    start(stack, alone, PORT=str(port), FOLDER=str(folder))
    return answering(port, "/page")


def nginx(stack: ExitStack, body: bytes, headers: list[tuple[str, str]]) -> str:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    folder.chmod(0o755)
    (folder / "page").write_bytes(body)
    lines = " ".join(f'add_header {name} "{value}";' for name, value in headers)
    port = free_port()
    (folder / "conf").write_text(NGINX.format(folder=folder, port=port, headers=lines))
    start(stack, ["nginx", "-c", str(folder / "conf"), "-p", str(folder), "-e", str(folder / "log")])
    return answering(port, "/page")


def measure(url: str, *options: str) -> tuple[float, float]:
    """Requests a second and the p99 latency in milliseconds."""
    report = wrk(url, CONNECTIONS, SECONDS, *options).communicate()[0]
    if "Non-2xx" in report:
        raise SystemExit(f"{url} did not answer 200 throughout:\n{report}")
    rate = re.search(r"Requests/sec:\s+([0-9.]+)", report)
    p99 = re.search(r"99%\s+([0-9.]+)(us|ms|s)", report)
    assert rate and p99, report
    return float(rate[1]), float(p99[1]) * MILLISECONDS[p99[2]]


def measure_busy(url: str) -> tuple[float, float]:
    """The same while the process has the page of the workspace's subscribers to make, which the layer does not keep."""
    start, workspace, _ = url.rsplit("/", 2)
    beside = wrk(f"{start}/subscribe/{workspace}", BESIDE, SECONDS + 1)
    time.sleep(0.5)
    try:
        return measure(url)
    finally:
        beside.communicate()


def wrk(url: str, connections: int, seconds: int, *more: str) -> subprocess.Popen[str]:
    options = [*more, f"-c{connections}", "-t1", f"-d{seconds}s", "--latency"]
    headers = [part for name, value in READER.items() for part in ("-H", f"{name}: {value}")]
    return subprocess.Popen(["wrk", *options, *headers, url], stdout=subprocess.PIPE, text=True)


def main(path: str) -> None:
    if shutil.which("wrk") is None:
        raise SystemExit("SKIPPED: wrk is not installed, so nothing was measured.")
    with ExitStack() as stack:
        urls = {
            "page layer": page_layer(stack, path),
            "Django": django(stack, path),
        }
        page = fetch(urls["page layer"])
        urls["granian alone"] = granian(stack, *page)
        if shutil.which("nginx"):
            urls["nginx"] = nginx(stack, *page)
        else:
            print("SKIPPED: nginx is not installed, so there is nothing to compare with.")
        measured: dict[str, list[tuple[float, float]]] = {}
        for _ in range(ROUNDS):
            for name, url in urls.items():
                measured.setdefault(name, []).append(measure(url))
            measured.setdefault("beside Django", []).append(measure_busy(urls["page layer"]))
    median = {
        name: [statistics.median(each) for each in zip(*rounds, strict=True)]
        for name, rounds in measured.items()
    }
    for name, (rate, p99) in median.items():
        print(f"{name:14}{rate:10.0f} requests/s   p99 {p99:.2f} ms")
    layer = median["page layer"][0]
    print(f"page layer / Django: {layer / median['Django'][0]:.0f}")
    print(f"page layer / granian alone: {layer / median['granian alone'][0]:.2f}")
    if "nginx" in median:
        print(f"page layer / nginx: {layer / median['nginx'][0]:.2f}")
        print(f"granian alone / nginx: {median['granian alone'][0] / median['nginx'][0]:.2f}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
