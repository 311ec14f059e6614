"""`python -m tests.support.seed N [--clip] [--before FILE]`: fills the database of the environment with people and N
ready stories; prints JSON. With a clip, none has to be made when one of the stories goes live. FILE: a copy of the
database, of SQLite, as it was before the stories.

For tests that run the real service: it has its own process, its own data and no fixtures.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from typing import Any

import django


def make_clip(story: Any, rendered: dict[str, Any]) -> None:
    """The social clip and the hero that all of these stories would get once they are published, for they look alike."""
    from django.db import transaction

    from publishing import baking, clips
    from tests.support import factories

    baked = baking.bake(story.previews.get())
    with transaction.atomic():
        clips.request_clip(baked)
        clips.request_hero(baked)
    factories.finish_encodes(rendered)
    factories.finish_clips(rendered)


def main(count: int, *, with_clip: bool, before: str) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from accounts import tokens
    from accounts.actions.keys import create_api_key
    from tests.support import factories

    if not connection.introspection.table_names():
        call_command("migrate", verbosity=0)
    workspace = factories.make_workspace("north-shore", title="North Shore Press", plan="pro")
    owner = workspace.memberships.get(role="owner").user
    owner.set_password(factories.PASSWORD)
    owner.save()
    _, key = create_api_key(workspace, by=owner)
    rendered = factories.render_media()
    neighbour = factories.make_workspace("harbour", title="Harbour Letters", plan="free", roles=["owner"])
    theirs = {
        "token": tokens.issue(neighbour.memberships.get(role="owner").user),
        "story": str(factories.make_story(neighbour, rendered, title="Next door").pk),
    }
    if before:
        connection.cursor().execute("VACUUM INTO %s", [before])
    stories = [factories.make_story(workspace, rendered, title=f"Story {i}") for i in range(count)]
    if with_clip and stories:
        make_clip(stories[0], rendered)
    ids = [str(story.pk) for story in stories]
    seeded = {"token": tokens.issue(owner), "key": key, "stories": ids, "neighbour": theirs}
    seeded |= {"password": factories.PASSWORD, "owner": owner.email, "workspace": str(workspace.pk)}
    json.dump(seeded, sys.stdout)


if __name__ == "__main__":
    asked = ArgumentParser()
    asked.add_argument("count", type=int)
    asked.add_argument("--clip", action="store_true")
    asked.add_argument("--before", default="")
    found = asked.parse_args()
    main(found.count, with_clip=found.clip, before=found.before)
