"""Requests over connections that stay open, as browsers and apps make them."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit


@dataclass
class Caller:
    """Whoever asks one address, with one connection and one token."""

    url: str
    token: str
    connection: http.client.HTTPConnection = field(init=False)

    def __post_init__(self) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=120)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, bytes]:
        own = {"Authorization": f"Bearer {self.token}"} if path.startswith("/api") else {}
        if body is not None and not isinstance(body, bytes | Iterator):
            body, own = json.dumps(body).encode(), {**own, "Content-Type": "application/json"}
        try:
            self.connection.request(method, path, body, {**own, **headers})
            answer = self.connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            return 0, repr(error).encode()
