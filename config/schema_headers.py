"""What the OpenAPI document says of answers beside their bodies: headers, and what any call may meet in an outage."""

from __future__ import annotations

from config.json_types import JsonObject

HEADERS: dict[str, tuple[str, str]] = {
    "ETag": (
        "string",
        "The version of what was answered, for If-Match or, where it is listed, If-None-Match.",
    ),
    "Location": (
        "string",
        "Where what was made can be read; of a PATCH's 412, the revision that keeps your words.",
    ),
    "Draft-Revision": (
        "integer",
        "`revision` of the story with this; more than one above the last you saw, and somebody else changed it too.",
    ),
    "Idempotency-Replayed": ("string", "true: it was done by an earlier call under this Idempotency-Key."),
    "WWW-Authenticate": ("string", "How to get a token; where a scope is missing, which ones to ask for."),
    "Retry-After": ("integer", "Seconds after which the same call may succeed."),
    "RateLimit-Policy": ("string", "The rate that was exceeded: its name, q calls in w seconds."),
    "RateLimit": ("string", "How many calls are left (r), and the seconds until there are new ones (t)."),
    "RateLimit-Limit": ("integer", "q of RateLimit-Policy."),
    "RateLimit-Remaining": ("integer", "r of RateLimit."),
    "RateLimit-Reset": ("integer", "t of RateLimit."),
    "Tus-Resumable": ("string", "The version of tus that is spoken here."),
    "Upload-Length": ("integer", "Bytes of the whole file."),
    "Tus-Version": ("string", "The versions of tus that are spoken here."),
    "Content-Disposition": ("string", "Of a CSV file: that it is one to save, and its name."),
}
RATE = [name for name in HEADERS if name.startswith("RateLimit")]
OF_STATUS: dict[str, list[str]] = {
    "304": ["ETag"],
    "401": ["WWW-Authenticate"],
    "403": ["WWW-Authenticate"],
    "412": ["ETag"],
    "423": ["Retry-After"],
    "429": ["Retry-After", *RATE],
    "503": ["Retry-After"],
}
VERSIONED = ("Story", "Scene", "Draft", "Feed")  # the answers that have an ETag
OF_A_DRAFT = ("Story", "Scene", "Order")  # the answers that say how far the draft is
ALIVE = "/api/v2/health"  # answers whatever is away
SLICES = "/api/v2/uploads/{id}/content"
#: What these make has no address of its own: a secret cannot be read again, a sample is in the list of deliveries.
PLACELESS = ("/api/v2/uploads/links", "/api/v2/workspaces/{workspace}/webhooks/{webhook}/test")
OUTAGES = {
    "503": "Something that the service needs is away, or too busy; reading a little later works.",
    "507": "There is no room to save anything; reading goes on.",
}


def outages_described(result: JsonObject, **kwargs: object) -> dict[str, object]:
    """Gives every operation the answers of an outage: 503, and 507 to what writes."""
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for path, operations in result["paths"].items():
        for method, operation in operations.items():
            for status, words in OUTAGES.items():
                if path != ALIVE and (status == "503" or method not in ("get", "head")):
                    content = {kind: dict(schema) for kind, schema in error.items()}
                    operation["responses"][status] = {"description": words, "content": content}
    return result


def headers_described(result: JsonObject, **kwargs: object) -> dict[str, object]:
    """Names the headers of every answer, each described once."""
    result["components"]["headers"] = {
        name: {"schema": {"type": kind}, "description": words} for name, (kind, words) in HEADERS.items()
    }
    for path, operations in result["paths"].items():
        for method, operation in operations.items():
            for status, answer in operation["responses"].items():
                names = names_of(path, method, operation, status, answer)
                described = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
                if described:
                    answer["headers"] = {**answer.get("headers", {}), **described}
    return result


def names_of(path: str, method: str, operation: JsonObject, status: str, answer: JsonObject) -> list[str]:
    """The headers that the answer of this status may have."""
    if path == SLICES:
        own = {"200": ["Upload-Length"], "412": ["Tus-Version"]}.get(status, OF_STATUS.get(status, []))
        return ["Tus-Resumable", *own]
    names = list(OF_STATUS.get(status, []))
    names += ["Location"] if (method, status) == ("patch", "412") else []
    if status.startswith("2"):
        content = answer.get("content", {}).get("application/json", {})
        shown = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
        names += ["ETag"] if shown in VERSIONED else []
        names += ["Draft-Revision"] if shown in OF_A_DRAFT else []
        names += ["Retry-After"] if shown == "Preview" else []
        names += ["Location"] if status == "201" and path not in PLACELESS else []
        sent = {parameter["name"] for parameter in operation.get("parameters", [])}
        names += ["Content-Disposition"] if "text/csv" in answer.get("content", {}) else []
        names += ["Idempotency-Replayed"] if "Idempotency-Key" in sent else []
    return names
