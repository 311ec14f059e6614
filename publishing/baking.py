"""Baking: from the frames that a preview's encodes made to the content that readers get."""

from __future__ import annotations

import hashlib
import json
import time

from django.conf import settings
from django.db.models import Max, prefetch_related_objects
from django.utils.translation import gettext

from capsules import readiness
from capsules.content import (
    BakeContent,
    BakedScene,
    FrozenScene,
    Movement,
    Picture,
    PreviewContent,
    Rendition,
    film_of,
    picture_of,
    scene_fields,
    story_fields,
)
from capsules.models import Encode, Preview
from capsules.worker import POLL
from config import stopping
from config.database import only, release_connection
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
    # Early enough that two renewals may fail before anybody else takes the lease.
    renew_at = time.monotonic() + settings.PUBLISH_LEASE / 3
    while Encode.objects.filter(previews__in=previews).unfinished().exists():
        now = time.monotonic()
        if now > deadline:
            raise Locked(
                gettext("Scene videos are still encoding. Please try again shortly."), retry_after=10
            )
        if now > renew_at:
            lease.renew()
            renew_at = now + settings.PUBLISH_LEASE / 3
        stopping.check_may_wait()
        release_connection()
        time.sleep(POLL)
    prefetch_related_objects(previews, "encodes")
    faults = [fault for preview in previews for fault in readiness.preview_encode_faults(preview)]
    if faults:
        raise Conflict(gettext("Some of this capsule could not be encoded."), faults=faults)


def bake(preview: Preview) -> Bake:
    """The unsaved bake of a preview whose encodes are all done; the same preview gives the same content.

    Raises Conflict with a fault for every scene without a picture.
    """
    if missing := readiness.missing_pictures(preview):
        raise Conflict(gettext("A scene of this preview has no picture."), faults=missing)
    encodes = {encode.pk: encode for encode in preview.encodes.all()}
    frozen: PreviewContent = preview.content
    card = encodes.get(frozen["card"]) if frozen["card"] else None
    content: BakeContent = {
        **story_fields(frozen),
        "cover": frozen["cover"],
        "card": picture_of(card.renditions("card")[0]) if card else None,
        "scenes": [baked_scene(scene, encodes) for scene in frozen["scenes"]],
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return Bake(story=preview.story, preview=preview, content=content, digest=digest)


def baked_scene(scene: FrozenScene, encodes: dict[int, Encode]) -> BakedScene:
    assert scene["still"] is not None  # noqa: S101 (`bake` has looked)
    still = encodes[scene["still"]]
    return {
        **scene_fields(scene),
        "colour": (still.outputs or {})["colour"],
        "still": {role: by_format(still.renditions(role)) for role in STILL_ROLES},
        **movement_of(encodes[scene["animation"]] if scene["animation"] else None),
    }


def movement_of(animation: Encode | None) -> Movement:
    """What moves in a scene, by the encode that renders its animation: a film; any other is for the camera."""
    if animation is None or animation.kind != Encode.Kind.FILM:
        return {"camera": animation is not None, "film": None}
    return {
        "camera": False,
        "film": {film["format"]: film_of(film) for film in animation.renditions("film")} or None,
    }


def by_format(renditions: list[Rendition]) -> dict[str, list[Picture]]:
    """Pictures of one role by format, the narrowest first."""
    formats: dict[str, list[Picture]] = {}
    for rendition in sorted(renditions, key=lambda r: r["width"]):
        formats.setdefault(rendition["format"], []).append(picture_of(rendition))
    return formats


def keep_bake(bake: Bake) -> Bake:
    """The stored bake of this content: the present one where nothing changed, else a new number.

    Call it inside the transaction that goes live, under the lease.
    """
    # Also one that was replaced: publishing an old state again makes its number live again.
    # Held: it may be forgotten at this moment, and is made anew then.
    known = only(Bake.objects.select_for_update().filter(story=bake.story, digest=bake.digest))
    if known is not None:
        known.story = bake.story
        if known.preview_id == bake.preview_id:
            known.preview = bake.preview
        if known.replaced_at is not None:
            known.replaced_at = None
            known.save(update_fields=["replaced_at"])
        return known
    latest = Bake.objects.filter(story=bake.story).aggregate(Max("number"))["number__max"] or 0
    bake.number = latest + 1
    bake.save()
    return bake
