"""The history has a copy of a draft once somebody else goes on with it, not at every word that is saved."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.actors import Actor
from capsules.actions import drafts, scenes
from capsules.actions.keeping import content_in, content_of
from capsules.models import Revision, Story
from config.errors import Stale

pytestmark = pytest.mark.django_db


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
