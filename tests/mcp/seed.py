"""`python -m tests.mcp.seed N`: tokens for the MCP server, and N more stories, in the database of the environment;
prints JSON.

Connected apps go through the real authorization server, as `tests.support.oauth.App` drives it.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import timedelta
from typing import Any

import django

WRITING = "stories:read stories:write"
PUBLISHING = f"{WRITING} publications:read publications:write"


def subscribe_readers(workspace: Any) -> None:
    from django.utils import timezone

    from publishing.models import Subscriber

    for number in range(3):
        email = f"reader{number}@example.com"
        row = {"email": email, "consent": "Seeded.", "confirmed_at": timezone.now()}
        Subscriber.objects.create(workspace=workspace, **row)


def personal_token(user: Any, workspace: Any) -> str:
    """Of an app on the person's own machine, which publishes when asked."""
    from django.utils import timezone

    from accounts.actions.personal_tokens import make_personal_token
    from accounts.models import Connection

    reach = user.memberships.get(workspace=workspace)
    return make_personal_token(
        "My desk",
        by=user,
        memberships=[reach],
        default=reach,
        scopes=PUBLISHING.split(),
        publishing=Connection.Publishing.WHEN_ASKED,
        expires_at=timezone.now() + timedelta(days=1),
    )[1]


def more_stories(count: int, workspace: Any) -> list[str]:
    from tests.support.factories import make_story, render_media
    from tests.support.running import A_FEW

    if not count:
        return []
    rendered = render_media()
    numbers = range(A_FEW, A_FEW + count)
    return [str(make_story(workspace, rendered, title=f"Story {number}").pk) for number in numbers]


def main(count: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from accounts import resources, tokens
    from accounts.actors import PREPARES_ONLY, PUBLICATIONS_WRITE
    from accounts.models import Membership, User, Workspace
    from tests.support.oauth import App

    owner = User.objects.get(email="owner@north-shore.example")
    viewer = User.objects.get(email="viewer@north-shore.example")
    north_shore = Workspace.objects.get(name="north-shore")
    south_shore = Workspace.objects.create(name="south-shore", title="South Shore")
    Membership.objects.create(workspace=south_shore, user=owner, role="owner")
    subscribe_readers(north_shore)

    def connected(
        user: User, scope: str, *, app: App | None = None, audience: str = "mcp", **answer: str
    ) -> str:
        app = app or App(user)
        app.connect(scope, workspaces=[north_shore], resource=resources.address(audience), **answer)
        return str(app.tokens["access_token"])

    preparing, prepares = App(owner), {"grant": PUBLISHING.replace(PUBLICATIONS_WRITE, PREPARES_ONLY)}

    revoked, revoked_later = connected(owner, WRITING), connected(owner, WRITING)
    seeded: dict[str, Any] = {
        "stories": more_stories(count, north_shore),
        "own": tokens.issue(owner, audience="mcp"),
        "reads": connected(owner, "stories:read"),
        "writes": connected(owner, WRITING),
        "publishes": connected(owner, PUBLISHING),
        "prepares": connected(owner, PUBLISHING, app=preparing, **prepares),
        "prepares, by the API": connected(owner, PUBLISHING, app=preparing, audience="api", **prepares),
        "publishes only": connected(owner, "publications:write"),
        "is revoked": revoked,
        "is revoked: connection": tokens.verify(revoked, audience="mcp")["connection"],
        "is revoked later": revoked_later,
        "is revoked later: connection": tokens.verify(revoked_later, audience="mcp")["connection"],
        "personal": personal_token(owner, north_shore),
        "viewer": connected(viewer, PUBLISHING),
        "elsewhere": str(south_shore.pk),
    }
    json.dump(seeded, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]))
