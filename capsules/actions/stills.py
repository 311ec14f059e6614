"""The still of a film: where its author chose none, the frame with which the shown part begins, so that nothing jumps
when the film plays. It follows when another part is shown, or another film.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import Workspace
from capsules import rules, storage
from capsules.actions import media
from capsules.actions.writing import check_may_change
from capsules.models import Asset, Scene, Story
from config.json_types import JsonMapping
from config.outage import Busy, busy

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Follows:
    """A still that takes the place of another one."""

    still: Asset
    instead_of: Asset


def follow_part(
    story: Story,
    key: uuid.UUID,
    changes: JsonMapping,
    *,
    by: Actor | None,
    expected: Collection[int] | None,
) -> Follows | None:
    """The default still of what a scene shows after these changes, drawn if it has to be, where the present one is a
    default too; None where the still stays as it is. Takes seconds, so it is asked before anything is locked.

    Raises Forbidden and Locked. What cannot be drawn is left as it is: the change itself is more important.
    """
    if "still" in changes or not {"trim", "film"} & changes.keys():
        return None
    scene = story.scenes.select_related("still__poster_of", "film").filter(key=key).first()
    if scene is None or scene.still is None or not is_default(scene):
        return None
    if expected is not None and scene.version not in expected:
        return None  # it is refused
    film = film_of(story.workspace, changes.get("film", scene.film))
    trim = changes.get("trim", scene.trim if film == scene.film else None)
    start = trim[0] if trim else None
    if film is None or (start in scene.still.begins_at and film == scene.film):
        return None
    check_may_change(by, story.workspace)
    still = still_of_part(film, trim, by=by)
    return Follows(still, scene.still) if still else None


def with_default_stills(
    workspace: Workspace, scenes: Sequence[Mapping[str, object]], *, by: Actor | None
) -> list[dict[str, object]]:
    """New scenes, those that have a film and say nothing of a still with its default one. Takes seconds where a still
    has to be drawn, so it is asked before anything is locked, and only for those who may write.
    """
    made = []
    for scene in scenes:
        film = film_of(workspace, scene.get("film"))
        still = still_of_part(film, scene.get("trim"), by=by) if film and "still" not in scene else None
        made.append({**scene, "still": still} if still else {**scene})
    return made


def draw_ahead(workspace: Workspace, scenes: Sequence[JsonMapping], *, by: Actor | None) -> None:
    """Draws the default stills of new scenes that are about to be made in a transaction, which then finds them.

    Raises Forbidden and Locked. For scenes that are refused nothing is drawn.
    """
    scenes = [rules.tidied(scene) for scene in scenes]
    if any(scene.get("film") and "still" not in scene for scene in scenes) and not any(
        fault for scene in scenes for fault in rules.scene_faults(scene)
    ):
        check_may_change(by, workspace)
        with_default_stills(workspace, scenes, by=by)


def is_default(scene: Scene) -> bool:
    """Whether the still is the frame with which the shown part of the film begins."""
    still, start = scene.still, scene.trim[0] if scene.trim else None
    return still is not None and still.poster_of_id == scene.film_id is not None and start in still.begins_at


def film_of(workspace: Workspace, film: Any) -> Asset | None:
    """The film that a scene names by itself or by its id, if the workspace has it."""
    if not isinstance(film, uuid.UUID):
        return film
    rows = Asset.objects.present().filter(workspace=workspace, kind=Asset.Kind.FILM)
    return rows.filter(pk=film).first()


def still_of_part(film: Asset, trim: Any, *, by: Actor | None) -> Asset | None:
    """The default still of the part of a film, its whole where `trim` is None; None where there is no such part, or
    its still cannot be drawn. Raises Busy where too many are drawn.
    """
    if rules.trim_faults(trim, film.duration):
        return None
    start = trim[0] if trim else None
    try:
        return default_still(film, start, by=by)
    except Busy:
        raise
    except Exception:
        logger.warning("No still of film %s at %s could be taken", film.pk, start, exc_info=True)
        return None


def default_still(film: Asset, start: float | None, *, by: Actor | None) -> Asset:
    """The frame with which the part of a film begins that starts there; its own beginning where `start` is None."""
    for still in film.posters.present().order_by("created_at"):
        if start in still.begins_at:
            return still
    # Not `media.turn()`: the caller may be in a transaction, which needs its connection.
    with media.drawing.slot(busy()), storage.local_file(storage.originals(), film.name) as source:
        return media.draw_still(film, source, at=start, by=by.user if by else None, begins=True)


def drop_unused(still: Asset) -> None:
    """Takes the still of a part that is shown no more out of the library; the film's own stays."""
    if None in still.begins_at:
        return
    used = Scene.every.filter(Q(still=OuterRef("pk")) | Q(film=OuterRef("pk")))
    Asset.objects.filter(~Exists(used), pk=still.pk, deleted_at=None).update(deleted_at=timezone.now())
