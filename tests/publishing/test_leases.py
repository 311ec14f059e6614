"""The lease of a publish: what it protects, and what becomes of the one that a killed process leaves behind."""

from __future__ import annotations

import time
import uuid
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.test import Client

from accounts.actors import Actor
from capsules.models import Story
from config.errors import Conflict, Fault, Forbidden, Locked
from publishing import actions, baking, leases, slugs, tasks
from publishing.actions import PublishRequest
from publishing.leases import Lease
from publishing.models import Publication, Slug
from tests.support import factories

pytestmark = pytest.mark.django_db


def lapse() -> None:
    """Ends every lease, as if its process had been silent for too long."""
    Publication.objects.filter(lease_token__isnull=False).update(lease_until=Now() - timedelta(seconds=1))


def killed_publish(story: Story, slug: str) -> Lease:
    """What is left of a publish that was killed after it had reserved its slug; its lease is still running."""
    publication = actions.publication_of(story)
    lease = Lease(publication.pk, uuid.uuid4())
    until = Now() + timedelta(minutes=1)
    Publication.objects.filter(pk=publication.pk).update(lease_token=lease.token, lease_until=until)
    assert slugs.reserve_slug(lease, publication, slug) == slug
    return lease


def other_story(north_shore, rendered) -> Story:
    return factories.make_story(north_shore, rendered, title="Far shores")


def test_a_publish_that_lost_its_lease_goes_live_with_nothing(api, ready_story, owner):
    by = Actor.by_token(owner)
    publication = actions.publication_of(ready_story)
    with leases.leased(publication) as lease:
        bakes = [baking.bake(ready_story.latest_preview)]
        slugs.reserve_slug(lease, publication, "first")
        lapse()
        assert api.publish(ready_story, slug="second").status_code == 200
        with pytest.raises(Locked, match="took over") as refused:
            asked = PublishRequest("first")
            actions.go_live(lease, publication, slug="first", bakes=bakes, request=asked, by=by)
        assert refused.value.retry_after == 2
    assert api.state(ready_story).json()["slug"] == "second"
    assert list(Slug.objects.values_list("text", "lease_token")) == [("second", None)]


def test_a_lease_that_another_publish_took_over_is_not_renewed_and_not_dropped(ready_story):
    publication = actions.publication_of(ready_story)
    with leases.leased(publication) as first:
        first.renew()
        lapse()
        with leases.leased(publication) as second:
            with pytest.raises(Locked, match="took over") as refused:
                first.renew()
            assert refused.value.retry_after == 2
            first.drop()
            second.renew()
            with pytest.raises(Locked, match="being published"), leases.leased(publication):
                pass


def test_a_lease_that_lapsed_is_renewed_where_nobody_else_has_it(ready_story):
    publication = actions.publication_of(ready_story)
    with leases.leased(publication) as lease:
        lapse()
        lease.renew()
        assert not Publication.objects.lease_lapsed().exists()


def test_a_slug_of_a_killed_publish_is_free_for_others_as_soon_as_its_lease_ended(
    api, ready_story, north_shore, rendered
):
    killed_publish(ready_story, "wanted")
    other = other_story(north_shore, rendered)
    assert api.publish(other, slug="wanted").status_code == 409
    lapse()
    assert api.publish(other, slug="wanted").status_code == 200


def test_a_publication_takes_a_free_slug_or_its_own_and_not_anothers(live_story, north_shore, rendered):
    publication = actions.publication_of(live_story)
    killed_publish(other_story(north_shore, rendered), "far")
    lease = Lease(publication.pk, uuid.uuid4())
    told = [slugs.take(lease, publication, text) for text in ("small-voyages", "far", "free")]
    assert told == [True, False, True]
    with pytest.raises(Conflict, match="This slug is already taken") as refused:
        slugs.reserve_slug(lease, publication, "far")
    assert refused.value.faults == [Fault("slug", "Another capsule has this slug.")]
    assert slugs.reserve_slug(lease, publication, None) == "small-voyages"
    assert slugs.reserve_slug(lease, publication, "free") == "free"


def test_a_publish_waits_for_encodes_as_long_as_it_is_told_and_gives_its_lease_back(
    north_shore, rendered, owner, settings
):
    settings.ENCODE_WAIT, settings.PUBLISH_LEASE = 60, 1
    unready = factories.make_story(north_shore, rendered, encoded=False)
    publication = actions.publication_of(unready)
    began = time.monotonic()
    with pytest.raises(Locked, match="still encoding") as refused:
        actions.publish(unready, request=PublishRequest(), by=Actor.by_token(owner), encode_wait=1.5)
    assert 1.5 <= time.monotonic() - began < 30 and refused.value.retry_after == 10
    publication.refresh_from_db()
    assert publication.lease_token is None


def test_the_next_publish_of_a_killed_one_lets_go_of_its_slug_also_when_it_fails(
    api, ready_story, north_shore, rendered
):
    api.publish(other_story(north_shore, rendered), slug="taken")
    killed_publish(ready_story, "abandoned")
    lapse()
    assert api.publish(ready_story, slug="taken").status_code == 409
    assert list(Slug.objects.values_list("text", flat=True)) == ["taken"]


def test_the_sweep_ends_what_killed_publishes_left_and_nothing_that_is_running(
    ready_story, north_shore, rendered
):
    killed_publish(ready_story, "abandoned")
    lapse()
    running = killed_publish(other_story(north_shore, rendered), "running")
    assert tasks.sweep() == 1
    assert list(Slug.objects.values_list("text", flat=True)) == ["running"]
    held = Publication.objects.exclude(lease_token=None).values_list("lease_token", flat=True)
    assert list(held) == [running.token]
    assert leases.free_lapsed_leases() == 0


def test_the_action_itself_asks_for_the_role_before_anything_else(north_shore, rendered, person):
    unready = factories.make_story(north_shore, rendered, preview=False)
    with pytest.raises(Forbidden, match="Your role"):
        actions.publish(unready, request=PublishRequest(), by=Actor.by_token(person("viewer")))
    with pytest.raises(Forbidden, match="Your role"):
        actions.unpublish(unready, by=Actor.by_token(person("viewer")))
    assert not Publication.objects.live().exists()


def test_a_publish_that_was_silent_for_too_long_does_not_take_a_slug_that_went_to_another(
    north_shore, rendered, owner, monkeypatch
):
    silent, quick = (factories.make_story(north_shore, rendered, title=f"Story {n}") for n in range(2))
    api, bake = factories.Api(Client(raise_request_exception=False), owner), baking.bake
    answers = []

    def meanwhile(preview):
        if preview.story_id == silent.pk and not answers:
            lapse()
            answers.append(api.publish(quick, slug="the-one").status_code)
        return bake(preview)

    monkeypatch.setattr(baking, "bake", meanwhile)
    late = api.publish(silent, slug="the-one")
    assert (answers, late.status_code) == ([200], 423), late.content
    assert late["Retry-After"]
    assert list(Publication.objects.live().values_list("story", "slug")) == [(quick.pk, "the-one")]
    assert list(Slug.objects.values_list("text", "publication__story")) == [("the-one", quick.pk)]
