"""The page layer without a server."""

from __future__ import annotations

import io
from wsgiref.util import setup_testing_defaults

from django.core.handlers.wsgi import WSGIHandler

from publishing.pages.layer import PageLayer

PATH = "/north-shore/small-voyages"


class Site:
    """The page layer as a server calls it."""

    def __init__(self) -> None:
        self.layer = PageLayer(WSGIHandler())

    def ask(self, path: str = PATH, method: str = "GET", host: str = "testserver", **headers: str):
        """Status, headers and body."""
        path, _, query = path.partition("?")
        environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query, "HTTP_HOST": host}
        environ |= {f"HTTP_{name.upper()}": value for name, value in headers.items()}
        environ |= {"REMOTE_ADDR": "127.0.0.1", "wsgi.input": io.BytesIO()}
        setup_testing_defaults(environ)
        told = []
        answer = self.layer(environ, lambda status, headers, exc_info=None: told.append((status, headers)))
        body = b"".join(answer)
        if hasattr(answer, "close"):
            answer.close()
        ((status, answered),) = told
        return int(status[:3]), dict(answered), body
