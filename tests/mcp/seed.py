"""`python -m tests.mcp.seed`: tokens for the MCP server in the database of the environment; prints JSON.

Connected apps go through the real authorization server, as `tests.support.oauth.App` drives it.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import django

WRITING = "stories:read stories:write"
PUBLISHING = f"{WRITING} publications:read publications:write"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.conf import settings
    from django.utils import timezone

    from accounts import tokens
    from accounts.models import Membership, User, Workspace
    from publishing.models import Subscriber
    from tests.support.oauth import App

    owner = User.objects.get(email="owner@north-shore.example")
    viewer = User.objects.get(email="viewer@north-shore.example")
    north_shore = Workspace.objects.get(name="north-shore")
    south_shore = Workspace.objects.create(name="south-shore", title="South Shore")
    Membership.objects.create(workspace=south_shore, user=owner, role="owner")
    for number in range(3):
        Subscriber.objects.create(
            workspace=north_shore,
            email=f"reader{number}@example.com",
            consent="Seeded.",
            confirmed_at=timezone.now(),
        )

    def connected(user: User, scope: str) -> str:
        app = App(user)
        app.connect(scope, workspaces=[north_shore], resource=settings.MCP_URL)
        return str(app.tokens["access_token"])

    revoked, revoked_later = connected(owner, WRITING), connected(owner, WRITING)
    seeded: dict[str, Any] = {
        "own": tokens.issue(owner, audience="mcp"),
        "reads": connected(owner, "stories:read"),
        "writes": connected(owner, WRITING),
        "publishes": connected(owner, PUBLISHING),
        "publishes only": connected(owner, "publications:write"),
        "is revoked": revoked,
        "is revoked: connection": tokens.verify(revoked, audience="mcp")["connection"],
        "is revoked later": revoked_later,
        "is revoked later: connection": tokens.verify(revoked_later, audience="mcp")["connection"],
        "viewer": connected(viewer, PUBLISHING),
        "elsewhere": str(south_shore.pk),
    }
    json.dump(seeded, sys.stdout)


if __name__ == "__main__":
    main()
