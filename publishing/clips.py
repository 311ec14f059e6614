"""The films of a bake for what shows files and not our pages, made after the publish.

The social clip: a few seconds of every scene, for apps that play video in link previews. The hero: the camera's move
over one still, for cards.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q

from capsules.actions import encodes
from capsules.actions.encodes import wake_workers
from capsules.content import BakeContent, BakedScene, Film, Picture, film_of
from capsules.media import Focus
from capsules.models import Encode
from publishing.models import Bake, Publication
from publishing.signals import publication_changed

CLIP_PRIORITY, HERO_PRIORITY = 10, 9  # behind everything that somebody waits for


def clip_of(publication: Publication) -> Film | None:
    """The live bake's clip; None until it is ready.

    It needs no query where `live_bake__clip` was selected along.
    """
    encode = publication.live_bake.clip if publication.live_bake else None
    made = encode.renditions("clip") if encode else []
    return film_of(made[0]) if made else None


def hero_of(bake: Bake) -> Film | None:
    """What a card plays while there is no clip, as MP4: the first film of the bake, else the move over its first still
    that moves; None until that is ready.
    """
    film = first_film(bake.content)
    if film is not None or bake.hero is None:
        return film
    made = [rendition for rendition in bake.hero.renditions("film") if rendition["format"] == "mp4"]
    return film_of(made[0]) if made else None


def first_film(content: BakeContent) -> Film | None:
    return next((scene["film"]["mp4"] for scene in content["scenes"] if scene["film"]), None)


def request_missing() -> int:
    """Asks for the clip of every live bake that has none yet, and for its hero; returns for how many bakes."""
    read = Publication.objects.exclude(pk__in=Publication.objects.dark())
    live = read.filter(live_bake__clip__isnull=True, live_bake__isnull=False)
    bakes = Bake.objects.filter(pk__in=live.values("live_bake"))
    for bake in bakes:
        with transaction.atomic():
            clip, hero = request_clip(bake), request_hero(bake)
            # Held before its bake, as whoever publishes or deletes the capsule does.
            list(Publication.objects.filter(live_bake=bake).select_for_update().values_list("pk"))
            Bake.objects.filter(pk=bake.pk).update(clip=clip, hero=hero)
            wake_workers()
            # They may have been made before, of scenes that a republish left alone, or while this bake was not written.
            for film in filter(None, (hero, clip)):
                if film.state == Encode.State.DONE:  # held until the end of this transaction
                    tell_of(film, live_bake=bake)  # pages that had it before show nothing new
    return len(bakes)


def request_clip(bake: Bake) -> Encode:
    """The film of each scene, or its picture where it has none, as one film."""
    scenes = bake.content["scenes"]
    sources, points = [["blobs", shot(scene)["name"]] for scene in scenes], [shown_focus(s) for s in scenes]
    return encodes.request(Encode.Kind.CLIP, sources, points=points, priority=CLIP_PRIORITY)


def request_hero(bake: Bake) -> Encode | None:
    scene = moving_scene(bake.content)
    if scene is None:
        return None
    source = [["blobs", picture_of(scene)["name"]]]
    return encodes.request(Encode.Kind.MOVE, source, focus=shown_focus(scene), priority=HERO_PRIORITY)


def moving_scene(content: BakeContent) -> BakedScene | None:
    """The scene that its hero is made of; None where a film is there already, or nothing moves."""
    if first_film(content) is not None:
        return None
    return next((scene for scene in content["scenes"] if scene.get("camera")), None)


def tell_of(film: Encode, **only: Bake) -> None:
    """Announces that a clip or a hero is ready, so that live pages and cards are renewed."""
    live = Publication.objects.filter(Q(live_bake__clip=film) | Q(live_bake__hero=film), **only)
    for publication in live.capsules_first().select_related("story__workspace"):
        publication_changed.send(Publication, publication=publication)


def shot(scene: BakedScene) -> Picture:
    return scene["film"]["mp4"] if scene["film"] and not scene.get("camera") else picture_of(scene)


def picture_of(scene: BakedScene) -> Picture:
    return scene["still"]["landscape"]["jpeg"][-1]


def shown_focus(scene: BakedScene) -> Focus:
    x, y = scene["focus"]
    return x, y
