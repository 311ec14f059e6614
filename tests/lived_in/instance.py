"""The instance as production runs it: PostgreSQL, Redis, nginx with TLS, DEBUG off, second factors asked for."""

from __future__ import annotations

import datetime
import ipaddress
import json
import os
import secrets
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.hosts import redis_server, within
from tests.support.nginx import nginx
from tests.support.ports import free_port
from tests.support.running import DATABASE, ROOT, Answer, Service, service
from tests.support.smtp import Mailbox

READY = 90  # seconds that the service may take for its first sweep
CLOSED = ("/metrics", "/readyz")  # which the proxy shows to nobody


class Production(Service):
    """A service that is asked as its proxy asks it."""

    def call(
        self, method: str, path: str, body: Any = None, *, timeout: float = 60, **headers: str
    ) -> Answer:
        return super().call(method, path, body, timeout=timeout, **{"X-Forwarded-Proto": "https", **headers})


@dataclass
class Instance:
    """`told`: what tests.lived_in.fill told of it. `tls` trusts its certificate; None without nginx."""

    url: str
    running: Service
    told: dict[str, Any]
    mailbox: Mailbox
    certificate: Path | None = None

    @property
    def tls(self) -> ssl.SSLContext | None:
        return ssl.create_default_context(cafile=str(self.certificate)) if self.certificate else None

    def unready(self) -> list[str]:
        """Why it says that it is not ready; it may before the worker's first sweep."""
        deadline = time.monotonic() + READY
        while (answer := self.running.call("GET", "/readyz")).status != 200:
            if time.monotonic() > deadline:
                return [f"/readyz: {answer.body.decode()}"]
            time.sleep(0.5)
        return []


@contextmanager
def lived_in(subscribers: int, capsules: int) -> Iterator[Instance]:
    """A running instance with so many rows; on SQLite or without nginx where these are not there, and says so."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="capsules-lived-in-")))
        folder.chmod(0o755)
        (folder / "data").mkdir()
        os.environ["SHARED_FOLDER"] = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="capsules-shared-")
        )
        proxied, port, mcp = bool(shutil.which("nginx")), free_port(), free_port()
        url = f"https://127.0.0.1:{port}" if proxied else ""
        mailbox = Mailbox()
        mailbox.controller.start()
        stack.callback(mailbox.controller.stop)
        settings = {
            "DEBUG": "false",
            "SECRET_KEY": secrets.token_hex(40),
            "ALLOWED_HOSTS": "127.0.0.1",
            "REQUIRE_STAFF_MFA": "true",
            "METRICS_TOKEN": secrets.token_hex(24),
            "EMAIL_URL": f"smtp://127.0.0.1:{mailbox.controller.port}",
            "MCP_PORT": str(mcp),
            "WEB_PROCESSES": "2",
        }
        if proxied:
            settings |= {"APP_URL": url, "BEHIND_PROXY": "true"}
        else:
            print("!!! NO NGINX: the instance is walked without a proxy and without TLS.", flush=True)
        if not DATABASE:
            print("!!! NO DATABASE_URL: the instance lives on SQLite.", flush=True)
            settings["DATABASE_URL"] = f"sqlite:///{folder}/data/capsules.sqlite3"
        elif not os.environ.get("REDIS_URL") and shutil.which("redis-server"):
            settings["REDIS_URL"] = stack.enter_context(redis_server()).url
        bare = stack.enter_context(service(folder / "data", stories=None, start=False, **settings))
        if not proxied:
            bare.env["APP_URL"] = bare.url
        told = filled(bare.env, subscribers, capsules)
        if proxied:
            told["routes"] = [one for one in told["routes"] if one["route"] not in CLOSED]
        running = Production(bare.env, bare.port) if proxied else bare
        stack.callback(running.stop)
        running.start()
        certificate = self_signed(folder) if proxied else None
        if proxied:
            stack.enter_context(nginx([running.port], certificate, port=port, mcp=mcp))
            within(20, lambda: listens(port), "nginx does not start")
        yield Instance(url or bare.url, running, told, mailbox, certificate)


def listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
        return True
    return False


def filled(env: dict[str, str], subscribers: int, capsules: int) -> dict[str, Any]:
    fill = [sys.executable, "-m", "tests.lived_in.fill", str(subscribers), str(capsules)]
    done = subprocess.run(fill, cwd=ROOT, env=env, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(done.stdout))


def self_signed(folder: Path) -> Path:
    """A file with a key and a certificate for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    built = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    built = built.not_valid_before(now).not_valid_after(now + datetime.timedelta(days=2))
    built = built.add_extension(here, critical=False)
    built = built.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    signed = built.sign(key, hashes.SHA256())
    file = folder / "tls.pem"
    plain = serialization.NoEncryption()
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    return file
