"""The social clip: a few seconds of a live bake, made after the publish, for apps that play video in link previews."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from capsules import encodes
from capsules.actions import wake_encoders
from capsules.models import Encode
from capsules.signals import encode_done
from publishing.models import Bake, Publication

FIELDS = ("name", "media_type", "width", "height", "bytes", "duration")
PRIORITY = 10  # behind everything that somebody waits for


def clip_of(publication: Publication) -> dict[str, Any] | None:
    """{name, media_type, width, height, bytes, duration} of the live bake's clip; None until it is ready.

    `name` names a blob. It asks nothing of the database where `live_bake__clip` was selected along.
    """
    encode = publication.live_bake.clip if publication.live_bake else None
    made = encode.renditions("clip") if encode else []
    return {field: made[0][field] for field in FIELDS} if made else None


def hero_of(content: dict[str, Any]) -> dict[str, Any] | None:
    """The first film of a bake, as MP4: what a card plays while there is no clip."""
    return next((dict(scene["film"]["mp4"]) for scene in content["scenes"] if scene["film"]), None)


def request_missing() -> int:
    """Asks for the clip of every live bake that has none yet; returns how many."""
    live = Publication.objects.filter(live_bake__clip__isnull=True, live_bake__isnull=False)
    bakes = Bake.objects.filter(pk__in=live.values("live_bake"))
    for bake in bakes:
        with transaction.atomic():
            clip = encodes.request(Encode.Kind.CLIP, sources_of(bake.content), priority=PRIORITY)
            Bake.objects.filter(pk=bake.pk).update(clip=clip)
            wake_encoders()
        tell_if_done(clip)
    return len(bakes)


def tell_if_done(clip: Encode) -> None:
    """A recipe that was carried out before, as of films that a republish left alone, has nobody else to tell it."""
    done = Encode.objects.filter(pk=clip.pk, state=Encode.State.DONE).first()
    if done is not None:
        encode_done.send(Encode, encode=done)


def sources_of(content: dict[str, Any]) -> list[list[str]]:
    """The film of each scene, or its picture where it has none, as an encode's sources."""
    return [["blobs", shot(scene)["name"]] for scene in content["scenes"]]


def shot(scene: dict[str, Any]) -> dict[str, Any]:
    return dict(scene["film"]["mp4"] if scene["film"] else scene["still"]["landscape"]["jpeg"][-1])
