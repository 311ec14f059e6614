"""Who makes the capsule of the drill and presses its buttons: `python -m tests.faults.takedown_staff`.

Each line of its input is [what, story]; it answers with a line of JSON: the seconds that the press took, or the stories
that it made.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import django

TITLE, EDITION = "Tidal letters", "short"


def main() -> None:
    django.setup()
    from accounts.models import User

    staff = User.objects.filter(is_superuser=True).first()
    staff = staff or User.objects.create_superuser("staff@capsules.example", "x")
    print("ready", flush=True)
    for line in sys.stdin:
        what, story = json.loads(line)
        print(json.dumps(stage() if what == "stage" else press(what, story, staff)), flush=True)


def stage() -> list[str]:
    """A capsule with a film and a shown edition, whose pictures no other capsule has."""
    from django.db import transaction

    from accounts.models import Workspace
    from tests.support import factories
    from tests.support.drawing import draw_picture

    factories.draw_picture = lambda path: draw_picture(path, colour="#7a4650")  # type: ignore[assignment]
    rendered = factories.render_media()
    workspace = Workspace.objects.get(name="north-shore")
    with transaction.atomic():  # or the worker takes the encodes first
        story = factories.make_story(workspace, rendered, title=TITLE, films=1)
        edition = factories.make_edition(story, rendered, EDITION, films=1)
    return [str(story.pk), str(edition.pk)]


def press(what: str, story_id: str, staff: Any) -> float:
    from accounts.actions import workspaces
    from accounts.models import Workspace
    from accounts.statements import Statement
    from capsules.models import Story
    from publishing.models import Case
    from publishing.moderation import actions

    said = Statement("rights", "Rule 4", "Not yours.")
    story = Story.objects.select_related("workspace").get(pk=story_id)
    workspace = Workspace.objects.get(pk=story.workspace_id)
    began = time.monotonic()
    if what == "freeze":
        actions.freeze(actions.open_by_staff(story, by=staff), said, by=staff)
    elif what == "lift":
        actions.lift(Case.objects.in_force().get(kind="capsule"), words="Sorry.", by=staff)
    elif what == "suspend":
        workspaces.suspend(workspace, by=staff, statement=said)
    else:
        workspaces.resume(workspace, by=staff)
    return time.monotonic() - began


if __name__ == "__main__":
    main()
