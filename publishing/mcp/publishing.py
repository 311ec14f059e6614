"""Tools that change what readers see. They act only when the person asked, and ask which premiere email they want."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Annotated, Literal

import anyio
from django.conf import settings
from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp_types.version import is_version_at_least
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from accounts.actors import PUBLICATIONS_WRITE
from accounts.mcp.tools import PATIENCE, advised, in_thread, me, still_me, tool
from accounts.throttling import check_rate
from capsules.mcp.inputs import StoryId, story_of
from capsules.models import Preview, Story
from config.api import check
from config.errors import CapsulesError, Conflict, Locked
from publishing import actions
from publishing.by_apps import asks, notices
from publishing.by_apps.prospects import Prospect, Way, prospect_of, way_of
from publishing.going_live import GoingLive, NeedsPerson, answer_asks
from publishing.mcp.reading import PremiereAnswer, premiere_answer
from publishing.models import Premiere, Publication
from publishing.premieres import outlook
from publishing.wire import PublishRequestSerializer

POLL = 1.0
#: Before it, a server without sessions cannot ask a question in the middle of a call.
ASKS_SINCE = "2026-07-28"
PRESS = (
    "Nothing is public yet: this person presses Publish themselves. Give them the link. get_story tells in "
    "publish_request what became of it."
)
TOLD = (
    "The person was told by email and in the studio that this is live, with a press to cancel the email and one to "
    "unpublish."
)
CHANGED_SINCE = (
    "The draft has changed since this preview was built. Readers see the preview; call build_preview and publish_story "
    "again for the changes."
)
NOTHING_TO_CANCEL = {
    outlook.NONE: "Nothing is scheduled: tell the person that no email goes out.",
    Premiere.State.CANCELLED: "Nothing is left to do: tell the person that no email goes out.",
    Premiere.State.CANCELLED_PARTIAL: "Tell the person that some emails went out before, and no more do.",
    Premiere.State.DONE: "Tell the person that the email was sent and cannot be called off any more.",
}
Mode = Literal["FULL", "TEASER", "OFF"]


class PremiereChoice(BaseModel):
    premiere: Mode = Field(
        title="Premiere email",
        description="FULL: the whole capsule. TEASER: a short preview with the link. OFF: no email, decided forever.",
    )


class Agreement(BaseModel):
    """Where no email can be chosen."""

    answer: Literal["PUBLISH", "NOT NOW"] = Field(title="Publish it?")


@dataclass(frozen=True)
class Decided:
    """How this call goes on where it asks nothing."""

    way: Way
    prospect: Prospect | None = None


class PublishAnswer(TypedDict, total=False):
    link: str
    slug: str
    is_republish: bool
    mode: str
    premiere: dict[str, object]
    needs_person: bool
    note: str


class Declined(CapsulesError):
    next_step = "Ask the person what they want instead."


async def ask_the_person(
    ctx: Context,
    story: str,
    slug: str | None,
    unlisted: bool | None,
    publication_mode: str | None,
) -> Decided | Elicit[BaseModel]:
    """In apps that can show a question, wherever a capsule goes live: the person decides, whatever the app has chosen.

    Whatever keeps a question from being put is raised, and ends the call: it must not become a publish.
    """
    wishes = wishes_of(slug=slug, unlisted=unlisted, publication_mode=publication_mode)
    decided: Decided = await in_thread("read", decide, story, wishes, can_ask(ctx))
    if decided.way != Way.ASK or decided.prospect is None:
        return decided
    schema = PremiereChoice if decided.prospect.emails else Agreement
    return Elicit(decided.prospect.question, schema)


def can_ask(ctx: Context) -> bool:
    version, capabilities = ctx.protocol_version, ctx.client_capabilities
    asks = capabilities.elicitation if capabilities is not None else None
    if version is None or not is_version_at_least(version, ASKS_SINCE) or asks is None:
        return False
    return asks.form is not None or asks.url is None


def decide(id: str, wishes: actions.PublishRequest, can_ask: bool) -> Decided:
    check_rate("read", me().credential)  # nothing else counts a call that ends in a question
    story = story_of(id)
    actions.check_role(me(), story)
    way = way_of(story, by=me(), can_ask=can_ask)
    return Decided(way, None if way == Way.REPUBLISH else prospect_of(story, wishes))


def wishes_of(**given: object) -> actions.PublishRequest:
    """The arguments as a publish takes them. Raises Invalid."""
    named = {re.sub("_(.)", lambda found: found[1].upper(), name): value for name, value in given.items()}
    fields = check(
        PublishRequestSerializer, {name: value for name, value in named.items() if value is not None}
    )
    return actions.PublishRequest(**fields)


@tool("Publish a capsule", scope=PUBLICATIONS_WRITE, rate="write", idempotent=True, open_world=True)
async def publish_story(
    ctx: Context,
    story: StoryId,
    premiere_email_mode: Annotated[
        Mode,
        Field(
            description="What subscribers get on the first publish: FULL story, TEASER, or OFF. Ask the person, "
            "do not choose. Without effect on a republish"
        ),
    ],
    choice: Annotated[ElicitationResult[BaseModel], Resolve(ask_the_person)],
    slug: Annotated[
        str | None, Field(description="End of the link: lowercase letters, digits, hyphens")
    ] = None,
    unlisted: bool | None = None,
    publication_mode: Literal["STANDARD", "WHITE_LABEL"] | None = None,
    show_social_share: bool | None = None,
) -> PublishAnswer:
    """Makes the latest preview public, or republishes it. Call it only when the person asked you to publish, and after
    build_preview. It takes the preview, not later changes. Another slug of a live capsule breaks its old link.
    needs_person: nothing is public yet; give the person the link, where they publish."""
    if not isinstance(choice, AcceptedElicitation) or getattr(choice.data, "answer", "") == "NOT NOW":
        raise Declined("The person did not agree. Nothing was published.")
    request = wishes_of(
        slug=slug,
        publication_mode=publication_mode,
        unlisted=unlisted,
        show_social_share=show_social_share,
        premiere_email_mode=getattr(choice.data, "premiere", premiere_email_mode),
    )
    await wait_for_preview(ctx, story)
    return await in_thread("write", carry_out, story, request, choice.data)


def carry_out(id: str, request: actions.PublishRequest, choice: Decided | BaseModel) -> PublishAnswer:
    """Publishes in the way that was decided, or asks the person for their press."""
    decided = choice if isinstance(choice, Decided) else Decided(Way.ASK)
    if decided.way == Way.PRESS:
        return asked(id, request)
    try:
        return published(id, request, decided)
    except NeedsPerson:  # they changed the permission while the call waited
        return asked(id, request)


def asked(id: str, request: actions.PublishRequest) -> PublishAnswer:
    question = asks.ask_to_publish(story_of(id), request, by=me())
    return {"needs_person": True, "link": asks.ask_address(question), "note": PRESS}


async def wait_for_preview(ctx: Context, id: str) -> None:
    """Waits for the latest preview without a thread; raises Locked where that takes too long."""
    deadline = time.monotonic() + PATIENCE
    while True:
        preview = await in_thread("read", latest_preview, id)
        if preview is None or preview.state != "building":
            return
        if time.monotonic() + POLL > deadline:
            raise advised(
                Locked(f"The preview is still rendering, {preview.progress} %.", retry_after=10),
                "Call build_preview until its state is ready, then publish_story again.",
            )
        await ctx.report_progress(preview.progress, 100, f"{preview.progress} % rendered")
        await anyio.sleep(POLL)


def latest_preview(id: str) -> Preview | None:
    by = still_me()
    story = story_of(id, by=by)
    actions.check_role(by, story)
    return story.previews.prefetch_related("encodes").first()


def published(id: str, request: actions.PublishRequest, decided: Decided) -> PublishAnswer:
    story = story_of(id)
    going_live = hook_for(decided)
    result = actions.publish(story, request=request, by=me(), encode_wait=POLL, going_live=going_live)
    answer: PublishAnswer = {
        "link": f"{settings.APP_URL}{result.url}",
        "slug": result.slug,
        "is_republish": result.is_republish,
        "mode": result.publication_mode,
        "premiere": dict(premiere_answer(story)),
    }
    notes = [] if result.is_republish or decided.way != Way.TELL else [TOLD]
    if answer["premiere"]["state"] == outlook.NONE:  # its recipients are those that a premiere would have
        answer["premiere"] = {"state": outlook.NONE, "recipients": 0}
    preview = story.latest_preview
    story.refresh_from_db(fields=["revision"])
    if preview is not None and preview.revision != story.revision:
        notes.append(CHANGED_SINCE)
    if notes:
        answer["note"] = " ".join(notes)
    return answer


def hook_for(decided: Decided) -> GoingLive:
    """What goes with the capsule's going live."""
    if decided.way == Way.TELL:
        return notices.notifying(me())
    return agreed if decided.way == Way.ASK else unpublished_meanwhile


