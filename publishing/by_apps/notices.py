"""Telling a person what an app made public, and the two ways to stop it that the message has.

Each way is a signed link to a page with one button. It works once, for as long as the capsule is live as the app made
it, and does what the person may do at that moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from accounts.actors import Actor
from accounts.people.letters import post_letter
from capsules.models import Story
from config.errors import Gone, NotFound
from config.links import absolute
from config.texts import subject_line, unlinked
from publishing import actions
from publishing.by_apps.prospects import READERS
from publishing.going_live import GoingLive, answer_asks
from publishing.models import Premiere, Publication, PublishNotice
from publishing.premieres import outlook

Stop = Literal["cancel-email", "unpublish"]
STOPS: tuple[Stop, ...] = ("cancel-email", "unpublish")
OWN_TOKEN = "An app with your own token"  # noqa: S105
OVER = gettext_noop(
    "This capsule was unpublished since the message was sent, so its links are of no use any more."
)
NOT_ALLOWED = gettext_noop("You may not publish in this workspace any more, so this link does nothing.")
USED = {
    "cancel-email": gettext_noop("You have used this link: the email is cancelled."),
    "unpublish": gettext_noop("You have used this link: the capsule was unpublished."),
}


def notifying(by: Actor) -> GoingLive:
    """For a publish that only the app says the person wants: they are told, in the transaction that makes it live."""

    def notify(publication: Publication, story: Story) -> dict[str, object]:
        notice = PublishNotice.objects.create(  # type: ignore[misc]
            story=publication.story,
            user=by.user,
            app=by.label[:120],
            published_at=publication.published_at,
        )
        post(notice, story, publication)
        return {**answer_asks(publication, story), "person": "told"}

    return notify


def post(notice: PublishNotice, story: Story, publication: Publication) -> None:
    premiere = Premiere.objects.filter(publication=publication, state=Premiere.State.SCHEDULED).first()
    app, title = unlinked(notice.app) or OWN_TOKEN, unlinked(story.title) or "Untitled"
    text = render_to_string(
        "publishing/email/published_by_app.txt",
        {
            "app": app,
            "title": title,
            "workspace": unlinked(publication.story.workspace.title),
            "link": absolute(actions.link_to(story, publication)),
            "readers": READERS[Story.Visibility(publication.story.visibility)],
            "email": who_gets_email(premiere, outlook.outlook(story).recipients),
            "cancel_email": stop_address(notice, "cancel-email") if premiere else "",
            "unpublish": stop_address(notice, "unpublish"),
            "editions": absolute(reverse("studio_editions", args=[notice.story_id]))
            if story.pk != notice.story_id
            else "",
            "apps_page": f"{settings.APP_URL}/account/connected-apps" if notice.app else "",
        },
    )
    subject = subject_line(f"{app} published “{title}”")
    post_letter(notice.user.email, subject, text)


def who_gets_email(premiere: Premiere | None, recipients: int) -> str:
    """Who gets which email about the capsule, and when."""
    if premiere is None:
        return "No email is sent about it."
    who = {0: "Whoever subscribes until then gets", 1: "1 subscriber gets"}.get(
        recipients, f"{recipients} subscribers get"
    )
    what = "the whole capsule" if premiere.mode == Premiere.Mode.FULL else "a teaser with the link"
    return f"{who} an email about it at {premiere.due_at:%H:%M} UTC: {what}."


# --- The links -------------------------------------------------------------------------------------------------


def signer() -> Signer:
    return Signer(salt="publishing.by_apps.notices")


def stop_address(notice: PublishNotice, stop: Stop) -> str:
    return f"{settings.APP_URL}/studio/stop/{signer().sign(f'{notice.pk.hex}.{stop}')}"


@dataclass(frozen=True)
class StopLink:
    """What one signed link leads to."""

    notice: PublishNotice
    stop: Stop

    @property
    def story(self) -> Story:
        return self.notice.story

    @property
    def actor(self) -> Actor:
        """The person of the notice, in that workspace and as they are now."""
        notice = self.notice
        return Actor(notice.user, f"notice:{notice.pk}", frozenset({notice.story.workspace_id}), via="mail")


def stop_link(signed: str) -> StopLink:
    """Raises NotFound for what we did not sign, Gone where the link has ended."""
    unknown = NotFound(gettext("There is no such link."))
    try:
        id, _, stop = signer().unsign(signed).partition(".")
    except BadSignature as error:
        raise unknown from error
    rows = PublishNotice.objects.with_publication()
    notice = rows.filter(pk=id, story__deleted_at__isnull=True, user__is_active=True).first()
    if notice is None or stop not in STOPS:
        raise unknown
    link = StopLink(notice, stop)
    check_open(link)
    return link


def check_open(link: StopLink) -> None:
    """Raises Gone."""
    notice = link.notice
    if not link.actor.may_publish_in(link.story.workspace_id):
        raise Gone(gettext(NOT_ALLOWED))
    if notice.email_cancelled_at if link.stop == "cancel-email" else notice.unpublished_at:
        raise Gone(gettext(USED[link.stop]))
    if link.story.publication.published_at != notice.published_at:
        raise Gone(gettext(OVER))


@transaction.atomic
def follow_link(link: StopLink) -> str:
    """Does what the link is for, once; returns a sentence. Raises Gone, and what `cancel` and `unpublish` raise."""
    notice = PublishNotice.objects.select_for_update().get(pk=link.notice.pk)
    notice.story = Story.objects.select_related("workspace", "publication").get(pk=notice.story_id)
    link = StopLink(notice, link.stop)
    check_open(link)
    return DEEDS[link.stop](notice, link.actor)


def cancel_email(notice: PublishNotice, by: Actor) -> str:
    found = outlook.cancel_premiere(notice.story, by=by)
    notice.email_cancelled_at = timezone.now()
    notice.save(update_fields=["email_cancelled_at"])
    if found.state == Premiere.State.CANCELLED_PARTIAL:
        return gettext(
            "The email is cancelled. It was being sent: some subscribers have it, and nobody else gets it."
        )
    return gettext("The email is cancelled. It will not be sent.")


def unpublish(notice: PublishNotice, by: Actor) -> str:
    actions.unpublish(notice.story, by=by)
    notice.unpublished_at = timezone.now()
    notice.save(update_fields=["unpublished_at"])
    return gettext(
        "The capsule is unpublished. Its address is reserved for it, and an email that was due is not sent."
    )


DEEDS = {"cancel-email": cancel_email, "unpublish": unpublish}


def see(notice: PublishNotice) -> None:
    """The person has read it in the studio."""
    PublishNotice.objects.filter(pk=notice.pk, seen_at__isnull=True).update(seen_at=timezone.now())
