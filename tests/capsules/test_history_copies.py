"""The history has a copy of a draft once somebody else goes on with it, not at every word that is saved."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from accounts.actors import Actor
from capsules.actions import drafts, revisions, scenes
from capsules.actions.keeping import content_in, content_of
from capsules.models import Revision, Story
from config.errors import CapsulesError, Stale

pytestmark = pytest.mark.django_db

SECONDS = timedelta(seconds=1)


@pytest.fixture
def story(north_shore):
    texts = [{"text": f"{place:03}" + " word" * 399} for place in range(100)]
    return drafts.create_story(north_shore, {"title": "Full"}, texts, by=None)


@pytest.fixture
def ines(person):
    return Actor.by_token(person("owner"))


@pytest.fixture
def ben(person):
    return Actor.by_token(person("editor"))


def write(story: Story, text: str, *, by: Actor, scene: int = 0) -> int:
    """Changes one scene; returns how many characters of SQL that wrote."""
    with CaptureQueriesContext(connection) as asked:
        scenes.update_scene(story, story.scenes.get(position=scene).key, {"text": text}, by=by)
    written = [q["sql"] for q in asked if q["sql"].startswith(("INSERT", "UPDATE"))]
    return sum(map(len, written))


def test_a_word_saved_in_a_full_story_writes_little(story, ines):
    assert write(story, "the first word after another's draft copies it", by=ines) > 200_000
    assert [write(story, f"word {n}", by=ines) < 3_000 for n in range(3)] == [True] * 3
    assert story.revisions.first().changes == 4


def test_the_open_revision_is_read_as_the_draft_is_now(story, ines, api):
    write(story, "a word", by=ines)
    kept = story.revisions.first()
    assert kept.content is None
    assert content_in(kept) == content_of(Story.objects.get(pk=story.pk))
    told = api.get(f"/stories/{story.pk}/revisions/{kept.number}").json()
    assert told["content"]["scenes"][0]["text"] == "a word"


def test_what_somebody_left_stays_when_another_goes_on(story, ines, ben):
    write(story, "what Ines left", by=ines)
    left = story.revisions.first()
    write(story, "what Ben wrote", by=ben)
    assert content_in(Revision.objects.get(pk=left.pk))["scenes"][0]["text"] == "what Ines left"
    assert content_in(story.revisions.first())["scenes"][0]["text"] == "what Ben wrote"


def test_what_somebody_left_in_the_studio_stays_when_their_script_goes_on(story, ines):
    write(story, "by hand", by=replace(ines, via="studio"))
    write(story, "by a script", by=ines)
    assert list(story.revisions.values_list("via", flat=True)) == ["api", "studio", "import"]


def test_a_revision_whose_draft_changes_while_it_is_read_is_never_a_mixture(story, ines, ben, monkeypatch):
    write(story, "what Ines left", by=ines)
    left, real = story.revisions.first(), content_of

    def read_while(change) -> dict:
        def changed_meanwhile(row):
            monkeypatch.undo()
            change()
            return real(row)

        monkeypatch.setattr("capsules.actions.keeping.content_of", changed_meanwhile)
        return content_in(left)

    mine = read_while(lambda: drafts.update_story(story, {"title": "Her own"}, by=ines))
    assert mine == content_of(Story.objects.get(pk=story.pk))
    assert read_while(lambda: write(story, "what Ben wrote", by=ben)) == mine


def test_a_change_that_is_refused_or_changes_nothing_writes_no_copy(story, ines, ben):
    write(story, "what Ines left", by=ines)
    key = story.scenes.get(position=0).key
    scenes.update_scene(story, key, {"text": "what Ines left"}, by=ben)
    with pytest.raises(Stale):
        scenes.update_scene(story, key, {"text": "too late"}, expected=[1], by=ben)
    assert story.revisions.get(kind="auto", via=Revision.Via.API, by=ines.user).content is None


def test_no_revision_changes_but_the_one_that_a_change_belongs_to(north_shore, ines, ben):
    """A hundred random steps of two people, compared with copies that are made of everything at once."""
    chance = random.Random(7)
    story = drafts.create_story(
        north_shore, {"title": "Short"}, [{"text": str(n)} for n in range(4)], by=None
    )

    def step() -> None:
        by, scene = chance.choice([ines, ben]), chance.choice(list(story.scenes.all()))
        match chance.choice(
            ["write"] * 8 + ["title", "late", "name", "name kept", "restore", "pause", "add", "drop"]
        ):
            case "write":
                scenes.update_scene(story, scene.key, {"text": str(chance.random())}, by=by)
            case "title":
                drafts.update_story(story, {"title": str(chance.random())}, by=by)
            case "late":
                changes = {"text": str(chance.random())}
                scenes.update_scene(story, scene.key, changes, expected=[scene.version - 1], by=by)
            case "name":
                revisions.name_revision(story, "Named", by=by)
            case "name kept":
                revisions.name_kept(story, chance.choice(list(story.revisions.all())), "Then", by=by)
            case "restore":
                revisions.restore_revision(story, chance.choice(list(story.revisions.all())), by=by)
            case "pause":
                story.revisions.update(created_at=F("created_at") - 601 * SECONDS)
            case "add":
                scenes.add_scenes(story, [{"text": "new"}], by=by)
            case "drop" if story.scenes.count() > 2:
                scenes.delete_scene(story, scene.key, by=by)

    before: dict[int, tuple[int, object]] = {}
    for _ in range(100):
        with suppress(CapsulesError):
            step()
        rows = list(story.revisions.all())
        now = {row.pk: (row.changes, content_in(row)) for row in rows}
        draft = content_of(Story.objects.get(pk=story.pk))
        for pk, (changes, content) in now.items():
            if pk in before and before[pk][0] == changes:
                assert before[pk][1] == content
            else:
                assert content == draft or Revision.objects.get(pk=pk).kind in ("conflict", "restored")
        before = now
    assert {row.kind for row in rows} >= {"auto", "named", "restored"}
