"""What making a capsule public would mean, in words for the person whose app wants to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django.conf import settings

from accounts.actors import Actor
from capsules.models import Story
from config.texts import one_line
from publishing import actions, dark, going_live, slugs
from publishing.models import Publication
from publishing.options import alongside, editions_of, options_of

LEVELS = Story.Visibility
READERS = {
    LEVELS.UNLISTED: "only people with the link see it",
    LEVELS.PUBLIC: "everybody finds it on the profile and in search engines",
    LEVELS.FEATURED: "everybody finds it on the profile and in search engines, and it is offered to the front page",
}


class Way(StrEnum):
    """How a publish by an app goes on."""

    REPUBLISH = "republish"  # readers see the capsule already: it gets its new version
    ASK = "ask"  # the app shows its person a question of ours, and does what they answer
    PRESS = "press"  # the person publishes on a page of ours
    TELL = "tell"  # it goes live, and the person is told at once


def way_of(story: Story, *, by: Actor, can_ask: bool) -> Way:
    """The one place that decides how an app's publish goes on. An app that only prepares gets no other way by being
    able to ask: its person chose to answer on our page.
    """
    if actions.state_of(story).is_published:
        return Way.REPUBLISH
    if by.only_prepares:
        return Way.PRESS
    return Way.ASK if can_ask else Way.TELL


@dataclass(frozen=True)
class Prospect:
    """A capsule as it would go live."""

    title: str
    workspace: str
    link: str
    readers: str  # who sees it, in words that end a sentence
    emails: list[str]  # what may be chosen for subscribers; empty where no email is sent
    recipients: int
    alongside: list[str]  # what goes live with it, in sentences

    @property
    def question(self) -> str:
        """What the person is asked where an app can show it: a new one wherever any of this changed."""
        told = f"“{self.title}” of {self.workspace} goes live for everybody at {self.link}: {self.readers}. "
        told += "".join(f"{sentence} " for sentence in self.alongside)
        if not self.emails:
            return f"{told}No email is sent. Publish it?"
        if not self.recipients:
            return f"{told}Nobody has subscribed yet; who does in the next five minutes gets an email. Which one?"
        one = self.recipients == 1
        who = f"{self.recipients} {'subscriber' if one else 'subscribers'} of {self.workspace}"
        return f"{told}About five minutes later {who} {'gets' if one else 'get'} an email, once and forever. Which one?"


def prospect_of(story: Story, request: actions.PublishRequest) -> Prospect:
    """Raises Conflict where the capsule is not ready or the slug is taken, Forbidden (plan), Locked (taken down)."""
    target = actions.publication_target(story)
    publication = actions.publication_of(target)
    actions.check_plan(publication, request)
    dark.check_may_go_public(story)
    actions.ready_previews(actions.stories_to_bake(story, publication))
    if request.slug and slugs.taken_of([request.slug], publication):
        raise slugs.taken_error()
    options = options_of(story)
    slug = request.slug or options.suggested_slug
    level = going_live.level_after(target, request.unlisted)
    return Prospect(
        title=one_line(story.title) or "Untitled",
        workspace=target.workspace.title,
        link=f"{settings.APP_URL}/{target.workspace.name}/{slug}",
        readers=READERS[LEVELS(level)],
        emails=options.emails_of(request.publication_mode or Publication.Mode(publication.mode)),
        recipients=options.premiere.recipients,
        alongside=alongside(story, publication, editions_of(target)),
    )
