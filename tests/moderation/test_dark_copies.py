"""Copies of what was taken down stay unpublished however they were made, and its address stays kept."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps

from accounts.actors import Actor
from capsules.actions import trash
from capsules.models import Origin, Story
from config.errors import Locked
from publishing import dark
from publishing.models import Case, HeldSlug
from publishing.moderation import actions as moderation
from tests.support import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def copied(api):
    """A copy of a story, as its author makes one."""

    def copy(story) -> Story:
        answer = api.call("POST", f"/stories/{story.pk}/duplicate", {})
        return Story.objects.get(pk=answer.json()["id"])

    return copy


@pytest.fixture
def purge(owner):
    def gone(story: Story) -> None:
        by = Actor.by_token(owner)
        trash.trash_story(story, unpublish=True, by=by)
        trash.purge_story(Story.objects.get(pk=story.pk), title=story.title, by=by)

    return gone


def is_locked(story: Story) -> bool:
    try:
        dark.check_may_go_public(Story.objects.get(pk=story.pk))
    except Locked:
        return True
    return False


def test_a_copy_stays_locked_when_its_original_is_deleted_forever(live_story, freeze, copied, purge, staff):
    early, between = copied(live_story), copied(live_story)
    case = freeze(live_story)
    late, last = copied(live_story), copied(between)
    purge(live_story), purge(between)
    assert [is_locked(story) for story in (early, late, last)] == [True] * 3
    moderation.lift(Case.objects.get(pk=case.pk), by=staff)
    assert not any(is_locked(story) for story in (early, late, last))


def test_it_helps_nobody_to_delete_what_lies_between_before_the_freeze(live_story, freeze, copied, purge):
    between = copied(live_story)
    last = copied(between)
    purge(between), freeze(live_story)
    assert is_locked(last)


def test_a_copy_of_an_edition_and_an_edition_of_a_copy_are_copies(live_story, rendered, freeze, copied):
    edition = factories.make_edition(live_story, rendered, "short")
    of_edition, copy = copied(edition), copied(live_story)
    of_copy = factories.make_edition(copy, rendered, "short")
    again = copied(of_copy)
    freeze(edition)
    assert all(is_locked(story) for story in (of_edition, copy, of_copy, again))


def test_what_a_copy_was_made_of_is_not_locked_with_it(live_story, api, freeze, copied):
    copy = copied(live_story)
    freeze(copy)
    assert is_locked(copy) and not is_locked(live_story)


@pytest.mark.both_databases
def test_the_address_is_kept_until_the_case_has_ended(live_story, rendered, api, freeze, purge, owner, staff):
    case = freeze(live_story)
    other = factories.make_story(live_story.workspace, rendered, title="Small voyages")
    moderation.appeal(case, "Why?", by=owner)
    purge(live_story)
    assert api.publish(other, slug="small-voyages").status_code == 409
    assert api.publish(other).json()["slug"] == "small-voyages-2", "nor is it taken by itself"
    moderation.lift(Case.objects.get(), words="Decided.", by=staff)
    assert not HeldSlug.objects.exists()
    assert api.publish(other, slug="small-voyages").status_code == 200


@pytest.mark.both_databases
def test_what_was_copied_and_frozen_before_is_found_by_the_migrations(live_story, rendered, freeze, copied):
    edition = factories.make_edition(live_story, rendered, "short")
    first = copied(edition)
    second, case = copied(first), freeze(live_story)
    known = set(Origin.objects.values_list("story", "original"))
    Origin.objects.all().delete(), HeldSlug.objects.all().delete(), Case.objects.update(about=None)
    import_module("capsules.migrations.0021_origins_of_copies").note_origins(apps, None)
    import_module("publishing.migrations.0022_what_cases_are_about").note_stories(apps, None)
    assert set(Origin.objects.values_list("story", "original")) == known and len(known) == 5
    assert is_locked(second) and Case.objects.get(pk=case.pk).about == live_story.pk
    assert list(HeldSlug.objects.values_list("text", "case")) == [("small-voyages", case.pk)]
