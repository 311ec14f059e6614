"""Apps that only prepare ask their person to press Publish: one question of an app about a capsule, until an answer."""

from __future__ import annotations

from dataclasses import asdict

from django.utils import timezone
from django.utils.translation import gettext

from accounts.actors import Actor
from capsules.models import Story
from config.ids import row_of
from publishing import actions
from publishing.going_live import publish_address
from publishing.models import PublishAsk

State = PublishAsk.State


def ask_to_publish(story: Story, request: actions.PublishRequest, *, by: Actor) -> PublishAsk:
    """The app's question about a story, which says from now on what it asks for at last."""
    wishes = {name: value for name, value in asdict(request).items() if value is not None}
    found, _ = PublishAsk.objects.update_or_create(
        story=story,
        credential=by.credential,
        state=State.WAITING,
        defaults={"user": by.user, "app": by.label[:120], "wishes": wishes, "asked_at": timezone.now()},
    )
    return found


def ask_address(asked: PublishAsk) -> str:
    return f"{publish_address(asked.story)}?ask={asked.pk}"


def ask_of(story: Story, id: str) -> PublishAsk:
    """A question about this story. Raises NotFound, the same for an unknown one and one about another story."""
    return row_of(
        PublishAsk.objects.select_related("user").filter(story=story),
        id,
        gettext("There is no such question."),
    )


def decline(asked: PublishAsk) -> None:
    """The person does not want to publish it now; the app may ask again."""
    waiting = PublishAsk.objects.filter(pk=asked.pk, state=State.WAITING)
    waiting.update(state=State.DECLINED, answered_at=timezone.now())


def outcome(story: Story) -> dict[str, object] | None:
    """What became of the last question about a story, for the app."""
    last = PublishAsk.objects.filter(story=story).select_related("story").first()
    if last is None:
        return None
    told: dict[str, object] = {"state": last.state, "asked_at": last.asked_at.isoformat(timespec="seconds")}
    if last.state == State.WAITING:
        told["link"] = ask_address(last)
    return told
