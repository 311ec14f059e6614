"""Asking for encodes and trying failed ones again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from capsules import media, signals
from capsules.media import Focus
from capsules.models import Encode, Scene, Story
from capsules.models.encodes import EncodeQuerySet
from capsules.telling import will_be_told_again
from config.celery import wake

Sources = list[list[str]]  # [storage alias, name] of each input
STILL, ANIMATION = "still_encode", "animation_encode"


@dataclass(frozen=True)
class Wanted:
    """An encode to be asked for. `focus` belongs to the recipe where crops depend on it; `points` are those of a clip,
    one for each source.
    """

    kind: str
    sources: Sources
    focus: Focus | None = None
    priority: int = 0
    points: Sequence[Focus] = ()
    trim: tuple[float, float] | None = None  # the part of a film

    @cached_property
    def rounded_focus(self) -> list[float] | list[list[float]] | None:
        if self.points:
            return [rounded(point) for point in self.points]
        return rounded(self.focus) if self.focus else None

    @cached_property
    def recipe(self) -> str:
        recipe = {
            "kind": self.kind,
            "sources": self.sources,
            "focus": self.rounded_focus,
            "version": media.RECIPE_VERSIONS.get(self.kind, 1),
            "ffmpeg": media.ffmpeg_build(),
        }
        if self.trim:
            recipe["trim"] = list(self.trim)
        return hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()

    def row(self) -> Encode:
        return Encode(
            kind=self.kind,
            recipe=self.recipe,
            sources=self.sources,
            focus=self.rounded_focus,
            trim=list(self.trim) if self.trim else None,
            priority=self.priority,
        )


def rounded(point: Focus) -> list[float]:
    return [round(part, 3) for part in point]


def request(
    kind: str,
    sources: Sources,
    *,
    focus: Focus | None = None,
    points: Sequence[Focus] = (),
    priority: int = 0,
) -> Encode:
    """The encode of this recipe, queued if it is new."""
    wanted = Wanted(kind, sources, focus, priority, points)
    return ensure([wanted])[wanted.recipe]


@transaction.atomic
def ensure(wanted: Iterable[Wanted]) -> dict[str, Encode]:
    """The encodes of these recipes, by recipe; new ones are queued.

    The rows stay locked until the transaction ends, so that none is deleted as superfluous before somebody refers to
    it; always in the same order, so that two such transactions never wait for each other.
    """
    rows = {each.recipe: each for each in wanted}
    while True:
        # No key: scenes that point at the rows need not wait for one another.
        ordered = Encode.objects.select_for_update(no_key=True).filter(recipe__in=rows).order_by("recipe")
        found = {encode.recipe: encode for encode in ordered}
        missing = sorted(set(rows) - set(found))
        if not missing:
            return found
        # Somebody else may ask for the same recipe now; the next round locks theirs.
        Encode.objects.bulk_create([rows[recipe].row() for recipe in missing], ignore_conflicts=True)


def wanted_encodes(scene: Scene, *, priority: int = 0) -> dict[str, Wanted]:
    """What renders a scene, by the field that points at it."""
    wanted = {}
    still = [["default", scene.still.name]] if scene.still else None
    if still:
        wanted[STILL] = Wanted(Encode.Kind.STILL, still, scene.focus, priority)
    if scene.animation == Scene.Animation.AUTO and still:
        wanted[ANIMATION] = wanted[STILL]  # browsers move the still by themselves
    elif scene.animation == Scene.Animation.FILM and scene.film:
        film = [["default", scene.film.name]]
        wanted[ANIMATION] = Wanted(Encode.Kind.FILM, film, None, priority + 1, trim=scene.trim)
    return wanted


def card_of(scene: Scene) -> Wanted | None:
    """The link-preview picture, from the still of the chosen scene."""
    if scene.still is None:
        return None
    return Wanted(Encode.Kind.CARD, [["default", scene.still.name]], scene.focus)


# --- Settling --------------------------------------------------------------------------------------------------


def settle_time() -> datetime:
    """When the encodes of a picture that changes now may be asked for; wakes a worker then, after commit."""
    wake("capsules.tasks.settle_scenes", after=settings.SETTLE + 0.1)
    return timezone.now() + timedelta(seconds=settings.SETTLE)


def settle_due() -> int:
    """Asks for the encodes of every scene that was left alone long enough; returns how many scenes."""
    due = Scene.objects.filter(settle_at__lte=timezone.now(), story__deleted_at__isnull=True)
    count = 0
    # Without the model's order, by whose column DISTINCT would tell equal stories apart.
    for story_id in list(due.values_list("story", flat=True).order_by().distinct()):
        with transaction.atomic():
            # The story first, as every change of it does, or the two may wait for each other.
            if Story.objects.select_for_update(no_key=True).filter(pk=story_id).first() is None:
                continue
            scenes = list(due.filter(story=story_id).select_related("still", "film"))
            point_at_encodes(scenes)
            count += len(scenes)
    return count


def point_at_encodes(
    scenes: list[Scene], *, priority: int = 0, also: Iterable[Wanted] = ()
) -> dict[str, Encode]:
    """Points saved scenes of a locked story at the encodes of their files, queueing what is new.

    Returns all encodes by recipe, those of `also` included. What was queued before and nobody wants now is deleted.
    """
    wanted = {scene.pk: wanted_encodes(scene, priority=priority) for scene in scenes}
    encodes = ensure([*(each for parts in wanted.values() for each in parts.values()), *also])
    superfluous = set()
    for scene in scenes:
        before = (scene.still_encode_id, scene.animation_encode_id, scene.settle_at)
        superfluous |= set(before[:2])
        for field in (STILL, ANIMATION):
            part = wanted[scene.pk].get(field)
            setattr(scene, field, encodes[part.recipe] if part else None)
        scene.settle_at = None
        if before == (scene.still_encode_id, scene.animation_encode_id, None):
            continue
        Scene.every.filter(pk=scene.pk).update(
            still_encode=scene.still_encode, animation_encode=scene.animation_encode, settle_at=None
        )
    forget_queued(pk for pk in superfluous if pk is not None)
    wake_workers()
    return encodes


def forget_queued(encodes: Iterable[int]) -> None:
    """Deletes those of `encodes` that no worker has begun and nobody refers to."""
    forget_unused(Encode.objects.filter(pk__in=set(encodes), state=Encode.State.QUEUED))


def forget_unused(encodes: EncodeQuerySet) -> None:
    """Deletes those of `encodes` that nobody refers to, in the caller's transaction."""
    # Locked before anybody is asked who refers to them: `ensure` locks what it gives away.
    held = list(encodes.select_for_update(skip_locked=True).values_list("pk", flat=True))
    if not held:
        return
    free = Encode.objects.filter(pk__in=held).unreferenced().values_list("pk", flat=True)
    encodes.filter(pk__in=set(free) - signals.keys_in_use(signals.encodes_in_use)).delete()


@transaction.atomic
def retry_encode(encode: Encode) -> bool:
    """Queues a failed encode again; False where it had not failed."""
    will_be_told_again(encode)
    queued = Encode.objects.filter(pk=encode.pk, state=Encode.State.FAILED).update(
        state=Encode.State.QUEUED,
        attempts=0,
        progress=0,
        error="",
        detail="",
        created_at=Now(),
        finished_at=None,
    )
    wake_workers()
    return bool(queued)


def wake_workers() -> None:
    """Tells the workers after commit that encodes or files to check are due; without a broker the sweep finds them."""
    wake("capsules.tasks.check_and_encode")
