"""What else belongs to a capsule's going live: a person behind it, questions it answers, and who sees it then."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext

from accounts.actors import Actor
from capsules.actions.writing import NO_STORY
from capsules.models import Story
from config.errors import Forbidden, NotFound
from publishing.models import Publication, PublishAsk

#: Runs in the transaction in which a story that readers did not see goes live. It returns what the history says of it,
#: or raises to refuse.
GoingLive = Callable[[Publication, Story], dict[str, object]]


class NeedsPerson(Forbidden):
    """An app that only prepares makes nothing public: its person presses Publish."""

    def __init__(self, story: Story) -> None:
        super().__init__(f"This app only prepares. Its person publishes here: {publish_address(story)}")


def publish_address(story: Story) -> str:
    """The address of the page on which a person publishes the story."""
    return f"{settings.APP_URL}/studio/stories/{story.pk}/publish"


def check_person(by: Actor, story: Story) -> None:
    """Raises NeedsPerson where `by` may not make a story public that readers do not see."""
    if by.only_prepares:
        raise NeedsPerson(story)


def answer_asks(publication: Publication, story: Story) -> dict[str, object]:
    """Answers what apps asked about this story; the history names the first that did."""
    waiting = PublishAsk.objects.waiting().filter(story__in={story.pk, publication.story_id})
    apps = list(waiting.order_by("asked_at").values_list("app", flat=True))
    if not apps:
        return {}
    waiting.update(state=PublishAsk.State.PUBLISHED, answered_at=timezone.now())
    return {"asked_by": apps[0]}


def level_after(story: Story, unlisted: bool | None) -> str:
    """The visibility after a publish: a private story becomes public; `unlisted` turns the unlisted level on or off."""
    levels = Story.Visibility
    level = levels.PUBLIC if story.visibility == levels.PRIVATE else levels(story.visibility)
    if unlisted:
        return levels.UNLISTED
    if unlisted is False and level == levels.UNLISTED:
        return levels.PUBLIC
    return level


def choose_level(story: Story, unlisted: bool | None) -> None:
    level = level_after(story, unlisted)
    if level != story.visibility:
        write_level(story, level)


def write_level(story: Story, level: str) -> None:
    """Stores the level without `save()`, whose signal would renew the workspace's pages a second time."""
    story.visibility = level
    Story.objects.filter(pk=story.pk).update(visibility=level, updated_at=timezone.now())


def refresh_stories(stories: list[Story]) -> None:
    """Reads again what may have changed meanwhile. Raises NotFound where one of them went to the trash, or was deleted,
    before its publication was locked.
    """
    rows = Story.objects.present().order_by().filter(pk__in={story.pk for story in stories})
    known = {row["pk"]: row for row in rows.values("pk", "visibility", "shown", "edition_name", "title")}
    for story in stories:
        if story.pk not in known:
            raise NotFound(gettext(NO_STORY))
        for name, value in known[story.pk].items():
            setattr(story, name, value)
