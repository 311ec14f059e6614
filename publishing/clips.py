"""The social clip: a few seconds of a live bake, made after the publish, for apps that play video in link previews."""

from __future__ import annotations

from django.db import transaction

from capsules.actions import encodes
from capsules.actions.encodes import wake_encoders
from capsules.content import BakeContent, BakedScene, Film, Picture, film_of
from capsules.models import Encode
from publishing.models import Bake, Publication
from publishing.signals import publication_changed

PRIORITY = 10  # behind everything that somebody waits for


def clip_of(publication: Publication) -> Film | None:
    """The live bake's clip; None until it is ready.

    It needs no query where `live_bake__clip` was selected along.
    """
    encode = publication.live_bake.clip if publication.live_bake else None
    made = encode.renditions("clip") if encode else []
    return film_of(made[0]) if made else None


def hero_of(content: BakeContent) -> Film | None:
    """The first film of a bake, as MP4: what a card plays while there is no clip."""
    return next((scene["film"]["mp4"] for scene in content["scenes"] if scene["film"]), None)


def request_missing() -> int:
    """Asks for the clip of every live bake that has none yet; returns how many."""
    live = Publication.objects.filter(live_bake__clip__isnull=True, live_bake__isnull=False)
    bakes = Bake.objects.filter(pk__in=live.values("live_bake"))
    for bake in bakes:
        with transaction.atomic():
            clip = encodes.request(Encode.Kind.CLIP, sources_of(bake.content), priority=PRIORITY)
            Bake.objects.filter(pk=bake.pk).update(clip=clip)
            wake_encoders()
        # It may have been made before, of films that a republish left alone, or while its bake was not written.
        if Encode.objects.filter(pk=clip.pk, state=Encode.State.DONE).exists():
            tell_of(clip, live_bake=bake)  # pages that had it before show nothing new
    return len(bakes)


def tell_of(clip: Encode, **only: Bake) -> None:
    """Announces that the clip is ready, so that live pages and cards are renewed."""
    live = Publication.objects.filter(live_bake__clip=clip, **only)
    for publication in live.select_related("story__workspace"):
        publication_changed.send(Publication, publication=publication)


def sources_of(content: BakeContent) -> list[list[str]]:
    """The film of each scene, or its picture where it has none, as an encode's sources."""
    return [["blobs", shot(scene)["name"]] for scene in content["scenes"]]


def shot(scene: BakedScene) -> Picture:
    return scene["film"]["mp4"] if scene["film"] else scene["still"]["landscape"]["jpeg"][-1]
