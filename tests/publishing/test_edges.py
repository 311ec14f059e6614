"""Slugs, leases and states of publications, each rule with its edges."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from capsules.models import Story
from publishing import slugs, states
from publishing.leases import Lease
from publishing.models import Case, HeldSlug, Publication, Slug
from tests.support import factories

HOUR = timedelta(hours=1)


@pytest.mark.parametrize("slug, good", [
    ("a", True), ("a-b-2", True), ("a" * 50, True), ("a" * 51, False), ("A", False), ("a--b", False), ("-a", False),
    ("a-", False), ("a_b", False), ("a b", False), ("", False), ("é", False), ("a\n", False), ("٣", False),
])  # fmt: skip
def test_what_a_slug_is(slug, good):
    assert (slugs.rule_fault(slug) is None) is good


@pytest.fixture
def two(live_story, north_shore, rendered) -> tuple[Publication, Publication]:
    other = factories.make_story(north_shore, rendered, title="Small voyages")
    return Publication.objects.get(story=live_story), Publication.objects.create(story=other)


def lease_of(publication: Publication, until: timedelta = HOUR) -> Lease:
    token = uuid4()
    Publication.objects.filter(pk=publication.pk).update(
        lease_token=token, lease_until=timezone.now() + until
    )
    return Lease(publication.pk, token)


@pytest.mark.both_databases
@pytest.mark.django_db
def test_a_title_of_hundreds_of_capsules_has_its_slug_in_a_few_queries(two, django_assert_max_num_queries):
    live, fresh = two
    lease = lease_of(fresh)
    numbered = [f"small-voyages-{number}" for number in range(2, 130)]
    Slug.objects.bulk_create(Slug(text=text, publication=live) for text in numbered)
    case = Case.objects.create(subject="/north-shore/held")
    HeldSlug.objects.create(text="small-voyages-130", case=case)
    with django_assert_max_num_queries(2):
        assert slugs.suggested_slug(fresh) == "small-voyages-131"
    with django_assert_max_num_queries(10):
        assert slugs.reserve_slug(lease, fresh, None) == "small-voyages-131"
    assert slugs.suggested_slug(fresh) == "small-voyages-131", "it has it already"
    lease_of(fresh, -HOUR)
    assert slugs.suggested_slug(Publication(story=fresh.story)) == "small-voyages-131", "nobody uses it"


@pytest.mark.django_db
def test_the_address_of_what_was_taken_down_is_kept_for_its_own_capsule(two):
    live, fresh = two
    lease_of(live, -HOUR)
    assert not slugs.take(lease_of(fresh), fresh, "small-voyages"), (
        "it is live, however its next publish ended"
    )
    held = HeldSlug.objects.create(text="held", case=Case.objects.create(subject="/north-shore/held"))
    assert not slugs.take(lease_of(fresh), fresh, "held")
    Slug.objects.create(text="held", publication=live)
    assert slugs.take(lease_of(live), live, "held") and not slugs.take(lease_of(fresh), fresh, "held")
    held.delete()
    live.slugs.filter(text="held").delete()
    assert slugs.take(lease_of(fresh), fresh, "held")
    slugs.free_slugs(live)
    assert fresh.slugs.exists() and not live.slugs.exists()


# --- States ---------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("shown", [True, False])
def test_the_state_of_a_story_and_of_its_edition(shown, live_story, rendered, api):
    edition = factories.make_edition(live_story, rendered, "short", shown=shown)
    assert not states.state_of(edition).is_published, "it has no bake yet"
    assert api.publish(edition).status_code == 200
    for story in (edition, live_story):
        story.refresh_from_db()
    own, whole = states.state_of(edition), states.state_of(live_story)
    assert states.publication_target(edition) == (live_story if shown else edition)
    assert whole.url == "/north-shore/small-voyages" and own.is_published and whole.is_published
    assert own.url == (f"{whole.url}?edition=short" if shown else f"/north-shore/{own.slug}")
    assert (own.slug == whole.slug) is shown
    assert Story.objects.filter(pk=edition.pk, pk__in=states.live_story_ids()).exists() is not shown
    Story.objects.filter(pk=live_story.pk).update(visibility="unlisted")
    edition = Story.objects.get(pk=edition.pk)
    assert states.state_of(edition).unlisted is shown
    Publication.objects.filter(story=live_story).update(published_at=None)
    gone, own = states.state_of(Story.objects.get(pk=live_story.pk)), states.state_of(edition)
    assert (gone.is_published, gone.url, gone.published_at, gone.slug) == (False, None, None, "small-voyages")
    assert own.is_published is not shown and states.public_link(live_story) is None
    assert set(states.states_of([live_story, edition])) == {live_story.pk, edition.pk}
