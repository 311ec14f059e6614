"""The `webhooks:` section of the OpenAPI document: one entry for each type that is delivered."""

from __future__ import annotations

from accounts.events.types import DELIVERED, STORY, TEST, UPLOAD, EventType, event_shown
from config.json_types import JsonObject

#: Described once.
SHARED = {"EventStory": STORY, "EventUpload": UPLOAD}

TEXT = {"type": "string"}
HEADERS = {
    "webhook-id": "The event's id, the same in every delivery and try. Keep it to tell repeats.",
    "webhook-timestamp": "When this try was made, in seconds since 1970.",
    "webhook-signature": "v1 (HMAC-SHA256) and v1a (ed25519) signatures, separated by spaces.",
}


def webhooks_described(result: JsonObject, **kwargs: object) -> JsonObject:
    schemas = result["components"]["schemas"]
    schemas |= SHARED
    result["components"]["parameters"] = {
        name: {"name": name, "in": "header", "required": True, "description": words, "schema": TEXT}
        for name, words in HEADERS.items()
    }
    result["webhooks"] = {}
    for name, type in DELIVERED.items():
        title = "".join(part.title() for part in name.replace(".", "_").split("_")) + "Event"
        schemas[title] = schema(name, type)
        result["webhooks"][name] = {"post": operation(name, type, title)}
    return result


def schema(name: str, type: EventType) -> JsonObject:
    place = "Its place in the workspace's log; null for a sample."
    sequence: JsonObject = {"type": ["integer", "null"], "description": place}
    if name == TEST:
        sequence = {"type": "null", "description": "A test is in no log."}
    return {
        "type": "object",
        "description": type.words,
        "required": ["id", "sequence", "type", "timestamp", "data"],
        "properties": {
            "id": {"type": "string", "pattern": "^evt_[0-9a-f]{32}$"},
            "sequence": sequence,
            "type": {"const": name},
            "timestamp": {"type": "string", "format": "date-time"},
            "data": {"type": "object", "required": list(type.data), "properties": described(type)},
        },
    }


def described(type: EventType) -> JsonObject:
    refs = {id(schema): {"$ref": f"#/components/schemas/{title}"} for title, schema in SHARED.items()}
    return {name: refs.get(id(schema), schema) for name, schema in type.data.items()}


def operation(name: str, type: EventType, title: str) -> JsonObject:
    examples = {"Sent": {"value": event_shown(name)}}
    content = {"schema": {"$ref": f"#/components/schemas/{title}"}, "examples": examples}
    return {
        "operationId": "on" + title.removesuffix("Event"),
        "summary": type.words,
        "tags": ["Events"],
        "parameters": [{"$ref": f"#/components/parameters/{header}"} for header in HEADERS],
        "requestBody": {"required": True, "content": {"application/json": content}},
        "responses": {"2XX": {"description": "Taken. Anything else is tried again."}},
    }
