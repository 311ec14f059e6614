"""What the web server runs: page files, and Django behind them."""

import os
from collections.abc import Iterable
from typing import Any

from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

django = get_wsgi_application()

from config.database import limit_statements  # noqa: E402 - like models, it can be used only once Django is set up
from publishing.pages import changes  # noqa: E402
from publishing.pages.files import page_files  # noqa: E402
from publishing.pages.serving import Pages  # noqa: E402


def answer(environ: dict[str, object], start_response: Any) -> Iterable[bytes]:
    """Django's answer; to HEAD without its body, which neither Django nor waitress leaves out: whoever keeps the
    connection, as nginx does, would take it for the answer to somebody's next request.
    """
    body = django(environ, start_response)
    if environ["REQUEST_METHOD"] != "HEAD":
        # Of a file waitress sends the rest in another thread, where Django would look for the connection at its end.
        close_old_connections()
        return body
    body.close()
    return []


limit_statements()
application = Pages(answer, page_files())
changes.watch()
