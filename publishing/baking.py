"""Baking: from the frames that a preview's encodes made to the content that readers get."""

from __future__ import annotations

import hashlib
import json
import time

from django.conf import settings
from django.db.models import Max

from capsules import readiness
from capsules.content import (
    BakeContent,
    BakedScene,
    FrozenScene,
    Picture,
    PreviewContent,
    Rendition,
    film_of,
    picture_of,
)
from capsules.models import Encode, Preview
from capsules.worker import POLL
from config import stopping
from config.database import release_connection
from config.errors import Conflict, Locked
from publishing.leases import Lease
from publishing.models import Bake

STILL_ROLES = ("landscape", "portrait")


def wait_for_encodes(lease: Lease, previews: list[Preview], seconds: float | None = None) -> None:
    """Returns when all rendering of the previews is done; no connection is held meanwhile, and no place of its route.

    Raises Locked after `seconds` (ENCODE_WAIT), Unavailable where this process stops before, Conflict where an encode
    failed.
    """
    deadline = time.monotonic() + (settings.ENCODE_WAIT if seconds is None else seconds)
    renew_at = time.monotonic() + settings.PUBLISH_LEASE / 3
    while Encode.objects.filter(previews__in=previews).unfinished().exists():
        now = time.monotonic()
        if now > deadline:
            raise Locked("Scene videos are still encoding. Please try again shortly.", retry_after=10)
        if now > renew_at:
            lease.renew()
            renew_at = now + settings.PUBLISH_LEASE / 3
        stopping.check_may_wait()
        release_connection()
        time.sleep(POLL)
    faults = [fault for preview in previews for fault in readiness.preview_encode_faults(preview)]
    if faults:
        raise Conflict("Some of this capsule could not be encoded.", faults=faults)


def bake(preview: Preview) -> Bake:
    """The unsaved bake of a preview whose encodes are all done; the same preview gives the same content.

    Raises Conflict with a fault for every scene without a picture.
    """
    if missing := readiness.missing_pictures(preview):
        raise Conflict("A scene of this preview has no picture.", faults=missing)
    encodes = preview.encodes.in_bulk()
    frozen: PreviewContent = preview.content
    card = encodes.get(frozen["card"]) if frozen["card"] else None
    content: BakeContent = {
        "title": frozen["title"],
        "summary": frozen["summary"],
        "author": frozen["author"],
        "language": frozen["language"],
        "cover": frozen["cover"],
        "card": picture_of(card.renditions("card")[0]) if card else None,
        "scenes": [baked_scene(scene, encodes) for scene in frozen["scenes"]],
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return Bake(story=preview.story, preview=preview, content=content, digest=digest)


def baked_scene(scene: FrozenScene, encodes: dict[int, Encode]) -> BakedScene:
    assert scene["still"] is not None  # noqa: S101 (`bake` has looked)
    still = encodes[scene["still"]]
    films = encodes[scene["animation"]].renditions("film") if scene["animation"] else []
    return {
        "title": scene["title"],
        "text": scene["text"],
        "alt": scene["alt"],
        "focus": scene["focus"],
        "finale": scene["finale"],
        "colour": (still.outputs or {})["colour"],
        "still": {role: by_format(still.renditions(role)) for role in STILL_ROLES},
        "film": {film["format"]: film_of(film) for film in films} or None,
    }


def by_format(renditions: list[Rendition]) -> dict[str, list[Picture]]:
    """Pictures of one role by format, the narrowest first."""
    formats: dict[str, list[Picture]] = {}
    for rendition in sorted(renditions, key=lambda r: r["width"]):
        formats.setdefault(rendition["format"], []).append(picture_of(rendition))
    return formats


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
