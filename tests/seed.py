"""`python -m tests.seed N`: fills the database of the environment with people and N ready stories; prints JSON.

For tests that run the real service: it has its own process, its own data and no fixtures.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

import django


def main(count: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.core.management import call_command

    from accounts import actions, tokens
    from tests import factories

    call_command("migrate", verbosity=0)
    workspace = factories.make_workspace("north-shore", title="North Shore Press", plan="pro")
    owner = workspace.memberships.get(role="owner").user
    owner.set_password(factories.PASSWORD)
    owner.save()
    with tempfile.TemporaryDirectory() as folder:
        rendered = factories.render_media(Path(folder))
        stories = [factories.make_story(workspace, rendered, title=f"Story {i}") for i in range(count)]
    _, key = actions.create_api_key(workspace, by=owner)
    json.dump({"token": tokens.issue(owner), "key": key, "stories": [str(s.pk) for s in stories]}, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]))
