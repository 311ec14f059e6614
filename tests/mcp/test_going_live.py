"""What tools answer when they change what readers see, and how a person stands behind it; all in this process."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from mcp_types import (
    ClientCapabilities,
    ElicitationCapability,
    FormElicitationCapability,
    UrlElicitationCapability,
)

from accounts.actors import PREPARES_ONLY, Actor
from accounts.models import Connection, RateWindow
from capsules.mcp.stories import update_story
from capsules.models import Encode, Story
from config.errors import Forbidden, Invalid
from publishing.by_apps.prospects import Way
from publishing.mcp import publishing
from publishing.mcp.publishing import cancel_premiere, publish_story, set_visibility, unpublish_story
from publishing.mcp.reading import get_story
from publishing.models import Premiere, Publication, PublicationEvent, PublishAsk, PublishNotice
from tests.support import factories, mail
from tests.support.apps import connected_app, is_live
from tests.support.tools import ask, awaited, call, person_who, refusal, through_client

pytestmark = pytest.mark.django_db(transaction=True)

LINK = f"{settings.APP_URL}/north-shore/small-voyages"
TOLD = (
    "The person was told by email and in the studio that this is live, with a press to cancel the email and one to "
    "unpublish."
)
CHANGED = (
    "The draft has changed since this preview was built. Readers see the preview; call build_preview and publish_story "
    "again for the changes."
)


def publish(by: Actor, story: Story, answer: Any = None, **arguments: Any) -> Any:
    """What an app gets that publishes; one with an `answer` can ask its person."""
    given = {"story": str(story.pk), "premiere_email_mode": "TEASER", **arguments}
    options = {"elicitation_callback": answer} if answer else {}
    return through_client(by, lambda client: client.call_tool("publish_story", given), **options)


def premiere_told(**changes: Any) -> dict[str, Any]:
    due = Premiere.objects.get().due_at
    told = {"state": "scheduled", "mode": "TEASER", "recipients": 3, "messages": {}, "note": ""}
    return {**told, "due_at": due.isoformat(timespec="seconds") if due else None, **changes}


def detail(story: Story) -> dict[str, Any]:
    """What the history says of the last event."""
    return dict(PublicationEvent.objects.filter(story=story).order_by("-pk")[0].detail)


# --- Publishing ------------------------------------------------------------------------------------------------


def test_where_the_person_cannot_be_asked_they_are_told(ready_story, owner, north_shore):
    mail.subscribe(north_shore, 3)
    told = publish(connected_app(owner), ready_story).structured_content
    assert told == {
        "link": LINK,
        "slug": "small-voyages",
        "is_republish": False,
        "mode": "STANDARD",
        "premiere": premiere_told(),
        "note": TOLD,
    }
    assert PublishNotice.objects.get().app == "Ink"
    assert (detail(ready_story)["person"], detail(ready_story)["tool"]) == ("told", "publish_story")


@pytest.mark.parametrize("chosen", [{}, {"premiere_email_mode": "LATER"}])
def test_a_publish_without_the_mode_does_not_fit_the_schema(chosen, ready_story, by):
    told = refusal(publish_story, by, story=str(ready_story.pk), **chosen)
    assert [each["path"] for each in told["details"]] == ["premiere_email_mode"]
    assert not is_live(ready_story)


def test_a_republish_asks_nobody_and_tells_nobody(live_story, by):
    answer, asked = person_who("decline")
    told = publish(by, live_story, answer, premiere_email_mode="OFF").structured_content
    assert (told["is_republish"], told["premiere"]["mode"]) == (True, "TEASER")
    assert "note" not in told and asked == [] and not PublishNotice.objects.exists()


def test_a_draft_that_changed_since_its_preview_is_told_of_beside_the_rest(ready_story, by):
    call(update_story, by, story=str(ready_story.pk), summary="Changed since.")
    assert publish(by, ready_story).structured_content["note"] == f"{TOLD} {CHANGED}"
    assert publish(by, ready_story).structured_content["note"] == CHANGED


def test_whoever_is_asked_decides_about_the_email(ready_story, by, north_shore):
    mail.subscribe(north_shore, 3)
    answer, asked = person_who("accept", premiere="FULL")
    arguments = {"slug": "tides", "unlisted": True, "show_social_share": False}
    told = publish(by, ready_story, answer, premiere_email_mode="OFF", **arguments).structured_content
    (question,) = asked
    assert question.message == (
        f"“Small voyages” of North Shore Press goes live for everybody at {settings.APP_URL}/north-shore/tides: only "
        "people with the link see it. About five minutes later 3 subscribers of North Shore Press get an email, once "
        "and forever. Which one?"
    )
    choice = question.requested_schema["properties"]
    assert list(choice) == ["premiere"] and choice["premiere"]["enum"] == ["FULL", "TEASER", "OFF"]
    assert (told["slug"], told["premiere"]) == ("tides", premiere_told(mode="FULL"))
    assert "note" not in told and not PublishNotice.objects.exists()
    assert detail(ready_story)["person"] == "agreed"
    publication = Publication.objects.get()
    assert (publication.story.visibility, publication.show_social_share) == ("unlisted", False)


def test_nobody_is_asked_about_a_link_that_another_capsule_has(ready_story, by, rendered, api):
    other = factories.make_story(ready_story.workspace, rendered)
    assert api.publish(other, slug="tides").status_code == 200
    answer, asked = person_who("accept", premiere="OFF")
    refused = publish(by, ready_story, answer, slug="tides").structured_content
    assert (refused["error"], asked) == ("This slug is already taken.", [])
    assert refused["details"] == [{"path": "slug", "message": "Another capsule has this slug."}]


@pytest.mark.parametrize("said, published", [("PUBLISH", True), ("NOT NOW", False)])
def test_where_no_email_can_be_chosen_the_person_says_yes_or_no(said, published, ready_story, by):
    answer, asked = person_who("accept", answer=said)
    told = publish(by, ready_story, answer, publication_mode="WHITE_LABEL")
    assert list(asked[0].requested_schema["properties"]) == ["answer"]
    assert "No email is sent. Publish it?" in asked[0].message
    assert (told.is_error, is_live(ready_story)) == (not published, published)
    if published:
        assert told.structured_content["mode"] == "WHITE_LABEL"


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_person_who_does_not_agree_is_asked_what_they_want(action, ready_story, by):
    told = publish(by, ready_story, person_who(action)[0])
    assert told.is_error and not is_live(ready_story)
    assert told.structured_content == {
        "error": "The person did not agree. Nothing was published.",
        "next": "Ask the person what they want instead.",
    }


@pytest.mark.parametrize("content", [{}, {"premiere": "NONE"}])
def test_an_answer_that_does_not_fit_the_question_publishes_nothing(content, ready_story, by):
    told = publish(by, ready_story, person_who("accept", **content)[0])
    assert told.is_error and not is_live(ready_story)
    assert told.structured_content == {
        "error": "What came back does not answer the question that the person was to see. Nothing was done.",
        "next": "Ask the person, and call the tool again.",
    }


@pytest.mark.usefixtures("clock_stands")
def test_a_question_counts_as_a_read_and_the_publish_as_a_write(ready_story, by, settings):
    publish(by, ready_story, person_who("accept", premiere="OFF")[0])
    counted = dict(RateWindow.objects.values_list("key", "count"))
    assert counted == {f"read:{by.credential}": 2, f"write:{by.credential}": 1}
    settings.RATES = {**settings.RATES, "read": 2}
    answer, asked = person_who("accept", premiere="OFF")
    assert "Too many requests" in publish(by, ready_story, answer).structured_content["error"] and asked == []


def test_nobody_is_asked_for_a_viewer_or_for_what_is_no_capsule(ready_story, person, by):
    answer, asked = person_who("accept", premiere="OFF")
    refused = publish(Actor.by_token(person("viewer")), ready_story, answer)
    assert refused.structured_content["error"] == "Your role in this workspace does not allow publishing."
    unknown = publish(by, Story(), answer)
    assert unknown.structured_content["error"] == "There is no such story." and asked == []


def test_an_app_that_only_prepares_gets_a_link_for_its_person(ready_story, owner):
    app = connected_app(owner, PREPARES_ONLY)
    answer, asked = person_who("accept", premiere="OFF")
    told = publish(app, ready_story, answer, slug="tides", unlisted=False).structured_content
    question = PublishAsk.objects.get()
    link = f"{settings.APP_URL}/studio/stories/{ready_story.pk}/publish?ask={question.pk}"
    assert told == {
        "needs_person": True,
        "link": link,
        "note": "Nothing is public yet: this person presses Publish themselves. Give them the link. get_story tells "
        "in publish_request what became of it.",
    }
    assert asked == [] and not is_live(ready_story)
    assert question.wishes == {"slug": "tides", "unlisted": False, "premiere_email_mode": "TEASER"}
    assert (question.story, question.user, question.app) == (ready_story, owner, "Ink")
    request = call(get_story, app, story=str(ready_story.pk), include=[])["publish_request"]
    asked_at = question.asked_at.isoformat(timespec="seconds")
    assert request == {"state": "waiting", "asked_at": asked_at, "link": link}


def test_what_is_not_ready_is_neither_published_nor_asked_about(ready_story, owner):
    ready_story.scenes.filter(position=0).update(text="")
    for permission in (PREPARES_ONLY, "publications:write"):
        app = connected_app(owner, permission)
        answer, asked = person_who("accept", premiere="OFF")
        told = publish(app, ready_story, answer).structured_content
        assert told["error"] == "This capsule is not ready to be published."
        assert [fault["path"] for fault in told["details"]] == ["scenes.0.text"]
        assert asked == [] and not PublishAsk.objects.exists() and not is_live(ready_story)
        Connection.objects.all().delete()


def test_a_preview_that_failed_is_not_waited_for(live_story, by):
    encode = live_story.latest_preview.encodes.first()
    Encode.objects.filter(pk=encode.pk).update(state="failed", error="It is broken.")
    told = publish(by, live_story).structured_content
    assert told["error"] == "This capsule is not ready to be published."


def test_the_question_of_an_app_that_only_prepares_is_answered_by_whoever_publishes(ready_story, owner, by):
    publish(connected_app(owner, PREPARES_ONLY), ready_story)
    publish(by, ready_story, person_who("accept", premiere="OFF")[0])
    assert PublishAsk.objects.get().state == "published"
    assert (detail(ready_story)["asked_by"], detail(ready_story)["person"]) == ("Ink", "agreed")


@pytest.mark.parametrize("end", ["account", "role"])
def test_whoever_may_publish_no_more_does_not_wait_for_a_preview(end, ready_story, by, owner):
    if end == "role":
        owner.memberships.update(role="viewer")
    else:
        owner.is_active = False
        owner.save()
    with pytest.raises(
        Forbidden, match={"role": "does not allow publishing", "account": "access ended"}[end]
    ):
        awaited(by, lambda: publishing.in_thread("read", publishing.latest_preview, str(ready_story.pk)))


def carried_out(by: Actor, story: Story, way: Way) -> Any:
    """What a publish comes to that was decided before something changed."""
    request = publishing.wishes_of(premiere_email_mode="OFF")
    decided = publishing.Decided(way)

    return awaited(
        by, lambda: publishing.in_thread("write", publishing.carry_out, str(story.pk), request, decided)
    )


def test_a_permission_that_was_changed_while_the_call_waited_counts(ready_story, owner):
    told = carried_out(connected_app(owner, PREPARES_ONLY), ready_story, Way.TELL)
    assert told["needs_person"] and told["link"].endswith(f"?ask={PublishAsk.objects.get().pk}")
    assert not is_live(ready_story)


def test_what_went_live_while_the_call_waited_is_a_republish_of_which_nobody_is_told(live_story, by):
    told = carried_out(by, live_story, Way.TELL)
    assert told["is_republish"] and "note" not in told and not PublishNotice.objects.exists()


def test_a_capsule_that_was_unpublished_while_the_call_waited_stays_so(ready_story, by):
    with pytest.raises(
        publishing.Conflict, match="was live when you called, and was unpublished mean"
    ) as told:
        carried_out(by, ready_story, Way.REPUBLISH)
    assert told.value.next_step == "Ask the person whether it should be public again, and call again."
    assert not is_live(ready_story)


def test_a_preview_that_still_renders_is_waited_for_and_then_told(ready_story, by, monkeypatch):
    monkeypatch.setattr(publishing, "PATIENCE", 3)
    monkeypatch.setattr(publishing, "POLL", 0.5)
    encode = ready_story.latest_preview.encodes.first()
    Encode.objects.filter(pk=encode.pk).update(state="running", progress=0)
    percent = ready_story.latest_preview.progress
    assert 0 < percent < 100
    seen: list[Any] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    given = {"story": str(ready_story.pk), "premiere_email_mode": "OFF"}
    refused = through_client(
        by, lambda client: client.call_tool("publish_story", given, progress_callback=note)
    )
    assert refused.is_error and not is_live(ready_story)
    assert refused.structured_content == {
        "error": f"The preview is still rendering, {percent} %.",
        "next": "Call build_preview until its state is ready, then publish_story again.",
        "retry_after": 10,
    }
    assert set(seen) == {(percent, 100, f"{percent} % rendered")}


def test_a_preview_that_gets_ready_while_the_call_waits_is_published(ready_story, by, monkeypatch):
    monkeypatch.setattr(publishing, "POLL", 0.02)
    encode = ready_story.latest_preview.encodes.first()
    Encode.objects.filter(pk=encode.pk).update(state="running")

    async def finish(*progress: Any) -> None:
        await publishing.in_thread("read", Encode.objects.filter(pk=encode.pk).update, state="done")

    given = {"story": str(ready_story.pk), "premiere_email_mode": "OFF"}
    told = through_client(
        by, lambda client: client.call_tool("publish_story", given, progress_callback=finish)
    )
    assert not told.is_error and is_live(ready_story)


@pytest.mark.parametrize(
    "version, elicitation, can",
    [
        ("2026-07-28", ElicitationCapability(form=FormElicitationCapability()), True),
        ("2026-07-28", ElicitationCapability(), True),
        ("2026-07-28", ElicitationCapability(url=UrlElicitationCapability()), False),
        (
            "2026-07-28",
            ElicitationCapability(form=FormElicitationCapability(), url=UrlElicitationCapability()),
            True,
        ),
        ("2026-07-28", None, False),
        ("2025-11-25", ElicitationCapability(), False),
        (None, ElicitationCapability(), False),
    ],
)
def test_an_app_can_ask_that_shows_forms_and_speaks_the_protocol_of_july(version, elicitation, can):
    capabilities = ClientCapabilities(elicitation=elicitation)
    assert (
        publishing.can_ask(SimpleNamespace(protocol_version=version, client_capabilities=capabilities)) is can
    )
    assert not publishing.can_ask(SimpleNamespace(protocol_version=version, client_capabilities=None))


def test_arguments_are_the_wishes_of_a_publish(ready_story, by):
    given = {
        "slug": "tides",
        "unlisted": False,
        "publication_mode": "WHITE_LABEL",
        "show_social_share": False,
        "premiere_email_mode": "OFF",
    }
    assert vars(publishing.wishes_of(**given)) == given
    assert set(vars(publishing.wishes_of(slug=None)).values()) == {None}
    with pytest.raises(Invalid) as told:
        publishing.wishes_of(slug="Not a slug!")
    assert [fault.path for fault in told.value.faults] == ["slug"]
    refused = publish(by, ready_story, slug="Not a slug!")
    assert [each["path"] for each in refused.structured_content["details"]] == ["slug"]


# --- What readers see ------------------------------------------------------------------------------------------


def test_an_unpublished_capsule_keeps_its_address_unless_it_is_given_up(live_story, by):
    story = str(live_story.pk)
    off = {"is_published": False, "visibility": "public", "slug": "small-voyages", "link": None}
    assert call(unpublish_story, by, story=story) == off
    assert not is_live(live_story)
    assert call(unpublish_story, by, story=story, release_slug=True) == {**off, "slug": None}


def test_each_visibility_is_effective_at_once(live_story, by):
    story = str(live_story.pk)
    live = {"is_published": True, "slug": "small-voyages", "link": LINK}
    for level in ("unlisted", "featured", "public"):
        assert call(set_visibility, by, story=story, visibility=level) == {**live, "visibility": level}
    gone = {"is_published": False, "slug": "small-voyages", "link": None, "visibility": "private"}
    assert call(set_visibility, by, story=story, visibility="private") == gone
    event = PublicationEvent.objects.filter(story=live_story).order_by("-pk")[0]
    assert (event.by, event.detail["tool"]) == (by.user, "set_visibility")


@pytest.mark.parametrize(
    "tool, given",
    [(unpublish_story, {}), (cancel_premiere, {}), (set_visibility, {"visibility": "unlisted"})],
    ids=lambda each: getattr(each, "name", ""),
)
def test_readers_are_out_of_reach_of_a_viewers_app(tool, given, live_story, person):
    told = refusal(tool, Actor.by_token(person("viewer")), story=str(live_story.pk), **given)
    assert told == {
        "error": "Your role in this workspace does not allow publishing.",
        "next": "Tell the person what is missing; trying again changes nothing.",
    }
    assert is_live(live_story) and Premiere.objects.get().state == "scheduled"


def test_an_email_that_is_due_is_called_off(live_story, by):
    told = call(cancel_premiere, by, story=str(live_story.pk))
    note = Premiere.objects.get().note
    assert note and told == premiere_told(
        state="cancelled", mode="OFF", recipients=0, due_at=told["due_at"], note=note
    )


@pytest.mark.parametrize(
    "state, step",
    [
        ("cancelled", "Nothing is left to do: tell the person that no email goes out."),
        ("cancelled_partial", "Tell the person that some emails went out before, and no more do."),
        ("done", "Tell the person that the email was sent and cannot be called off any more."),
    ],
)
def test_an_email_that_cannot_be_called_off_says_what_to_tell_the_person(state, step, live_story, by):
    Premiere.objects.update(state=state)
    told = ask(cancel_premiere, by, story=str(live_story.pk))
    assert told.is_error and told.structured_content["next"] == step
    assert Premiere.objects.get().state == state


def test_where_no_email_was_ever_due_nothing_is_called_off(ready_story, by):
    assert refusal(cancel_premiere, by, story=str(ready_story.pk)) == {
        "error": "There is no premiere email to cancel.",
        "next": "Nothing is scheduled: tell the person that no email goes out.",
    }
