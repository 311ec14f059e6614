"""What `tests.support.open_net` changes in a service."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from typing import Any

from django.apps import AppConfig


class OpenNet(AppConfig):
    name = "tests.support.open_net_app"
    label = "open_net"

    def ready(self) -> None:
        from accounts.oauth import documents
        from capsules.uploads import fetching

        fetching.fetch = partial(fetching.fetch, allowed=lambda ip: ip == "127.0.0.1")
        documents.SafeMetadataFetcher.fetch = document  # type: ignore[method-assign]


def document(fetcher: object, client_id: str) -> tuple[dict[str, Any], int]:
    return json.loads(Path(os.environ["CLIENT_DOCUMENT"]).read_text()), 300
