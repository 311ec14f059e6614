"""The demo content beside what people have done with it."""

from __future__ import annotations

import fcntl
import io
import json
from dataclasses import replace

import pytest
from django.core.management import call_command

from accounts.actors import Actor
from accounts.models import Membership, Workspace
from capsules.actions import drafts, trash
from capsules.demo.stories import DemoScene, DemoStory
from capsules.models import Story
from publishing import actions, demo
from publishing.models import Subscriber

pytestmark = pytest.mark.django_db
SCENE = DemoScene("On the jetty", "Words.", "A jetty.", "jetty")
FERRY = DemoStory("The Last Ferry", "A crossing.", "en", "Ines Okafor", (SCENE,) * 3)


def bring_again(story: Story) -> None:
    demo.Demo(report=print).go_live(story, demo.request_for(0))


def test_a_capsule_in_the_trash_stays_there_when_the_demo_is_brought_again(live_story, owner):
    assert [row["state"] for row in demo.contents()["stories"]] == ["live"]
    trash.trash_story(live_story, unpublish=True, by=Actor.by_token(owner))
    live_story.refresh_from_db()
    bring_again(live_story)
    assert not actions.state_of(live_story).is_published
    assert demo.contents()["stories"] == []


def test_what_somebody_unpublished_stays_unpublished_when_the_demo_is_brought_again(live_story, owner):
    actions.unpublish(live_story, by=Actor.by_token(owner))
    bring_again(live_story)
    assert not actions.state_of(live_story).is_published


def test_an_unpublished_capsule_that_is_no_longer_ready_does_not_stop_the_demo(live_story, owner):
    by = Actor.by_token(owner)
    actions.unpublish(live_story, by=by)
    live_story.scenes.update(text="")
    bring_again(live_story)
    assert not actions.state_of(live_story).is_published


def test_what_was_never_live_is_published_by_the_next_run(ready_story):
    bring_again(ready_story)
    assert actions.state_of(ready_story).is_published


def test_a_renamed_story_of_the_demo_is_not_brought_a_second_time(north_shore, monkeypatch):
    monkeypatch.setattr(demo.Demo, "draft", lambda *args: {"text": "Words.", "alt": "A jetty."})
    first = demo.Demo(report=print).story(north_shore, FERRY)
    drafts.update_story(first, {"title": "My ferry"}, by=None)
    again = demo.Demo(report=print)
    assert again.story(north_shore, FERRY).pk == first.pk
    assert north_shore.stories.count() == 1 and again.made == []


def test_a_story_of_the_demo_has_its_look(north_shore, monkeypatch):
    monkeypatch.setattr(demo.Demo, "draft", lambda *args: {"text": "Words.", "alt": "A jetty."})
    story = demo.Demo(report=print).story(
        north_shore, replace(FERRY, look={"theme": "ink", "accent": "#b5432a"})
    )
    story.refresh_from_db()
    assert (story.theme, story.accent, story.face) == ("ink", "#b5432a", "serif")


def test_who_was_removed_from_the_demo_workspace_stays_removed():
    workspace = demo.people(*demo.HARBOUR)
    Membership.objects.filter(workspace=workspace).update(role="viewer")
    Subscriber.objects.filter(workspace=workspace).delete()
    demo.people(*demo.HARBOUR)
    assert [m.role for m in workspace.memberships.all()] == ["viewer"]
    assert not Subscriber.objects.filter(workspace=workspace).exists()


def test_printing_the_demo_as_json_writes_nothing(live_story, owner):
    actions.unpublish(live_story, by=Actor.by_token(owner))
    out = io.StringIO()
    before = Workspace.objects.count(), Membership.objects.count()
    call_command("demo", "--json", stdout=out)
    assert [row["state"] for row in json.loads(out.getvalue())["stories"]] == ["ready"]
    assert (Workspace.objects.count(), Membership.objects.count()) == before
    assert not actions.state_of(live_story).is_published


def test_what_is_printed_is_complete_while_another_run_makes_the_demo(ready_story):
    with demo.lock_file().open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        class RunEnds(io.StringIO):  # the other run publishes its last capsule and ends while this one waits
            def write(self, text: str) -> int:
                bring_again(ready_story)
                fcntl.flock(lock, fcntl.LOCK_UN)
                return super().write(text)

        told, out = RunEnds(), io.StringIO()
        call_command("demo", "--json", stdout=out, stderr=told)
    assert "still being made" in told.getvalue()
    assert [row["state"] for row in json.loads(out.getvalue())["stories"]] == ["live"]
