"""The demo content beside what people have done with it."""

from __future__ import annotations

import pytest

from accounts.actors import Actor
from capsules.actions import trash
from publishing import actions, demo

pytestmark = pytest.mark.django_db


def test_a_capsule_in_the_trash_stays_there_when_the_demo_is_brought_again(live_story, owner):
    by = Actor.by_token(owner)
    assert [row["state"] for row in demo.contents()["stories"]] == ["live"]
    trash.trash_story(live_story, unpublish=True, by=by)
    live_story.refresh_from_db()
    demo.Demo(report=print).go_live(live_story, demo.request_for(0), by)
    assert not actions.state_of(live_story).is_published
    assert demo.contents()["stories"] == []
