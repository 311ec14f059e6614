"""What the studio tells a person of their apps, and how they press Publish for one that only prepares."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.actions import connections
from accounts.actors import PREPARES_ONLY, Actor
from accounts.models import Connection, User
from capsules.models import Story
from publishing import actions
from publishing.by_apps import asks, studio_notices
from publishing.models import PublicationEvent, PublishAsk, PublishNotice
from tests.support.apps import is_live
from tests.support.factories import make_story
from tests.support.messages import messages_of
from tests.support.oauth import one_line

pytestmark = pytest.mark.django_db

BASE = settings.APP_URL


@pytest.fixture
def studio(client, owner, north_shore):
    client.force_login(owner)
    return client, reverse("studio_capsules", args=[north_shore.pk])


def test_the_studio_tells_the_person_until_they_answer(told, studio, person):
    client, page = studio
    assert "Ink published “" in one_line(client.get(page))
    colleague = Client()
    colleague.force_login(person("admin"))
    assert "Ink published “" not in one_line(colleague.get(page))
    answer = reverse("studio_answer_notice", args=[PublishNotice.objects.get().pk])
    assert colleague.post(answer, {"do": "unpublish"}).status_code == 404
    User.objects.update(default_workspace=None)
    for do, level, words in (
        ("cancel-email", "success", "The email is cancelled."),
        ("cancel-email", "error", "You have used this link: the email is cancelled."),
        ("all", "error", "Choose what to do."),
    ):
        told_then = client.post(answer, {"do": do}, follow=True)
        [message] = told_then.context["messages"]
        assert (message.level_tag, words in str(message)) == (level, True)
        assert told_then.redirect_chain == [(page, 302)]
    assert "Ink published “" not in one_line(client.post(answer, {"do": "seen"}, follow=True))
    assert client.post(answer, {"do": "unpublish"}).status_code == 404, "it was answered"


def test_what_was_unpublished_is_told_no_more(told, studio, owner):
    client, page = studio
    actions.unpublish(told[0], by=Actor.by_token(owner))
    assert "Ink published “" not in one_line(client.get(page))


# --- Pressed -----------------------------------------------------------------------------------------------------


@pytest.fixture
def asked(once, connected, ready_story) -> PublishAsk:
    wishes = actions.PublishRequest(
        slug="tides",
        publication_mode="WHITE_LABEL",
        unlisted=True,
        show_social_share=False,
        premiere_email_mode="FULL",
    )

    def ask() -> uuid.UUID:
        return asks.ask_to_publish(ready_story, wishes, by=connected(PREPARES_ONLY)).pk

    return PublishAsk.objects.get(pk=once("asked", ask))


def address_of(asked: PublishAsk) -> str:
    return asks.ask_address(asked).removeprefix(BASE)


def test_the_person_sees_who_asks_for_what_and_chooses_the_email(asked, studio, ready_story):
    client, _ = studio
    page = client.get(address_of(asked))
    told = one_line(page)
    assert "<strong>Ink</strong> asks you to publish this capsule." in told
    assert "it suggests: The whole capsule." in told
    form = page.context["form"]
    begun = {name: form[name].value() for name in ("slug", "readers", "shares", "brand", "email")}
    assert begun == {
        "slug": "tides", "readers": "unlisted", "shares": False, "brand": "WHITE_LABEL", "email": None
    }  # fmt: skip
    assert not is_live(ready_story) and PublishAsk.objects.get().state == "waiting"


def test_an_app_may_ask_for_everybody_where_the_capsule_is_unlisted(connected, ready_story, studio):
    Story.objects.filter(pk=ready_story.pk).update(visibility="unlisted")
    app = connected(PREPARES_ONLY)
    for unlisted, readers in ((None, "unlisted"), (False, "listed")):
        asked = asks.ask_to_publish(ready_story, actions.PublishRequest(unlisted=unlisted), by=app)
        form = studio[0].get(address_of(asked)).context["form"]
        begun = {name: form[name].value() for name in ("slug", "readers", "shares", "brand")}
        own = {"slug": "small-voyages", "shares": True, "brand": "STANDARD"}
        assert begun == {**own, "readers": readers}, "what the app does not ask for is as it is"


def test_the_question_is_still_there_after_the_preview_was_prepared(asked, studio, ready_story):
    url = reverse("studio_prepare", args=[ready_story.pk])
    assert studio[0].post(f"{url}?ask={asked.pk}")["Location"] == address_of(asked)
    assert studio[0].post(url)["Location"] == reverse("studio_publish", args=[ready_story.pk])


def test_a_press_publishes_and_answers_the_app(asked, studio, ready_story):
    client, page = studio
    form = {"slug": "tides", "readers": "unlisted", "brand": "STANDARD", "email": "OFF"}
    client.post(address_of(asked), form)
    assert is_live(ready_story)
    assert asks.outcome(ready_story)["state"] == "published"
    event = PublicationEvent.objects.get(story=ready_story)
    assert event.through == "in the studio, as Ink had asked"
    assert "You have answered Ink already." in one_line(client.get(address_of(asked)))
    again = {**form, "brand": "STANDARD"}
    told = client.post(address_of(asked), again, follow=True)
    assert messages_of(told) == "The changes are live.", "it was said when the page was opened"
    assert "asks you to publish" not in one_line(client.get(page))


def test_the_person_may_say_not_now_and_the_app_may_ask_again(asked, studio, ready_story, person):
    client, page = studio
    assert "Ink asks you to publish “" in one_line(client.get(page))
    decline = reverse("studio_decline_ask", args=[asked.pk])
    colleague = Client()
    colleague.force_login(person("admin"))
    assert colleague.post(decline).status_code == 404
    assert client.get(decline).status_code == 405
    User.objects.update(default_workspace=None)
    answer = client.post(decline, follow=True)
    assert "Ink is told that you do not publish this now." in one_line(answer)
    assert answer.redirect_chain == [(page, 302)]
    assert client.post(decline).status_code == 404, "it was answered"
    assert asks.outcome(ready_story)["state"] == "declined" and not is_live(ready_story)
    found = Connection.objects.with_reach().get()
    asks.ask_to_publish(
        ready_story, actions.PublishRequest(), by=Actor.by_connection(found, scopes=found.scopes)
    )
    assert asks.outcome(ready_story)["state"] == "waiting"


@pytest.mark.parametrize("end", ["disconnected", "may not publish any more"])
def test_what_an_app_asked_is_over_with_its_permission(end, asked, studio, owner):
    client, page = studio
    connection = Connection.objects.get()
    if end == "disconnected":
        connections.end(connection, because=Connection.Ended.REVOKED, by=owner)
    else:
        connections.change_publishing(connection, None, by=owner)
    assert "asks you to publish" not in one_line(client.get(page))


def test_one_app_has_one_question_about_one_capsule(asked, ready_story):
    found = Connection.objects.with_reach().get()
    again = asks.ask_to_publish(
        ready_story,
        actions.PublishRequest(premiere_email_mode="OFF"),
        by=Actor.by_connection(found, scopes=found.scopes),
    )
    assert again.pk == asked.pk and PublishAsk.objects.get().wishes == {"premiere_email_mode": "OFF"}


@pytest.mark.parametrize("wrong", ["of another story", "text", "of another workspace"])
def test_a_question_belongs_to_its_capsule(wrong, asked, studio, north_shore, harbour, rendered, person):
    client, _ = studio
    other = make_story(north_shore, rendered, title="Other", preview=False)
    page = reverse("studio_publish", args=[asked.story_id])
    if wrong == "of another story":
        page, id = reverse("studio_publish", args=[other.pk]), asked.pk
    elif wrong == "of another workspace":
        client.force_login(person("stranger"))
        id = asked.pk
    else:
        id = "x"
    form = {"slug": "tides", "readers": "listed", "brand": "STANDARD", "email": "OFF"}
    assert client.get(f"{page}?ask={id}").status_code == 404
    assert client.post(f"{page}?ask={id}", form).status_code == 404
    assert PublishAsk.objects.get().state == "waiting" and not is_live(asked.story)


def test_a_message_is_forgotten_a_month_after_its_links_have_ended(told, owner):
    story, _ = told
    answered = {"state": "declined", "answered_at": timezone.now()}
    PublishAsk.objects.create(story=story, user=owner, credential="connection:1", app="Ink", **answered)
    later = timezone.now() + timedelta(days=31)
    assert studio_notices.forget_old(later - timedelta(days=2)) == 0
    assert studio_notices.forget_old(later) == 1 and PublishNotice.objects.exists(), "its links still work"
    actions.unpublish(story, by=Actor.by_token(owner))
    assert studio_notices.forget_old(later) == 1
