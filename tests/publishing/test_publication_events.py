"""What is noted of a publication, whoever changes it: the version, the slug, who it was; and how a story leaves."""

from __future__ import annotations

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import SecurityEvent
from capsules.actions import drafts, previews
from capsules.models import Story
from config.errors import Conflict, Locked
from publishing import actions, leases
from publishing.models import Bake, Publication, PublicationEvent
from publishing.signals import publication_changed
from tests.support import factories
from tests.support.moderation import make_staff

pytestmark = pytest.mark.django_db


def events(story) -> list[tuple]:
    """Oldest first: action, who, version, detail."""
    rows = PublicationEvent.objects.filter(story=story).order_by("pk").select_related("by", "bake")
    return [(row.action, row.by and row.by.name, row.bake and row.bake.number, row.detail) for row in rows]


def test_each_change_of_a_publication_is_noted_with_its_version(api, ready_story):
    api.publish(ready_story, slug="first")
    api.publish(ready_story, slug="second")
    assert api.unpublish(ready_story).status_code == 200
    assert api.unpublish(ready_story).status_code == 200  # which changes nothing
    api.publish(ready_story)
    api.unpublish(ready_story, "?releaseSlug=true")
    assert events(ready_story) == [
        ("published", "Owner", 1, {"slug": "first"}),
        ("republished", "Owner", 1, {"slug": "second"}),
        ("unpublished", "Owner", 1, {"released": False}),
        ("published", "Owner", 1, {"slug": "second"}),
        ("unpublished", "Owner", 1, {"released": True}),
    ]


def test_the_audit_log_says_who_made_what_public_and_took_it_back(api, ready_story, owner, north_shore):
    SecurityEvent.objects.all().delete()
    api.publish(ready_story)
    api.unpublish(ready_story)
    api.publish(ready_story)
    assert api.call("DELETE", f"/stories/{ready_story.pk}?unpublish=true").status_code == 200
    noted = SecurityEvent.objects.order_by("pk").values_list("kind", "user", "subject", "workspace")
    path = "/north-shore/small-voyages"
    assert (
        list(noted)
        == [
            ("published", owner.pk, path, north_shore.pk),
            ("unpublished", owner.pk, path, north_shore.pk),
        ]
        * 2
    )


def test_an_edition_is_noted_by_itself_and_is_known_once_it_was_live(api, live_story, rendered):
    edition = factories.make_edition(live_story, rendered)
    api.publish(edition)
    assert events(edition) == [("republished", "Owner", 1, {"slug": "small-voyages"})]
    assert len(events(live_story)) == 1


def test_a_chosen_level_is_noted_and_changes_nothing_else(live_story, by):
    Story.objects.filter(pk=live_story.pk).update(title="Renamed meanwhile")
    actions.set_visibility(live_story, "private", by=by)
    live_story.refresh_from_db()
    assert (live_story.visibility, live_story.title) == ("private", "Renamed meanwhile")
    assert not actions.state_of(live_story).is_published
    assert events(live_story)[-2:] == [
        ("unpublished", "Owner", 1, {"released": False}),
        ("visibility", "Owner", None, {"before": "public", "after": "private"}),
    ]


def test_another_name_of_an_edition_renews_the_pages_of_story_and_capsule(live_story, rendered, by, api):
    edition = factories.make_edition(live_story, rendered)
    api.publish(edition)
    renewed = []

    def seen(publication, **kwargs) -> None:
        renewed.append(publication.story_id)

    publication_changed.connect(seen)
    drafts.update_story(edition, {"edition_label": "For the classroom"}, by=by)
    publication_changed.disconnect(seen)
    assert set(renewed) == {live_story.pk, edition.pk}
    assert len(events(edition)) == 1


# --- To the trash ----------------------------------------------------------------------------------------------


def leave(story, by, *, unpublish: bool) -> None:
    with transaction.atomic():
        actions.leave_public(story, unpublish=unpublish, by=by)


def test_a_live_story_leaves_only_where_that_is_said_and_keeps_its_slug(live_story, by, api):
    with pytest.raises(Conflict, match="This story is live"):
        leave(live_story, by, unpublish=False)
    assert api.state(live_story).json()["isPublished"]
    leave(live_story, by, unpublish=True)
    state = api.state(live_story).json()
    assert (state["isPublished"], state["slug"]) == (False, "small-voyages")
    assert events(live_story)[-1] == ("unpublished", "Owner", 1, {"trashed": True})


def test_a_story_that_nobody_reads_leaves_without_a_word(ready_story, by):
    leave(ready_story, by, unpublish=False)
    assert events(ready_story) == []


def test_an_edition_that_is_not_shown_any_more_leaves_with_its_version(api, live_story, rendered, by):
    edition = factories.make_edition(live_story, rendered)
    api.publish(edition)
    edition.shown = False
    edition.save()
    leave(edition, by, unpublish=False)
    assert events(edition)[-1] == ("unpublished", "Owner", 1, {"trashed": True})
    assert Publication.objects.get(story=edition).live_bake is None


def test_a_story_that_is_being_published_does_not_leave(live_story, by):
    with leases.leased(actions.publication_of(live_story)):
        with pytest.raises(Locked, match="is being published at the moment") as refused:
            leave(live_story, by, unpublish=True)
        assert refused.value.retry_after == 2
        with pytest.raises(Locked, match="is being published at the moment") as refused:
            actions.unpublish(live_story, by=by)
        assert refused.value.retry_after == 2


def test_a_version_that_readers_lost_is_dated_and_no_other(api, live_story, rendered):
    def replaced() -> list[bool]:
        return [bake.replaced_at is not None for bake in Bake.objects.order_by("pk")]

    api.publish(live_story)
    assert replaced() == [False]
    Story.objects.filter(pk=live_story.pk).update(title="Larger voyages")
    live_story.refresh_from_db()
    previews.build_preview(live_story)
    factories.finish_encodes(rendered)
    api.publish(live_story)
    assert replaced() == [True, False]
    api.unpublish(live_story)
    assert replaced() == [True, True]


def test_the_audit_log_tells_an_edition_from_its_capsule(api, live_story, rendered):
    edition = factories.make_edition(live_story, rendered)
    for story, subject in [
        (live_story, "/north-shore/small-voyages"),
        (edition, "/north-shore/small-voyages?edition=classroom"),
    ]:
        assert api.publish(story).status_code == 200
        assert SecurityEvent.objects.filter(kind="published").latest("pk").subject == subject


def contents_read(asked: CaptureQueriesContext) -> list[str]:
    return [query["sql"] for query in asked if '"publishing_bake"."content"' in query["sql"]]


def test_a_list_that_shows_numbers_of_versions_reads_none_of_their_contents(live_story, api, sign_in):
    page = reverse("studio_capsules", kwargs={"workspace": live_story.workspace_id})
    with CaptureQueriesContext(connection) as asked:
        assert api.get(f"/stories/{live_story.pk}/publication/history").json()["items"][0]["version"] == 1
        assert not sign_in("owner").get(page).context["cards"][0].has_unpublished_changes
    assert contents_read(asked) == []


@pytest.mark.parametrize("model", ["publication", "bake", "publicationevent"])
def test_no_list_of_staff_reads_the_contents_of_versions(model, live_story, client):
    client.force_login(make_staff())
    with CaptureQueriesContext(connection) as asked:
        page = client.get(reverse(f"admin:publishing_{model}_changelist"))
    assert str(live_story) in page.content.decode()
    assert contents_read(asked) == []