def agreed(publication: Publication, story: Story) -> dict[str, object]:
    return {**answer_asks(publication, story), "person": "agreed"}


def unpublished_meanwhile(publication: Publication, story: Story) -> dict[str, object]:
    raise advised(
        Conflict("This capsule was live when you called, and was unpublished meanwhile."),
        "Ask the person whether it should be public again, and call again.",
    )


class StateAnswer(TypedDict, total=False):
    is_published: bool
    visibility: str
    slug: str | None
    link: str | None


@tool("Unpublish a capsule", scope=PUBLICATIONS_WRITE, rate="write", destructive=True, idempotent=True)
def unpublish_story(
    story: StoryId,
    release_slug: Annotated[bool, Field(description="Give its address up for other capsules")] = False,
) -> StateAnswer:
    """Takes a capsule from the public: its link and its embeds open nothing, a premiere email that is still due is not
    sent. Only when the person asked for it. The draft stays."""
    found = story_of(story)
    return state_answer(found, actions.unpublish(found, release_slug=release_slug, by=me()))


@tool("Choose who sees a capsule", scope=PUBLICATIONS_WRITE, rate="write", idempotent=True)
def set_visibility(
    story: StoryId,
    visibility: Annotated[
        Literal["private", "unlisted", "public", "featured"],
        Field(
            description="private unpublishes; unlisted: only by its link; featured: public, offered to the showcase"
        ),
    ],
) -> StateAnswer:
    """Effective at once, without a publish. It does not publish a draft: publish_story does."""
    found = story_of(story)
    return state_answer(found, actions.set_visibility(found, visibility, by=me()))


def state_answer(story: Story, state: actions.PublicationState) -> StateAnswer:
    return {
        "is_published": state.is_published,
        "visibility": story.visibility,
        "slug": state.slug,
        "link": f"{settings.APP_URL}{state.url}" if state.url else None,
    }


@tool("Cancel a premiere email", scope=PUBLICATIONS_WRITE, rate="write", destructive=True)
def cancel_premiere(story: StoryId) -> PremiereAnswer:
    """Calls the email about a published capsule off, forever. Possible until it is sent, about five minutes after the
    first publish. Only when the person asked for it."""
    found = story_of(story)
    try:
        outlook.cancel_premiere(found, by=me())
    except Conflict as error:
        advised(error, NOTHING_TO_CANCEL.get(outlook.outlook(found).state, ""))
        raise
    return premiere_answer(found)


TOOLS = [publish_story, unpublish_story, set_visibility, cancel_premiere]
