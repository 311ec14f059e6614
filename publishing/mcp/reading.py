"""The tool that tells everything about one capsule, and what others need to know of its publication."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, cast

from django.conf import settings
from pydantic import Field
from typing_extensions import TypedDict

from accounts.actors import PUBLICATIONS_READ, STORIES_READ
from accounts.mcp.tools import me, tool
from capsules.fields import STORY, row_json
from capsules.mcp.answers import SceneAnswer, scenes_of, story_cards
from capsules.mcp.described import answer_types
from capsules.mcp.inputs import StoryId, story_of
from capsules.mcp.previews import readiness_answer
from capsules.models import Story
from publishing import dark, unpublished
from publishing.by_apps import asks
from publishing.models import PublicationEvent
from publishing.options import options_of
from publishing.premieres import outlook
from publishing.statistics import figures
from publishing.wire import event_on_wire

Part = Literal["scenes", "readiness", "publication", "premiere", "history", "numbers"]
OF_THE_DRAFT = ("scenes", "readiness", "numbers")  # read without publications:read, as by the API
EVENTS = 20
READERS_A_DAY = "Readers a day, added up: who reads on two days counts on both."

OwnFields = TypedDict("OwnFields", answer_types(STORY.fields), total=False)  # type: ignore[misc]


class StoryAnswer(OwnFields, total=False):
    id: str
    visibility: str
    is_published: bool
    url: str | None
    version: int
    revision: int
    scene_count: int
    cover_scene: str | None
    workspace: str
    edited_at: str
    edition_of: str
    taken_down: dict[str, object]  # only while staff keep it from readers
    editions: list[dict[str, object]]
    scenes: list[SceneAnswer]
    readiness: dict[str, object]
    publication: dict[str, object]
    premiere: dict[str, object]
    publish_request: dict[str, object]
    history: list[dict[str, object]]
    numbers: dict[str, object]


class PublicationAnswer(TypedDict):
    is_published: bool
    is_draft_newer: bool
    link: str
    mode: str
    unlisted: bool
    published_at: str | None
    is_first_publish: bool
    premiere_email: dict[str, object]
    white_label_allowed: bool


class PremiereAnswer(TypedDict):
    state: str
    mode: str | None
    due_at: str | None
    recipients: int
    messages: dict[str, int]
    note: str


@tool("Read a capsule", scope=STORIES_READ, quotes=True)
def get_story(
    story: StoryId,
    include: Annotated[list[Part], Field(description="Besides its own fields")] = ["scenes"],  # noqa: B006
) -> StoryAnswer:
    """One capsule as its draft is now: every text whole, ids and versions for the tools that change it. publication
    has its link, whether the draft is newer than what readers see, and what a publish would do; premiere its email,
    history who changed what readers see, numbers how often it was read in 30 days."""
    found = story_of(story)
    answer = cast(StoryAnswer, {**story_cards([found])[0], **own_fields(found)})
    if (asked := asks.outcome(found)) is not None:
        answer["publish_request"] = asked
    parts: dict[Part, Callable[[Story], Any]] = {
        "scenes": scenes_of,
        "readiness": readiness_answer,
        "publication": publication_answer,
        "premiere": premiere_answer,
        "history": history_answer,
        "numbers": numbers_answer,
    }
    for part in include:
        if part not in OF_THE_DRAFT:
            me().require_scope(PUBLICATIONS_READ)
        answer[part] = parts[part](found)
    return answer


def own_fields(story: Story) -> StoryAnswer:
    cover = story.cover
    fields: StoryAnswer = {
        **cast(OwnFields, row_json(story, STORY.fields)),
        "version": story.version,
        "revision": story.revision,
        "cover_scene": str(cover.key) if cover is not None and cover.deleted_at is None else None,
        "editions": [
            {
                "id": str(edition.pk),
                "name": edition.edition_name,
                "language": edition.language,
                "shown_to_readers": edition.shown,
            }
            for edition in story.editions.present().order_by("created_at")
        ],
    }
    if story.capsule_id:
        fields["edition_of"] = str(story.capsule_id)
    if (why := dark.of_story(story)) is not None:
        fields["taken_down"] = {
            "reason": why.reason,
            "rule": why.rule,
            "words": why.words,
            "appealable": why.appealable,
        }
    return fields


def publication_answer(story: Story) -> PublicationAnswer:
    options = options_of(story)
    state = options.state
    return {
        "is_published": state.is_published,
        "is_draft_newer": unpublished.has_changes(story),
        "link": f"{settings.APP_URL}{state.url}" if state.url else options.link,
        "mode": state.publication_mode,
        "unlisted": state.unlisted,
        "published_at": state.published_at.isoformat(timespec="seconds") if state.published_at else None,
        "is_first_publish": options.is_first_publish,
        "premiere_email": options.premiere._asdict(),
        "white_label_allowed": options.white_label_allowed,
    }


def premiere_answer(story: Story) -> PremiereAnswer:
    found = outlook.outlook(story)
    return {
        "state": found.state,
        "mode": found.mode,
        "due_at": found.due_at.isoformat(timespec="seconds") if found.due_at else None,
        "recipients": found.recipients,
        "messages": found.counts,
        "note": found.note,
    }


def history_answer(story: Story) -> list[dict[str, object]]:
    return [event_on_wire(event) for event in PublicationEvent.objects.of_story(story)[:EVENTS]]


def numbers_answer(story: Story) -> dict[str, object]:
    """Of the last 30 days, and of all editions; `reached` is of the default one."""
    span = figures.span_of(story.workspace)
    found = figures.of_story(story, span)
    return {
        "from": span.first.isoformat(),
        "to": span.last.isoformat(),
        **vars(found.totals),
        "scenes": [{"number": each.position, "reached": each.reached} for each in found.scenes],
        "note": READERS_A_DAY,
    }


TOOLS = [get_story]
