"""Page files and what serves them, without a server."""

from __future__ import annotations

import io
import shutil
from wsgiref.util import setup_testing_defaults

from django.core.handlers.wsgi import WSGIHandler

from publishing.pages.changes import Look
from publishing.pages.files import PageFiles, page_files
from publishing.pages.serving import Pages

PATH = "/north-shore/small-voyages"


class Site:
    """A machine with its page files, asked as a server asks it; the one of this process without `files`."""

    def __init__(self, files: PageFiles | None = None) -> None:
        self.files = files or page_files()
        shutil.rmtree(self.files.root, ignore_errors=True)
        self.files.make_folders()
        self.files.release = ""
        self.pages = Pages(WSGIHandler(), self.files)
        self.look = Look(self.files)
        self.ask("/north-shore")  # makes the folders in which pages are kept
        self.ask("/")

    def ask(self, path: str = PATH, method: str = "GET", host: str = "testserver", **headers: str):
        """Status, headers and body."""
        path, _, query = path.partition("?")
        environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query, "HTTP_HOST": host}
        environ |= {f"HTTP_{name.upper()}": value for name, value in headers.items()}
        environ |= {"REMOTE_ADDR": "127.0.0.1", "wsgi.input": io.BytesIO()}
        setup_testing_defaults(environ)
        told = []
        answer = self.pages(environ, lambda status, headers, exc_info=None: told.append((status, headers)))
        body = b"".join(answer)
        if hasattr(answer, "close"):
            answer.close()
        ((status, answered),) = told
        return int(status[:3]), dict(answered), body

    def kept(self) -> set[str]:
        """The names of all page files, below live or last."""
        return {str(p.relative_to(self.files.root)) for p in self.files.root.rglob("*") if p.is_file()} - {
            f"marks/{p.name}" for p in self.files.marks.iterdir()
        }
