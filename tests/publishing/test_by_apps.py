"""What apps make public: how the person stands behind it, is told of it, and stops it."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.core.signing import Signer
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.actions import connections
from accounts.actors import PREPARES_ONLY, Actor
from accounts.models import Connection, Membership
from config.errors import Conflict
from publishing import actions
from publishing.by_apps.prospects import Way, prospect_of, way_of
from publishing.going_live import NeedsPerson
from publishing.models import Premiere, PublicationEvent, PublishNotice
from tests.support import mail
from tests.support.apps import is_live, tell
from tests.support.factories import make_edition, make_story
from tests.support.markup import parsed, words_of
from tests.support.oauth import App, one_line
from tests.support.stop_links import links

pytestmark = pytest.mark.django_db

READ = "publications:read"
BASE = settings.APP_URL


def premiere() -> str:
    return Premiere.objects.get().state


# --- Who decides -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "permission, ways",
    [("publications:write", [Way.ASK, Way.TELL]), (PREPARES_ONLY, [Way.PRESS, Way.PRESS])],
)
def test_whatever_is_no_republish_has_a_person_behind_it(permission, ways, connected, ready_story, owner):
    by = connected(permission)
    person = Actor.by_token(owner)

    def found() -> list[Way]:
        return [way_of(ready_story, by=by, can_ask=can_ask) for can_ask in (True, False)]

    assert found() == ways
    actions.publish(ready_story, request=actions.PublishRequest(), by=person)
    assert found() == [Way.REPUBLISH] * 2
    actions.unpublish(ready_story, by=person)
    assert found() == ways


def test_an_own_token_is_asked_or_told_of(owner, ready_story):
    assert way_of(ready_story, by=Actor.by_token(owner), can_ask=True) == Way.ASK
    assert way_of(ready_story, by=Actor.by_token(owner), can_ask=False) == Way.TELL


def test_an_app_that_only_prepares_makes_nothing_public_by_any_door(owner, ready_story):
    app = App(owner).connect("publications:read publications:write", grant=f"{READ} {PREPARES_ONLY}")
    path = f"/stories/{ready_story.pk}/publication"
    refused = app.call("PUT", path, {"premiereEmailMode": "OFF"})
    assert refused.status_code == 403
    assert f"/studio/stories/{ready_story.pk}/publish" in refused.json()["error"]
    assert not is_live(ready_story)
    actions.publish(ready_story, request=actions.PublishRequest(), by=Actor.by_token(owner))
    assert app.call("PUT", path).json()["isRepublish"] is True
    assert app.call("DELETE", path).status_code == 200
    assert app.call("PUT", path).status_code == 403 and not is_live(ready_story)


def test_an_app_that_publishes_when_asked_has_the_contract_s_put_and_its_person_is_told(owner, ready_story):
    app = App(owner).connect("publications:write")
    path = f"/stories/{ready_story.pk}/publication"
    answer = app.call("PUT", path, {"premiereEmailMode": "OFF"})
    assert answer.status_code == 200 and is_live(ready_story)
    assert set(answer.json()) == {"url", "slug", "isRepublish", "publicationMode", "edition"}
    assert app.call("PUT", path).json()["isRepublish"] is True
    notice = PublishNotice.objects.get()  # of the going live, and none of the republish
    assert (notice.user, notice.app, notice.story) == (owner, "Ink", ready_story)


def test_a_person_is_told_of_an_edition_that_their_app_shows_to_readers(
    owner, live_story, rendered, mailoutbox, api
):
    edition = make_edition(live_story, rendered)
    path = f"/stories/{edition.pk}"
    actions.publish(edition, request=actions.PublishRequest(), by=Actor.by_token(owner))
    app = App(owner).connect(f"stories:read stories:write {READ} publications:write")
    for show, caller, told in (
        (False, app, 0),
        (True, app, 1),
        (True, app, 1),
        (False, api, 1),
        (True, api, 1),
    ):
        assert caller.call("PATCH", path, {"shown": show}).status_code == 200
        assert PublishNotice.objects.count() == told, (show, caller)
    notice = PublishNotice.objects.get()
    assert (notice.user, notice.app, notice.story) == (owner, "Ink", live_story)
    (message,) = mailoutbox
    assert message.to == [owner.email] and "Ink published “Small voyages, classroom”" in message.subject
    assert f"{actions.state_of(live_story).url}?edition=classroom" in message.body
    editions = reverse("studio_editions", args=[live_story.pk])  # where that edition alone is hidden
    assert "alone, hide it among the editions.\n" in message.body
    assert f"\nIts editions: {settings.APP_URL}{editions}\n" in message.body
    assert f'<a href="{settings.APP_URL}{editions}"' in message.alternatives[0].content  # a button
    page = Client().get(links(message.body)["unpublish"]).content.decode()
    assert "All its editions go with it." in page and f'href="{editions}"' in page


def test_of_keys_and_own_tokens_nobody_is_told(api, ready_story, workspace_key):
    assert api.publish(ready_story).status_code == 200
    assert api.unpublish(ready_story).status_code == 200
    assert api.with_key(workspace_key).publish(ready_story).status_code == 200
    assert not PublishNotice.objects.exists()


def test_a_permission_that_changes_while_the_call_waits_counts(connected, ready_story, owner):
    by = connected()
    connections.change_publishing(Connection.objects.get(), "prepares", by=owner)
    with pytest.raises(NeedsPerson):
        tell(ready_story, by)
    assert not is_live(ready_story) and not PublishNotice.objects.exists()


# --- The question ------------------------------------------------------------------------------------------------


def test_the_question_has_the_link_who_sees_it_and_who_gets_an_email(ready_story, north_shore):
    mail.subscribe(north_shore, 1)
    question = prospect_of(ready_story, actions.PublishRequest(slug="tides", unlisted=True)).question
    assert "“Small voyages” of North Shore Press" in question
    assert "/north-shore/tides: only people with the link see it" in question
    assert "1 subscriber of North Shore Press gets an email" in question


@pytest.mark.parametrize(
    "change", [{"slug": "tides"}, {"unlisted": True}, {"publication_mode": "WHITE_LABEL"}]
)
def test_another_publish_is_another_question(change, ready_story):
    before = prospect_of(ready_story, actions.PublishRequest()).question
    assert prospect_of(ready_story, actions.PublishRequest(**change)).question != before


def test_where_nobody_is_told_the_question_says_so(ready_story):
    prospect = prospect_of(ready_story, actions.PublishRequest(publication_mode="WHITE_LABEL"))
    assert prospect.emails == [] and "No email is sent. Publish it?" in prospect.question
    assert "Nobody has subscribed yet" in prospect_of(ready_story, actions.PublishRequest()).question


def test_the_question_about_an_edition_names_the_original_that_goes_live_with_it(api, live_story, rendered):
    edition = make_edition(live_story, rendered)
    with_it = "The original “Small voyages” goes live too."
    assert with_it not in prospect_of(edition, actions.PublishRequest()).question
    api.unpublish(live_story)
    assert with_it in prospect_of(edition, actions.PublishRequest()).question


def test_what_is_not_ready_is_not_asked_about(north_shore, rendered):
    with pytest.raises(Conflict):
        prospect_of(make_story(north_shore, rendered, scenes=2), actions.PublishRequest())


# --- Told --------------------------------------------------------------------------------------------------------


def test_the_message_says_which_app_what_where_and_who_gets_an_email(told, owner):
    _, message = told
    assert message.to == [owner.email]
    assert message.subject == "Ink published “Small voyages”"
    due = Premiere.objects.get().due_at
    for words in (
        "Ink published “Small voyages” in North Shore Press.",
        "everybody finds it on the profile and in search engines",
        f"See the capsule: {BASE}/north-shore/small-voyages",
        f"3 subscribers get an email about it at {due:%H:%M} UTC: a teaser with the link.",
        f"Connected apps: {BASE}/account/connected-apps",
    ):
        assert words in message.body
    assert "edition" not in message.body
    html = message.alternatives[0][0]
    for address in links(message.body).values():
        assert f'href="{BASE}{address}"' in html


def test_without_an_email_the_message_offers_none_to_cancel(connected, ready_story, mailoutbox):
    tell(ready_story, connected(), premiere_email_mode="OFF")
    assert "No email is sent about it." in mailoutbox[0].body
    assert set(links(mailoutbox[0].body)) == {"unpublish"}


def test_titles_and_names_are_no_html_no_header_and_no_link_of_the_message(
    owner, connected, north_shore, rendered, mailoutbox
):
    title = "<b>Pay</b> at https://evil.example/x now"
    tell(make_story(north_shore, rendered, title=title), connected(), premiere_email_mode="OFF")
    message = mailoutbox[0]
    assert "<b>" not in message.alternatives[0][0]
    assert "evil.example" not in message.body + message.subject + message.alternatives[0][0]
    assert "\n" not in message.subject


def test_the_history_says_how_the_person_stood_behind_it(told, owner):
    story, _ = told
    event = PublicationEvent.objects.get(story=story)
    assert event.through == "through Ink, who was told of it at once"


# --- Stopped -----------------------------------------------------------------------------------------------------


def test_opening_a_link_changes_nothing(told):
    story, message = told
    for address in links(message.body).values():
        for method in (Client().get, Client().head):
            answer = method(address)
            assert answer.status_code == 200 and not answer.cookies
            assert answer["Cache-Control"] == "no-store" and answer["Referrer-Policy"] == "no-referrer"
    assert is_live(story) and premiere() == "scheduled"


def test_an_email_that_is_cancelled_from_the_message_is_never_sent(told, mailbox):
    _, message = told
    address = links(message.body)["cancel"]
    page = one_line(Client().get(address))
    assert "Cancel the email?" in page and "3 subscribers leaves at" in page
    done = Client(enforce_csrf_checks=True).post(address)
    assert heading_of(done) == "Done" and "It will not be sent." in one_line(done)
    assert mail.sweep_at().state == "cancelled" and not mailbox.taken
    again = Client().post(address)
    assert again.status_code == 410 and "You have used this link" in one_line(again)
    assert heading_of(again) == "This link does nothing any more"


def test_a_capsule_is_unpublished_from_the_message_once(told, owner):
    story, message = told
    address = links(message.body)["unpublish"]
    assert heading_of(Client().get(address)) == "Unpublish the capsule?"
    done = Client().post(address)
    assert done.status_code == 200 and "The capsule is unpublished." in one_line(done)
    assert not is_live(story) and premiere() == "cancelled"
    event = PublicationEvent.objects.first()
    assert (event.action, event.by, event.through) == ("unpublished", owner, "by the link in an email")
    actions.publish(story, request=actions.PublishRequest(), by=Actor.by_token(owner))
    assert Client().post(address).status_code == 410 and is_live(story), "it is used"
    other = links(message.body)["cancel"]
    assert Client().post(other).status_code == 410, "what the person published since is theirs"
    assert premiere() == "scheduled"


@pytest.mark.usefixtures("clock_stands")
def test_links_that_are_followed_too_often_do_nothing(told, settings):
    story, message = told
    settings.RATES = {**settings.RATES, "feed": 0}
    answer = Client().post(links(message.body)["unpublish"])
    assert answer.status_code == 429 and is_live(story)
    assert heading_of(answer) == "Too many requests" and "slow down" in one_line(answer)


def test_what_we_did_not_sign_does_nothing(told):
    story, message = told
    address = links(message.body)["unpublish"]
    signed = address.rpartition("/")[2]
    value = signed.rpartition(":")[0]
    forgeries = {
        "forged": f"{signed[:-1]}{'A' if signed[-1] != 'A' else 'B'}",
        "another": f"{'0' * 32}.unpublish:{signed.rpartition(':')[2]}",
        "of another secret": Signer(key="x", salt="publishing.by_apps.notices").sign(value),
        "other stop": signed.replace(".unpublish", ".cancel-email"),
        "text": "unpublish",
    }
    for change, tried in forgeries.items():
        answer = Client().post(reverse("studio_stop", args=[tried]))
        assert answer.status_code == 404 and is_live(story) and premiere() == "scheduled", change
        assert heading_of(answer) == "This link does nothing any more", change
        assert "It is not one of ours, or the capsule was deleted since." in one_line(answer), change


def test_a_link_ends_with_the_role(told, owner):
    story, message = told
    Membership.objects.filter(user=owner).update(role="viewer")
    for address in links(message.body).values():
        assert "Small voyages" not in one_line(Client().get(address))
        assert Client().post(address).status_code == 410
    assert is_live(story) and premiere() == "scheduled"
    owner.is_active = False
    owner.save()
    assert {Client().post(address).status_code for address in links(message.body).values()} == {404}


def test_an_email_that_was_sent_cannot_be_cancelled_and_the_page_says_so(told, mailbox):
    _, message = told
    mail.sweep_at()
    address = links(message.body)["cancel"]
    page = Client().get(address)
    assert "there is nothing left to cancel" in one_line(page) and "<form" not in page.content.decode()
    refused = Client().post(address)
    assert refused.status_code == 409 and "This premiere is already" in one_line(refused)


def test_the_page_of_a_link_tells_of_the_email_of_its_own_capsule(told, north_shore, rendered, owner):
    other = make_story(north_shore, rendered, title="Other")
    actions.publish(
        other, request=actions.PublishRequest(premiere_email_mode="FULL"), by=Actor.by_token(owner)
    )
    _, message = told
    Premiere.objects.filter(publication__story=other).update(state="scheduled")
    Premiere.objects.exclude(publication__story=other).update(state="cancelled")
    assert "there is nothing left to cancel" in one_line(Client().get(links(message.body)["cancel"]))


def heading_of(answer: HttpResponse) -> str:
    [heading] = parsed(answer).iter("h1")
    return words_of(heading)
