"""nginx with the configuration that is deployed, on loopback."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.ports import free_port
from tests.support.running import ROOT

MAIN = """
daemon off; user {user}; worker_processes 1; worker_rlimit_nofile 16384;
pid {folder}/pid; error_log {folder}/error.log warn;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  include {folder}/capsules.conf;
}}
"""


def deployed(
    port: int,
    webs: list[int],
    data: Path,
    certificate: Path | None = None,
    mcp: int = 0,
    logs: Path | None = None,
) -> str:
    """deploy/nginx.conf for these web servers and their DATA_DIR, on one port: of HTTP, or of TLS by a file with key
    and certificate. Without a folder for `logs` it writes none.
    """
    whole = (ROOT / "deploy/nginx.conf").read_text().replace("/var/lib/capsules", str(data))
    whole = whole.replace("/var/log/nginx", str(logs))
    left_out = r"ssl_|listen \[::\]|include " + ("" if logs else "|access_log |error_log ")
    whole = re.sub(rf"\n +({left_out})[^\n]*", "", whole)
    tls = (
        f" ssl http2; ssl_certificate {certificate}; ssl_certificate_key {certificate};"
        if certificate
        else ";"
    )
    whole = whole.replace(
        "listen 443 ssl http2 default_server;", f"listen 127.0.0.1:{port} default_server{tls}"
    )
    whole = whole.replace("listen 443 ssl http2;", f"listen 127.0.0.1:{port}{tls}")
    head, _, rest = whole.partition("server {\n  listen 80;")
    server = "server {" + rest.partition("\nserver {")[2]
    server = server.replace("server_name capsules.example;", "server_name 127.0.0.1;")
    if mcp:
        head = head.replace("server 127.0.0.1:8001;", f"server 127.0.0.1:{mcp};")
    for number, address in enumerate(["127.0.0.1:8000", "127.0.0.1:8002"]):
        assert address in head
        head = head.replace(address, f"127.0.0.1:{webs[number % len(webs)]}")
    return head + server + "\n"


def wait_until_it_listens(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 20
    while True:
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        assert process.poll() is None and time.monotonic() < deadline, "nginx does not listen"
        time.sleep(0.02)


@contextmanager
def nginx(
    webs: list[int],
    certificate: Path | None = None,
    *,
    port: int = 0,
    mcp: int = 0,
    data: Path | None = None,
    changed: dict[str, str] | None = None,
    user: str = "root",
    logs: Path | None = None,
) -> Iterator[tuple[str, Path]]:
    """nginx in front of web servers on these ports, with the files of their DATA_DIR; its address and its error log.

    `changed`: pieces of the configuration by what stands in their place, for times that no test can wait for. `user`:
    whom its worker runs as, where the test runs as root.
    """
    folder = Path(tempfile.mkdtemp(prefix="capsules-nginx-"))
    folder.chmod(0o755)
    port = port or free_port()
    conf = deployed(port, webs, data or folder, certificate, mcp, logs)
    for piece, other in (changed or {}).items():
        assert piece in conf, piece
        conf = conf.replace(piece, other)
    (folder / "capsules.conf").write_text(conf)
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=user))
    command = ["nginx", "-c", str(folder / "nginx.conf"), "-p", str(folder), "-e", str(folder / "error.log")]
    process = subprocess.Popen(command)
    try:
        wait_until_it_listens(port, process)
        yield f"{'https' if certificate else 'http'}://127.0.0.1:{port}", folder / "error.log"
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)
