"""Tools that change what readers see. They act only when the person asked, and ask which premiere email they want."""

from __future__ import annotations

import time
from typing import Annotated, Any, Literal

import anyio
from django.conf import settings
from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp_types.version import is_version_at_least
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from accounts.actors import PUBLICATIONS_WRITE
from accounts.mcp.tools import advised, in_thread, me, still_me, tool
from accounts.throttling import check_rate
from capsules.mcp.shapes import StoryId, story_of
from capsules.models import Preview
from config.api import check
from config.errors import CapsulesError, Conflict, Locked, Throttled, Unavailable
from publishing import actions
from publishing.api.serializers import PublishRequestSerializer
from publishing.mcp.reading import PremiereAnswer, premiere_answer
from publishing.models import Premiere, Publication
from publishing.options import options_of
from publishing.premieres import outlook

ENCODE_WAIT = 40.0  # seconds; apps give up after a minute
POLL = 1.0
ASKS_SINCE = (
    "2026-07-28"  # before it, a server without sessions cannot ask a question in the middle of a call
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


class PublishAnswer(TypedDict, total=False):
    link: str
    slug: str
    is_republish: bool
    mode: str
    premiere: dict[str, Any]
    note: str


class Declined(CapsulesError):
    next_step = "Ask the person what they want instead."


async def ask_the_person(
    ctx: Context, story: str, publication_mode: str | None
) -> PremiereChoice | Elicit[PremiereChoice] | None:
    """On a first publish, in apps that can show a question: the person decides, whatever the app has chosen.

    None where nothing is asked; a refusal is left to the publish itself, which words it.
    """
    if not can_ask(ctx) or publication_mode == Publication.Mode.WHITE_LABEL:
        return None
    try:
        question = await in_thread("read", question_of, story)
    except (Throttled, Unavailable):
        raise  # a question that could not be put must not become a publish
    except CapsulesError:
        return None
    return Elicit(question, PremiereChoice) if question else None


def can_ask(ctx: Context) -> bool:
    version, capabilities = ctx.protocol_version, ctx.client_capabilities
    asks = capabilities.elicitation if capabilities is not None else None
    if version is None or not is_version_at_least(version, ASKS_SINCE) or asks is None:
        return False
    return asks.form is not None or asks.url is None


def question_of(id: str) -> str:
    """What a person is asked before a capsule is announced; empty where a publish announces nothing."""
    check_rate("read", me().credential)  # nothing else counts a call that ends in a question
    story = story_of(id)
    actions.check_role(me(), story)
    options = options_of(story)
    if not options.premiere.will_be_sent:
        return ""
    target = actions.publication_target(story)
    recipients = options.premiere.recipients
    subscribers = f"{recipients} subscriber{'' if recipients == 1 else 's'}"
    return (
        f"“{target.title}” goes live for everybody at {options.link}. About five minutes later "
        f"{subscribers} of {target.workspace.title} get an email, once and forever. Which one?"
    )


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
    choice: Annotated[ElicitationResult[PremiereChoice], Resolve(ask_the_person)],
    slug: Annotated[
        str | None, Field(description="End of the link: lowercase letters, digits, hyphens")
    ] = None,
    unlisted: bool | None = None,
    publication_mode: Literal["STANDARD", "WHITE_LABEL"] | None = None,
    show_social_share: bool | None = None,
) -> PublishAnswer:
    """Makes the latest preview public, or republishes it. Call it only when the person asked you to publish, and after
    build_preview. It takes the preview, not later changes. Another slug of a live capsule breaks its old link."""
    if not isinstance(choice, AcceptedElicitation):
        raise Declined("The person did not agree. Nothing was published.")
    if choice.data is not None:
        premiere_email_mode = choice.data.premiere
    given = {
        "slug": slug,
        "publicationMode": publication_mode,
        "unlisted": unlisted,
        "showSocialShare": show_social_share,
        "premiereEmailMode": premiere_email_mode,
    }
    fields = check(
        PublishRequestSerializer, {name: value for name, value in given.items() if value is not None}
    )
    await rendered(ctx, story)
    return await in_thread("write", published, story, actions.PublishRequest(**fields))


async def rendered(ctx: Context, id: str) -> None:
    """Waits for the latest preview without a thread; raises Locked where that takes too long."""
    deadline = time.monotonic() + ENCODE_WAIT
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


def published(id: str, request: actions.PublishRequest) -> PublishAnswer:
    story = story_of(id)
    result = actions.publish(story, request=request, by=me(), encode_wait=POLL)
    answer: PublishAnswer = {
        "link": f"{settings.APP_URL}{result.url}",
        "slug": result.slug,
        "is_republish": result.is_republish,
        "mode": result.publication_mode,
        "premiere": dict(premiere_answer(story)),
    }
    preview = story.latest_preview
    story.refresh_from_db(fields=["revision"])
    if preview is not None and preview.revision != story.revision:
        answer["note"] = (
            "The draft has changed since this preview was built. Readers see the preview; "
            "call build_preview and publish_story again for the changes."
        )
    return answer


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
    actions.unpublish(found, release_slug=release_slug, by=me())
    return state_answer(story)


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
    actions.set_visibility(story_of(story), visibility, by=me())
    return state_answer(story)


def state_answer(id: str) -> StateAnswer:
    story = story_of(id)
    state = actions.state_of(story)
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
        outlook.cancel(found, by=me())
    except Conflict as error:
        advised(error, NOTHING_TO_CANCEL.get(outlook.outlook(found).state, ""))
        raise
    return premiere_answer(found)


TOOLS = [publish_story, unpublish_story, set_visibility, cancel_premiere]
