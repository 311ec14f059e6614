"""The lease of a publish: what it protects, and what becomes of the one that a killed process leaves behind."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from accounts.actors import Actor
from capsules.models import Story
from config.errors import Forbidden, Locked
from publishing import actions, baking, leases, slugs, tasks
from publishing.actions import PublishRequest
from publishing.leases import Lease
from publishing.models import Publication, Slug
from tests.support import factories

pytestmark = pytest.mark.django_db(transaction=True)


def lapse() -> None:
    """Ends every lease, as if its process had been silent for too long."""
    Publication.objects.filter(lease_token__isnull=False).update(lease_until=Now() - timedelta(seconds=1))


def killed_publish(story: Story, slug: str) -> Lease:
    """What is left of a publish that was killed after it had reserved its slug; its lease is still running."""
    publication = actions.publication_of(story)
    lease = Lease(publication.pk, uuid.uuid4())
    until = Now() + timedelta(minutes=1)
    Publication.objects.filter(pk=publication.pk).update(lease_token=lease.token, lease_until=until)
    assert slugs.reserve(lease, publication, slug) == slug
    return lease


def other_story(north_shore, rendered) -> Story:
    return factories.make_story(north_shore, rendered, title="Far shores")


def test_a_publish_that_lost_its_lease_goes_live_with_nothing(api, ready_story, owner):
    by = Actor.by_token(owner)
    publication = actions.publication_of(ready_story)
    with leases.leased(publication) as lease:
        bakes = [baking.bake(ready_story.latest_preview)]
        slugs.reserve(lease, publication, "first")
        lapse()
        assert api.publish(ready_story, slug="second").status_code == 200
        with pytest.raises(Locked, match="took over"):
            asked = PublishRequest("first")
            actions.go_live(lease, publication, slug="first", bakes=bakes, request=asked, by=by)
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


@pytest.mark.parametrize("slug, left", [("better", ["better", "taken"]), ("taken", ["taken"])])
def test_the_next_publish_of_a_killed_one_lets_go_of_its_slug_also_when_it_fails(
    slug, left, api, ready_story, north_shore, rendered
):
    api.publish(other_story(north_shore, rendered), slug="taken")
    killed_publish(ready_story, "abandoned")
    lapse()
    assert api.publish(ready_story, slug=slug).status_code == (200 if slug == "better" else 409)
    assert sorted(Slug.objects.values_list("text", flat=True)) == left


def test_the_sweep_ends_what_killed_publishes_left_and_nothing_that_is_running(
    ready_story, north_shore, rendered
):
    killed_publish(ready_story, "abandoned")
    lapse()
    running = killed_publish(other_story(north_shore, rendered), "running")
    tasks.sweep()
    assert list(Slug.objects.values_list("text", flat=True)) == ["running"]
    held = Publication.objects.exclude(lease_token=None).values_list("lease_token", flat=True)
    assert list(held) == [running.token]
    assert leases.sweep() == 0


def test_the_action_itself_asks_for_the_role_before_anything_else(north_shore, rendered, person):
    unready = factories.make_story(north_shore, rendered, preview=False)
    with pytest.raises(Forbidden, match="Your role"):
        actions.publish(unready, request=PublishRequest(), by=Actor.by_token(person("viewer")))
    with pytest.raises(Forbidden, match="Your role"):
        actions.unpublish(unready, by=Actor.by_token(person("viewer")))
    assert not Publication.objects.live().exists()
