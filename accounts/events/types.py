"""Every type of event: what it tells, and the fields of its data. Code, API and documents read this one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from config.json_types import JsonObject

Schema = JsonObject
MOST_LISTED = 100  # items of a list in an event


def text(words: str, shown: str | None, *, null: bool = False) -> Schema:
    kind: Any = ["string", "null"] if null else "string"
    return {"type": kind, "description": words, "example": shown}


def whole(words: str, shown: int | None, *, null: bool = False) -> Schema:
    return {"type": ["integer", "null"] if null else "integer", "description": words, "example": shown}


def flag(words: str, shown: bool) -> Schema:
    return {"type": "boolean", "description": words, "example": shown}


def ids(words: str) -> Schema:
    return {
        "type": "array",
        "items": {"type": "string"},
        "maxItems": MOST_LISTED,
        "description": words,
        "example": [],
    }


def group(words: str, fields: Mapping[str, Schema]) -> Schema:
    return {
        "type": "object",
        "description": words,
        "required": list(fields),
        "properties": dict(fields),
    }


def nothing(words: str) -> Schema:
    return {"type": "null", "description": words, "example": None}


STORY = group(
    "The capsule, or the edition of one.",
    {
        "id": text("Its identifier.", "7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b11"),
        "title": text("Its title in the draft.", "The last ferry to Aldermoor"),
        "url": text(
            "Its public link; null while readers cannot open it.",
            "https://capsules.example/north-shore/the-last-ferry-to-aldermoor",
            null=True,
        ),
    },
)
NO_STORY = nothing("It is not about one capsule.")
WHO = {
    "via": text(
        "Through what it was done: studio, token, app, key, link, mail, staff, or service where nobody asked for it.",
        "studio",
    ),
    "label": text("The name of the app or the key; empty for others.", ""),
}
SLUG = text("The end of its public link.", "the-last-ferry-to-aldermoor")
EDITIONS = {
    "editions": ids(f"The editions that went the same way with it; of more than {MOST_LISTED} the first."),
    "editionCount": whole("How many these are.", 0),
}
LEVEL = "Private, unlisted, public or featured, in lower case."
UPLOAD = group(
    "The file.",
    {
        "id": text("The upload's identifier.", "c9b6d4e2-7f61-4f0c-8d35-2f0f5f2d7a10"),
        "filename": text("As it was called.", "ferry.jpg"),
        "kind": text("picture or film.", "picture"),
    },
)
VERSION = {
    "slug": SLUG,
    "version": whole("The number of the version that readers get.", 4),
    "previewNumber": whole("The preview that it was baked from; null where it is not kept.", 7, null=True),
    "publicationMode": text("STANDARD or WHITE_LABEL.", "STANDARD"),
    "visibility": text(LEVEL, "public"),
    "publishedStoryId": text("Of an edition that its capsule shows: the capsule.", None, null=True),
    "edition": text("Its name in the shared link.", None, null=True),
}
CASE = {
    "reason": text("illegal, rights, hate, spam or other.", "rights", null=True),
    "rule": text("The rule or law that staff named.", "Terms, section 4"),
}
MODE = text("FULL or TEASER.", "TEASER")
WHY = text("Why, where the service knows.", "The capsule was unpublished.", null=True)


@dataclass(frozen=True)
class EventType:
    """`fields`: those of `data` beside `story`, `via` and `label`."""

    words: str
    fields: Mapping[str, Schema] = field(default_factory=dict)
    story: Schema = field(default_factory=lambda: STORY)

    @property
    def data(self) -> dict[str, Schema]:
        return {"story": self.story, **WHO, **self.fields}


TYPES: dict[str, EventType] = {
    "story.created": EventType(
        "A capsule or an edition was begun.",
        {
            "capsuleId": text("Of an edition: its capsule.", None, null=True),
            "copyOf": text("Of a copy: the original.", None, null=True),
        },
    ),
    "story.published": EventType("A capsule went live that readers could not open before.", VERSION),
    "story.republished": EventType(
        "Readers get another version of a live capsule, or find it under another link.",
        {
            **VERSION,
            "slugBefore": SLUG,
            "restoredFrom": whole("The earlier version that was made live again.", None, null=True),
        },
    ),
    "story.unpublished": EventType(
        "A capsule was taken from the public by its people.",
        {
            "slug": SLUG,
            "slugReleased": flag("Whether others may take its link.", False),
        },
    ),
    "story.visibility_changed": EventType(
        "Who can see a capsule changed. Making a live one private is story.unpublished alone.",
        {"before": text(LEVEL, "public"), "after": text(LEVEL, "unlisted")},
    ),
    "story.restored": EventType("A capsule came back from the trash. It is not live.", EDITIONS),
    "story.trashed": EventType(
        "A capsule was moved to the trash; a live one was unpublished with it.",
        {"wasPublished": flag("Whether readers could open it.", False), **EDITIONS},
    ),
    "story.deleted": EventType("A capsule was deleted forever.", EDITIONS),
    "story.frozen": EventType("Staff took a capsule down.", CASE),
    "story.unfrozen": EventType("Staff gave a capsule back."),
    "preview.ready": EventType(
        "A preview is rendered and can be published.", {"previewNumber": whole("Its number.", 7)}
    ),
    "preview.failed": EventType(
        "A preview could not be rendered.",
        {
            "previewNumber": whole("Its number.", 7),
            "error": text("Why, in words.", "This file could not be read."),
        },
    ),
    "upload.ready": EventType(
        "A file was checked and taken.",
        {
            "upload": UPLOAD,
            "mediaId": text("What scenes refer to.", "5d1f0c53-9a5b-4b65-9d0a-0e6a3b7f4c21"),
        },
        story=NO_STORY,
    ),
    "upload.refused": EventType(
        "A file was not taken.",
        {"upload": UPLOAD, "error": text("Why, in words.", "This file could not be read.")},
        story=NO_STORY,
    ),
    "premiere.scheduled": EventType(
        "The premiere email will be sent.",
        {"mode": MODE, "dueAt": text("When, RFC 3339.", "2026-11-18T17:09:05Z")},
    ),
    "premiere.sent": EventType("The premiere email was sent to everybody.", {"mode": MODE}),
    "premiere.held": EventType("The premiere email waits for staff.", {"reason": WHY}),
    "premiere.cancelled": EventType("The premiere email was called off.", {"reason": WHY}),
    "workspace.suspended": EventType(
        "Staff suspended the workspace: nothing of it is public.", CASE, story=NO_STORY
    ),
    "workspace.resumed": EventType("Staff ended the suspension.", story=NO_STORY),
}

#: A delivery that was asked for by hand; it is in no log.
TEST = "webhook.test"
TEST_TYPE = EventType("A test of a webhook. It has no sequence and is in no log.", story=NO_STORY)
#: What can be delivered.
DELIVERED = {**TYPES, TEST: TEST_TYPE}


def event_shown(type: str) -> JsonObject:
    """An example of an event of this type."""
    return {
        "id": "evt_3c0f6a4d1b2e4f5a8c7d9e0f1a2b3c4d",
        "sequence": None if type == TEST else 41,
        "type": type,
        "timestamp": "2026-11-18T17:04:05.120000Z",
        "data": sample(type),
    }


def sample(type: str) -> JsonObject:
    """The data of an event of this type, made up."""
    return {name: shown(schema) for name, schema in DELIVERED[type].data.items()}


def shown(schema: Schema) -> Any:
    if "properties" in schema:
        return {name: shown(inner) for name, inner in schema["properties"].items()}
    return schema["example"]
