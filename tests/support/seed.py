"""`python -m tests.support.seed N [with-clip]`: fills the database of the environment with people and N ready stories;
prints JSON. With a clip, none has to be made when one of the stories goes live.

For tests that run the real service: it has its own process, its own data and no fixtures.
"""

from __future__ import annotations

import json
import os
import sys
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


def main(count: int, *, with_clip: bool) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.core.management import call_command

    from accounts import tokens
    from accounts.actions.keys import create_api_key
    from tests.support import factories

    call_command("migrate", verbosity=0)
    workspace = factories.make_workspace("north-shore", title="North Shore Press", plan="pro")
    owner = workspace.memberships.get(role="owner").user
    owner.set_password(factories.PASSWORD)
    owner.save()
    rendered = factories.render_media()
    stories = [factories.make_story(workspace, rendered, title=f"Story {i}") for i in range(count)]
    if with_clip and stories:
        make_clip(stories[0], rendered)
    neighbour = factories.make_workspace("harbour", title="Harbour Letters", plan="free", roles=["owner"])
    theirs = {
        "token": tokens.issue(neighbour.memberships.get(role="owner").user),
        "story": str(factories.make_story(neighbour, rendered, title="Next door").pk),
    }
    _, key = create_api_key(workspace, by=owner)
    ids = [str(story.pk) for story in stories]
    seeded = {"token": tokens.issue(owner), "key": key, "stories": ids, "neighbour": theirs}
    seeded |= {"password": factories.PASSWORD, "owner": owner.email, "workspace": str(workspace.pk)}
    json.dump(seeded, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]), with_clip="with-clip" in sys.argv)
