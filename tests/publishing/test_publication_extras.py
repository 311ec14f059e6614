"""Around a publication: visibility, options, history, earlier versions, the premiere's outlook, the audience."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from accounts import housekeeping as accounts_housekeeping
from accounts.actions import erasing
from accounts.models import User
from capsules import housekeeping
from capsules.models import Encode, Preview, Revision, Scene, Story
from publishing import leases, restoring
from publishing.models import (
    Bake,
    Case,
    Delivery,
    HeldSlug,
    Outcome,
    Premiere,
    Publication,
    PublicationEvent,
    Subscriber,
)
from tests.publishing.test_answers import another_bake
from tests.support import factories
from tests.support.mail import begin, subscribe

pytestmark = pytest.mark.django_db


def path(story, more="") -> str:
    return f"/stories/{story.pk}{more}"


def republish(api, story, rendered, words: str) -> None:
    scene = api.get(path(story, "/scenes")).json()["items"][0]
    assert api.call("PATCH", path(story, f"/scenes/{scene['id']}"), {"text": words}).status_code == 200
    api.call("POST", path(story, "/previews"))
    factories.finish_encodes(rendered)
    assert api.publish(story).status_code == 200


def test_visibility_is_chosen_without_a_publish(api, live_story, client):
    link = api.state(live_story).json()["url"]
    answer = api.call("PUT", path(live_story, "/visibility"), {"visibility": "unlisted"})
    assert (answer.status_code, answer.json()["publication"]["unlisted"]) == (200, True)
    assert b"noindex" in client.get(link).content
    api.call("PUT", path(live_story, "/visibility"), {"visibility": "private"})
    assert client.get(link).status_code == 404
    refused = api.call("PUT", path(live_story, "/visibility"), {"visibility": "secret"})
    assert refused.json()["details"][0]["path"] == "visibility"


def test_an_earlier_version_goes_live_again_at_once_and_tells_nobody(api, live_story, client):
    another_bake(live_story.publication.live_bake)
    link = api.state(live_story).json()["url"]
    assert b"Other words" in client.get(link).content
    versions = api.get(path(live_story, "/publication/versions")).json()["items"]
    assert [(v["number"], v["isLive"]) for v in versions] == [(2, True), (1, False)]
    Preview.objects.all().delete()  # nothing is rendered, so nothing of it is needed
    answer = api.call("POST", path(live_story, "/publication/versions/1/restore"))
    assert (answer.status_code, answer.json()["isRepublish"], answer.json()["url"]) == (200, True, link)
    page = client.get(link).content
    assert b"Other words" not in page and b"Small voyages" in page
    assert Premiere.objects.get().armings == 1
    assert api.call("POST", path(live_story, "/publication/versions/9/restore")).status_code == 409
    api.unpublish(live_story)
    assert api.call("POST", path(live_story, "/publication/versions/1/restore")).status_code == 409


def test_no_earlier_version_goes_live_while_a_publish_runs(api, live_story, client):
    another_bake(live_story.publication.live_bake)
    link = api.state(live_story).json()["url"]
    with leases.leased(live_story.publication):
        refused = api.call("POST", path(live_story, "/publication/versions/1/restore"))
    assert (refused.status_code, refused.json()["error"]) == (423, leases.BUSY)
    assert b"Other words" in client.get(link).content
    assert api.call("POST", path(live_story, "/publication/versions/1/restore")).status_code == 200


def test_the_last_ten_versions_are_kept_and_older_ones_go(api, live_story, settings):
    settings.BAKES_KEPT = 2
    old = timezone.now() - timedelta(days=3)
    Bake.objects.bulk_create(
        Bake(story=live_story, number=n, digest=str(n), content={}, replaced_at=old + timedelta(hours=n))
        for n in range(2, 7)
    )
    assert restoring.forget_old_bakes() == 3
    assert sorted(Bake.objects.values_list("number", flat=True)) == [1, 5, 6]
    assert restoring.forget_old_bakes() == 0


@pytest.mark.both_databases
def test_ten_versions_can_go_live_again_however_many_were_published_today(api, live_story, settings):
    settings.BAKES_KEPT = 2
    now, content = timezone.now(), live_story.publication.live_bake.content
    Bake.objects.bulk_create(
        Bake(
            story=live_story,
            number=n,
            digest=str(n),
            content=content,
            replaced_at=now - timedelta(hours=9 - n),
        )
        for n in range(2, 7)
    )
    listed = api.get(path(live_story, "/publication/versions")).json()["items"]
    assert [version["number"] for version in listed] == [6, 5, 1]
    assert api.call("POST", path(live_story, "/publication/versions/4/restore")).status_code == 409
    assert {4, 3, 2} <= {bake.number for bake in restoring.kept_bakes()}, (
        "whose files readers may still be fetching"
    )


@pytest.mark.both_databases
def test_the_versions_of_a_capsule_are_ranked_without_those_of_all_others(live_story):
    ranked = str(restoring.kept_of(live_story).query).partition("ROW_NUMBER")[2]
    assert live_story.pk.hex in ranked.replace("-", "")


def test_the_history_goes_back_as_long_as_events_are_kept(api, live_story, settings):
    api.unpublish(live_story)
    first = PublicationEvent.objects.order_by("pk").first()
    PublicationEvent.objects.filter(pk=first.pk).update(
        at=timezone.now() - timedelta(days=settings.PUBLICATION_EVENTS_KEPT, minutes=1)
    )
    assert accounts_housekeeping.forget_what_expired()["events of publications"] == 1
    items = api.get(path(live_story, "/publication/history")).json()["items"]
    assert [event["action"] for event in items] == ["unpublished"]


def test_the_history_says_who_changed_what_readers_see(api, live_story, person, workspace_key):
    api.as_(person("editor")).call("PUT", path(live_story, "/visibility"), {"visibility": "featured"})
    api.with_key(workspace_key).unpublish(live_story)
    api.with_key(workspace_key).unpublish(live_story)
    items = api.get(path(live_story, "/publication/history")).json()["items"]
    assert [(e["action"], e["by"], e["via"]) for e in items] == [
        ("unpublished", "Owner", "key"),
        ("visibility", "Editor", "token"),
        ("published", "Owner", "token"),
    ]
    User.objects.filter(name="Editor").update(name="")
    assert api.get(path(live_story, "/publication/history")).json()["items"][1]["by"] is None, "no address"
    assert items[1]["detail"] == {"before": "public", "after": "featured"}
    first = api.get(path(live_story, "/publication/history?limit=2")).json()
    rest = api.get(path(live_story, f"/publication/history?limit=2&cursor={first['nextCursor']}")).json()
    assert ([e["action"] for e in rest["items"]], rest["nextCursor"]) == (["published"], None)
    assert Revision.objects.filter(kind="published", label="Version 1").exists()


def test_options_tell_what_a_publish_would_do(api, ready_story, north_shore):
    subscribe(north_shore, 3)
    before = api.get(path(ready_story, "/publication/options")).json()
    assert (before["suggestedSlug"], before["isFirstPublish"]) == ("small-voyages", True)
    assert before["premiere"] == {"willBeSent": True, "recipients": 3, "modes": ["FULL", "TEASER", "OFF"]}
    assert before["link"].endswith("/north-shore/small-voyages")
    api.publish(ready_story)
    after = api.get(path(ready_story, "/publication/options")).json()
    assert (after["isFirstPublish"], after["premiere"]["willBeSent"]) == (False, False)


def test_a_slug_is_suggested_that_a_publish_would_take(api, live_story, north_shore, rendered):
    namesake = factories.make_story(north_shore, rendered)
    suggested = api.get(path(namesake, "/publication/options")).json()["suggestedSlug"]
    letter = api.get(path(namesake, "/premiere/letter?mode=FULL")).json()
    assert suggested != "small-voyages" == live_story.publication.slug
    assert f"/north-shore/{suggested}?from=mail\n" in letter["text"], "and the letter links there"
    assert api.publish(namesake).json()["slug"] == suggested


def test_a_premiere_is_seen_read_and_cancelled_for_ever(api, ready_story, north_shore):
    subscribe(north_shore, 3)
    assert api.get(path(ready_story, "/premiere")).json() == {
        "state": "none",
        "mode": None,
        "dueAt": None,
        "recipients": 3,
        "counts": {},
        "note": "",
    }
    refused = api.call("DELETE", path(ready_story, "/premiere"))
    assert (refused.status_code, refused.json()["error"]) == (409, "There is no premiere email to cancel.")
    for mode, is_whole in (("FULL", True), ("TEASER", False)):
        letter = api.get(path(ready_story, f"/premiere/letter?mode={mode}")).json()
        for shown in (letter["html"], letter["text"]):
            assert "This is scene 1" in shown and ("This is scene 3" in shown) is is_whole
            assert "/unsubscribe/of-the-recipient" in shown, "nobody's own link"
        assert letter["subject"] == "Small voyages"
    api.publish(ready_story, premiereEmailMode="TEASER")
    told = api.get(path(ready_story, "/premiere")).json()
    assert (told["state"], told["mode"], told["recipients"]) == ("scheduled", "TEASER", 3)
    cancelled = api.call("DELETE", path(ready_story, "/premiere")).json()
    assert (cancelled["state"], cancelled["mode"], cancelled["note"]) == (
        "cancelled",
        "OFF",
        "Cancelled by Owner.",
    )
    again = api.call("DELETE", path(ready_story, "/premiere"))
    assert (again.status_code, again.json()["error"]) == (409, "This premiere is already cancelled.")
    assert not Delivery.objects.exists()
    event = PublicationEvent.objects.get(action="premiere cancelled")
    assert (event.story, event.by) == (ready_story, ready_story.workspace.memberships.get(role="owner").user)


@pytest.mark.both_databases
def test_a_premiere_that_is_being_sent_tells_how_far_it_is(api, live_story, north_shore):
    subscribe(north_shore, 3)
    premiere = begin(Premiere.objects.get())
    subscribe(north_shore, 5)  # two more, for the next premiere
    Delivery.objects.filter(email="reader-1@readers.example").record(Outcome(Delivery.State.SENT))
    told = api.get(path(live_story, "/premiere")).json()
    assert (told["state"], told["recipients"], told["counts"]) == ("sending", 3, {"sent": 1, "pending": 2})
    assert parse_datetime(told["dueAt"]) == Premiere.objects.get(pk=premiere.pk).due_at


@pytest.mark.both_databases
def test_a_letter_needs_a_finished_preview_of_the_draft_as_it_is(api, ready_story, rendered, north_shore):
    def letter(story) -> tuple[int, str]:
        answer = api.get(path(story, "/premiere/letter?mode=FULL"))
        return answer.status_code, answer.json().get("error", "")

    refusal = (409, "Build a preview first: the letter shows what it has.")
    assert letter(factories.make_draft(north_shore)) == refusal
    assert letter(ready_story)[0] == 200
    Encode.objects.update(state=Encode.State.QUEUED)
    assert letter(ready_story) == refusal
    Encode.objects.update(state=Encode.State.DONE)
    Story.objects.filter(pk=ready_story.pk).update(revision=ready_story.revision + 1)
    assert letter(ready_story) == refusal


def test_the_letter_of_a_live_capsule_shows_what_readers_get(api, live_story, rendered, north_shore):
    other = factories.make_story(north_shore, rendered, title="Another")
    api.publish(other)
    for story, title in ((live_story, "Small voyages"), (other, "Another")):
        Story.objects.filter(pk=story.pk).update(title="Only in the draft", revision=F("revision") + 1)
        assert api.get(path(story, "/premiere/letter?mode=FULL")).json()["subject"] == title


def test_the_audience_is_told_in_numbers_to_every_member(api, north_shore, person):
    subscribe(north_shore, 4)
    Subscriber.objects.filter(email="reader-1@readers.example").update(unsubscribed_at=timezone.now())
    answer = api.get(f"/workspaces/{north_shore.pk}/audience")
    assert answer.json() == {"active": 3, "closed": 0, "left": 1}
    assert api.as_(person("viewer")).get(f"/workspaces/{north_shore.pk}/audience").status_code == 200
    assert api.as_(person("stranger")).get(f"/workspaces/{north_shore.pk}/audience").status_code == 404


def test_what_is_old_is_forgotten_and_what_somebody_needs_stays(api, live_story, ready_story, rendered):
    other = factories.make_story(live_story.workspace, rendered, title="Old")
    api.call("DELETE", path(other))
    scene = live_story.scenes.first()
    api.call("DELETE", path(live_story, f"/scenes/{scene.key}"))
    republish(api, factories.make_story(live_story.workspace, rendered, title="New"), rendered, "x")
    assert not any(housekeeping.forget_what_is_old().values()), "nothing is old yet"
    long_ago = timezone.now() - timedelta(days=40)
    Story.objects.filter(pk=other.pk).update(deleted_at=long_ago)
    Scene.every.filter(pk=scene.pk).update(deleted_at=long_ago)
    Preview.objects.update(created_at=long_ago)
    Revision.objects.update(updated_at=long_ago)
    removed = housekeeping.forget_what_is_old()
    assert (removed["stories"], removed["scenes"], removed["previews"]) == (1, 1, 1)
    assert not Story.objects.filter(pk=other.pk).exists()
    assert live_story.previews.exists() and Revision.objects.filter(kind="published").exists()
    assert not any(housekeeping.forget_what_is_old().values()), "a second run finds nothing"


def test_who_cancelled_a_premiere_is_named_no_more_once_the_account_is_deleted(api, ready_story, person):
    api.publish(ready_story, premiereEmailMode="TEASER")
    admin = person("admin")
    told = api.as_(admin).call("DELETE", path(ready_story, "/premiere")).json()
    assert admin.name in told["note"]
    erasing.erase_user(admin, by=admin)
    told = api.get(path(ready_story, "/premiere")).json()
    assert told["note"] == "Cancelled by somebody whose account was deleted."


def test_the_options_of_an_edition_tell_the_link_that_readers_of_its_capsule_have(
    api, live_story, rendered, ready_story
):
    edition = factories.make_edition(live_story, rendered)
    told = api.get(path(edition, "/publication/options")).json()
    assert told["currentSlug"] == told["suggestedSlug"] == Publication.objects.get(story=live_story).slug
    assert api.unpublish(live_story).status_code == 200
    told = api.get(path(edition, "/publication/options")).json()
    assert (told["currentSlug"], told["suggestedSlug"]) == (None, "small-voyages")


def test_a_slug_that_is_held_for_another_capsule_is_not_suggested(api, ready_story):
    HeldSlug.objects.create(text="small-voyages", case=Case.objects.create(subject="/a/small-voyages"))
    assert api.get(path(ready_story, "/publication/options")).json()["suggestedSlug"] == "small-voyages-2"
