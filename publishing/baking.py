"""Baking: from the frames that a preview's encodes made to the content that readers get."""

from __future__ import annotations

import hashlib
import json
import time
from typing import Any

from django.conf import settings
from django.db.models import Max

from capsules import readiness
from capsules.encoding import POLL, release_connection
from capsules.models import Encode, Preview
from config.errors import Conflict, Locked
from publishing.leases import Lease
from publishing.models import Bake

STILL_ROLES = ("landscape", "portrait")
PICTURE = ("name", "media_type", "width", "height", "bytes")
FILM = (*PICTURE, "duration")


def wait_for_encodes(lease: Lease, previews: list[Preview]) -> None:
    """Returns when all rendering of the previews is done; no connection is held meanwhile.

    Raises Locked after ENCODE_WAIT, Conflict where an encode failed.
    """
    deadline = time.monotonic() + settings.ENCODE_WAIT
    renew_at = time.monotonic() + settings.PUBLISH_LEASE / 3
    while Encode.objects.filter(previews__in=previews).unfinished().exists():
        now = time.monotonic()
        if now > deadline:
            raise Locked("Scene videos are still encoding. Please try again shortly.", retry_after=10)
        if now > renew_at:
            lease.renew()
            renew_at = now + settings.PUBLISH_LEASE / 3
        release_connection()
        time.sleep(POLL)
    faults = [fault for preview in previews for fault in readiness.preview_encode_faults(preview)]
    if faults:
        raise Conflict("Some of this capsule could not be encoded.", faults=faults)


def bake(preview: Preview) -> Bake:
    """The unsaved bake of a preview whose encodes are all done; the same preview gives the same content."""
    encodes = preview.encodes.in_bulk()
    frozen = preview.content
    card = encodes.get(frozen["card"])
    content = {
        **{key: frozen[key] for key in ("title", "summary", "author", "language", "cover")},
        "card": only(card.renditions("card")[0], PICTURE) if card else None,
        "scenes": [baked_scene(scene, encodes) for scene in frozen["scenes"]],
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return Bake(story=preview.story, preview=preview, content=content, digest=digest)


def baked_scene(scene: dict[str, Any], encodes: dict[int, Encode]) -> dict[str, Any]:
    still = encodes[scene["still"]]
    films = encodes[scene["animation"]].renditions("film") if scene["animation"] else []
    return {
        **{key: scene[key] for key in ("title", "text", "alt", "focus", "finale")},
        "colour": (still.outputs or {})["colour"],
        "still": {role: by_format(still.renditions(role)) for role in STILL_ROLES},
        "film": {film["format"]: only(film, FILM) for film in films} or None,
    }


def by_format(renditions: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Pictures of one role by format, the narrowest first."""
    formats: dict[str, list[dict[str, Any]]] = {}
    for rendition in sorted(renditions, key=lambda r: r["width"]):
        formats.setdefault(rendition["format"], []).append(only(rendition, PICTURE))
    return formats


def only(rendition: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: rendition[key] for key in keys}


def keep(bake: Bake) -> Bake:
    """The stored bake of this content: the present one where nothing changed, else a new number.

    Call it inside the transaction that goes live, under the lease.
    """
    known = Bake.objects.filter(story=bake.story, digest=bake.digest).first()
    if known is not None:
        if known.replaced_at is not None:
            known.replaced_at = None
            known.save(update_fields=["replaced_at"])
        return known
    latest = Bake.objects.filter(story=bake.story).aggregate(Max("number"))["number__max"] or 0
    bake.number = latest + 1
    bake.save()
    return bake
