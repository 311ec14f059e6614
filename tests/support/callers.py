"""Requests over connections that stay open, as browsers and apps make them."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

IDLE = 20.0  # seconds after which a caller opens another connection, as proxies do: the service ends idle ones after 30


@dataclass
class Caller:
    """Whoever asks one address, with one connection and one token."""

    url: str
    token: str
    connection: http.client.HTTPConnection = field(init=False)
    used: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=120)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, bytes]:
        own = {"Authorization": f"Bearer {self.token}"} if path.startswith("/api") else {}
        if body is not None and not isinstance(body, bytes | Iterator):
            body, own = json.dumps(body).encode(), {**own, "Content-Type": "application/json"}
        if time.monotonic() - self.used > IDLE:
            self.connection.close()
        try:
            self.connection.request(method, path, body, {**own, **headers})
            answer = self.connection.getresponse()
            told = answer.status, answer.read()
            self.used = time.monotonic()
            return told
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            return 0, repr(error).encode()
