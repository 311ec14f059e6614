"""Writing scenes: adding, changing, moving, copying and deleting them."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Case, F, Value, When
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import Workspace
from capsules import rules
from capsules.actions import encodes
from capsules.actions.copying import copied
from capsules.actions.writing import Unchanged, too_late, writing
from capsules.models import Asset, Scene, Story
from config.database import only
from config.errors import Conflict, Fault, Invalid, NotFound

NO_SCENE = "There is no such scene."
AFTER_GONE = "The scene that this one should follow is gone."
AFTER_FINALE = "Nothing comes after the finale."
ONE_FINALE = "Another scene is the finale already."
REFUSED = "The scene cannot be saved."
OUT_OF_THE_WAY = 10_000  # added to positions while scenes change places
AT_END: Any = object()
MEDIA_FIELDS = {"still", "focus", "animation", "film"}


@dataclass(frozen=True)
class SceneDraft:
    """What an author gives for one scene. `animation` is "" (none), "auto", or "film" with the clip in `film`."""

    text: str = ""
    title: str = ""
    alt: str = ""
    still: Asset | None = None
    focus: tuple[float, float] = (0.5, 0.5)
    animation: str = ""
    film: Asset | None = None
    finale: bool = False

    def fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


# --- Adding ----------------------------------------------------------------------------------------------------


@transaction.atomic
def add_scene(story: Story, draft: SceneDraft, *, priority: int = 0) -> Scene:
    """Appends a scene and asks for its encodes at once; for the service's own content. Raises what `insert` raises."""
    faults = list(rules.scene_faults(draft.fields()))
    if faults:
        raise Invalid(REFUSED, faults=faults)
    (scene,) = insert(story, [draft.fields()], at=story.scenes.count(), path="", by=None)
    encodes.settle([scene], priority=priority)
    return scene


def add_scenes(
    story: Story,
    scenes: Sequence[Mapping[str, Any]],
    *,
    after: uuid.UUID | None = AT_END,
    path: str = "scenes.{}.",
    by: Actor | None,
) -> list[Scene]:
    """Adds scenes behind the scene `after` (None: before all), else at the end. Each has any of text, title, alt,
    still and film (an Asset or its id), focus, animation and finale.

    Raises Invalid with a fault for everything that breaks a rule, Conflict (after the finale, too many, `after`
    gone), and what `writing` raises.
    """
    scenes = [rules.tidied(scene) for scene in scenes]
    faults = [
        fault for index, scene in enumerate(scenes) for fault in rules.scene_faults(scene, path.format(index))
    ]
    if faults:
        raise Invalid(REFUSED, faults=faults)
    with writing(story, by=by) as locked:
        return insert(locked, scenes, at=place_behind(locked, after), path=path, by=by)


def insert(
    story: Story, scenes: Sequence[Mapping[str, Any]], *, at: int, path: str, by: Actor | None
) -> list[Scene]:
    """Puts checked scenes into a locked story, from position `at` on; their encodes are asked for when they settle."""
    present = list(story.scenes.order_by("position"))
    check_count(len(present) + len(scenes))
    if scenes and at > 0 and present[at - 1].finale:
        raise Conflict(AFTER_FINALE)
    if sum(bool(scene.get("finale")) for scene in scenes) + any(
        scene.finale for scene in present
    ) > 1 and any(scene.get("finale") for scene in scenes):
        raise Conflict(ONE_FINALE)
    resolved = resolve_media(story.workspace, scenes, path)
    user = by.user if by else None
    made = [
        Scene(story=story, position=2 * OUT_OF_THE_WAY + index, edited_by=user, **columns(fields))
        for index, fields in enumerate(resolved)
    ]
    for scene in made:
        if scene.still or scene.film:
            scene.settle_at = encodes.settle_time()
    Scene.objects.bulk_create(made)
    place(story, [*present[:at], *made, *present[at:]])
    return made


def check_count(scenes: int) -> None:
    """Raises Conflict for more scenes than a story may have."""
    faults = rules.count_faults(scenes)
    if faults:
        raise Conflict(faults[0].message, faults=faults)


def place_behind(story: Story, after: uuid.UUID | None) -> int:
    """The position behind a scene. Raises Conflict where that scene is gone."""
    keys = list(story.scenes.order_by("position").values_list("key", flat=True))
    if after is AT_END:
        return len(keys)
    if after is None:
        return 0
    if after not in keys:
        raise Conflict(AFTER_GONE, faults=[Fault("after", AFTER_GONE)])
    return keys.index(after) + 1


def resolve_media(
    workspace: Workspace, scenes: Sequence[Mapping[str, Any]], path: str
) -> list[dict[str, Any]]:
    """The scenes with Assets for ids. Raises Invalid for media that this workspace does not have."""
    ids = {
        value
        for scene in scenes
        for value in (scene.get("still"), scene.get("film"))
        if isinstance(value, uuid.UUID)
    }
    assets = (
        {a.pk: a for a in Asset.objects.filter(workspace=workspace, pk__in=ids, deleted_at=None)}
        if ids
        else {}
    )
    resolved, faults = [], []
    for index, scene in enumerate(scenes):
        fields = dict(scene)
        for name, kind in (("still", Asset.Kind.PICTURE), ("film", Asset.Kind.FILM)):
            given = fields.get(name)
            asset = assets.get(given) if isinstance(given, uuid.UUID) else given
            if given is not None and (asset is None or asset.kind != kind):
                message = f"This workspace has no {kind.value} of this id."
                faults.append(Fault(f"{path.format(index)}{name}", message))
            elif name in fields:
                fields[name] = asset
        resolved.append(fields)
    if faults:
        raise Invalid(REFUSED, faults=faults)
    return resolved


def columns(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as an author gives them, as the columns of a Scene."""
    found = dict(fields)
    if "focus" in found:
        found["focus_x"], found["focus_y"] = found.pop("focus")
    return found


def place(story: Story, scenes: Sequence[Scene]) -> None:
    """Gives scenes the positions of this order. Two steps, as no two may ever share a position."""
    moved = [(index, scene) for index, scene in enumerate(scenes) if scene.position != index]
    if not moved:
        return
    rows = Scene.objects.filter(pk__in=[scene.pk for _, scene in moved])
    rows.filter(position__lt=OUT_OF_THE_WAY).update(position=F("position") + OUT_OF_THE_WAY)
    rows.update(position=Case(*(When(pk=scene.pk, then=Value(index)) for index, scene in moved)))
    for index, scene in moved:
        scene.position = index


# --- Changing --------------------------------------------------------------------------------------------------


def scene_of(story: Story, key: uuid.UUID) -> Scene:
    """Raises NotFound."""
    scene = only(story.scenes.with_media().filter(key=key))
    if scene is None:
        raise NotFound(NO_SCENE)
    return scene


def update_scene(
    story: Story,
    key: uuid.UUID,
    changes: Mapping[str, Any],
    *,
    by: Actor | None,
    expected: Collection[int] | None = None,
) -> Scene:
    """The scene with the given fields changed; those of `add_scenes`. `expected`: the versions that the caller
    would change. Without a difference no version rises and nothing is kept.

    Raises NotFound, Forbidden, Locked, Stale (412; what was refused is kept), Invalid, Conflict (a second finale).
    """
    changes = rules.tidied(changes)
    faults = list(rules.scene_faults(changes))
    if faults:
        raise Invalid(REFUSED, faults=faults)
    with writing(story, by=by) as locked:
        scene = scene_of(locked, key)
        if expected is not None and scene.version not in expected:
            raise stale_scene(scene, changes, expected, by=by)
        (fields,) = resolve_media(locked.workspace, [changes], "")
        if fields.get("finale") and locked.scenes.filter(finale=True).exclude(pk=scene.pk).exists():
            raise Conflict(ONE_FINALE, faults=[Fault("finale", ONE_FINALE)])
        new = columns(fields)
        if all(getattr(scene, name) == value for name, value in new.items()):
            raise Unchanged
        if any(getattr(scene, name) != new[name] for name in new if name in PICTURED):
            new |= unsettled(scene, new)
        new |= {"edited_at": timezone.now(), "edited_by": by.user if by else None}
        Scene.objects.filter(pk=scene.pk).update(**new, version=F("version") + 1)
        forget_replaced(scene, new)
    if PICTURED & set(new):
        return Scene.every.with_media().get(pk=scene.pk)
    if "edited_at" in new:  # words alone: everything else was read under the lock
        for name, value in new.items():
            setattr(scene, name, value)
        scene.version += 1
    return scene


PICTURED = {"still", "focus_x", "focus_y", "animation", "film"}


def unsettled(scene: Scene, new: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a scene whose pictures change: encodes of the file before are unlinked."""
    fields: dict[str, Any] = {"settle_at": encodes.settle_time()}
    if new.get("still", scene.still) != scene.still:
        fields |= {"still_encode": None, "animation_encode": None}
    if any(new.get(name, getattr(scene, name)) != getattr(scene, name) for name in ("animation", "film")):
        fields["animation_encode"] = None
    return fields


def forget_replaced(scene: Scene, new: Mapping[str, Any]) -> None:
    """Deletes queued encodes of pictures that are not wanted any more."""
    before = {encodes.STILL: scene.still_encode_id, encodes.ANIMATION: scene.animation_encode_id}
    gone = [pk for field, pk in before.items() if field in new and new[field] is None and pk is not None]
    if gone:
        encodes.forget_queued(gone)


def stale_scene(
    scene: Scene, changes: Mapping[str, Any], expected: Collection[int], *, by: Actor | None
) -> Exception:
    sent = {name: list(value) if name == "focus" else value for name, value in changes.items()}
    present = {name: getattr(scene, f"{name}_id" if name in ("still", "film") else name) for name in sent}
    plain = {name: str(value) if isinstance(value, uuid.UUID) else value for name, value in sent.items()}
    if "animation" in plain:
        plain["animation"] = plain["animation"] or "none"
    for name in ("still", "film"):
        if isinstance(asset := sent.get(name), Asset):
            plain[name] = str(asset.pk)
    return too_late(
        "scene",
        by=by,
        editor=scene.edited_by,
        when=scene.edited_at,
        version=scene.version,
        expected=expected,
        fields=[n for n in sent if (list(present[n]) if n == "focus" else present[n]) != sent[n]],
        scene=str(scene.key),
        changes=plain,
    )


def move_scene(story: Story, key: uuid.UUID, *, after: uuid.UUID | None, by: Actor | None) -> list[uuid.UUID]:
    """Puts a scene behind another one (None: before all); returns the order. Raises Conflict where `after` is gone."""
    with writing(story, by=by) as locked:
        scene = scene_of(locked, key)
        others = [other for other in locked.scenes.order_by("position") if other.pk != scene.pk]
        keys = [other.key for other in others]
        if after is not None and after not in keys:
            raise Conflict(AFTER_GONE, faults=[Fault("after", AFTER_GONE)])
        at = 0 if after is None else keys.index(after) + 1
        order = [*others[:at], scene, *others[at:]]
        place(locked, order)
    return [scene.key for scene in order]


def order_scenes(story: Story, keys: Sequence[uuid.UUID], *, by: Actor | None) -> list[uuid.UUID]:
    """Puts all scenes into this order. Raises Conflict where these are not exactly the present scenes."""
    with writing(story, by=by) as locked:
        scenes = {scene.key: scene for scene in locked.scenes.all()}
        if len(keys) != len(scenes) or set(keys) != set(scenes):
            message = "These are not exactly the scenes that the story has now."
            raise Conflict(message, faults=[Fault("scenes", message)])
        place(locked, [scenes[key] for key in keys])
    return list(keys)


def duplicate_scene(story: Story, key: uuid.UUID, *, by: Actor | None) -> Scene:
    """A copy right behind the scene; of a finale before it, as nothing comes after a finale."""
    with writing(story, by=by) as locked:
        scene = scene_of(locked, key)
        present = list(locked.scenes.order_by("position"))
        check_count(len(present) + 1)
        copy = copied(scene, locked, by=by)
        copy.position, copy.finale = 2 * OUT_OF_THE_WAY, False
        Scene.objects.bulk_create([copy])
        at = present.index(scene) + (0 if scene.finale else 1)
        place(locked, [*present[:at], copy, *present[at:]])
    return copy


# --- Deleting --------------------------------------------------------------------------------------------------


def delete_scene(
    story: Story, key: uuid.UUID, *, by: Actor | None, expected: Collection[int] | None = None
) -> list[uuid.UUID]:
    """Takes a scene out of the draft; it can be restored for as long as the trash is kept. Returns the order."""
    with writing(story, by=by) as locked:
        scene = scene_of(locked, key)
        if expected is not None and scene.version not in expected:
            raise stale_scene(scene, {}, expected, by=by)
        Scene.objects.filter(pk=scene.pk).update(
            deleted_at=timezone.now(), version=F("version") + 1, edited_by=by.user if by else None
        )
        left = list(locked.scenes.order_by("position"))
        place(locked, left)
    return [scene.key for scene in left]


def restore_scene(story: Story, key: uuid.UUID, *, by: Actor | None) -> Scene:
    """Brings a deleted scene back to where it was, else as near as there is. A present one is left as it is.

    Raises NotFound, Conflict (too many scenes).
    """
    with writing(story, by=by) as locked:
        scene = Scene.every.filter(story=locked.pk, key=key).first()
        if scene is None:
            raise NotFound(NO_SCENE)
        if scene.deleted_at is not None:
            bring_back(locked, scene, at=scene.position)
    return Scene.every.get(pk=scene.pk)


def bring_back(story: Story, scene: Scene, *, at: int) -> None:
    present = list(story.scenes.order_by("position"))
    check_count(len(present) + 1)
    has_finale = any(other.finale for other in present)
    scene.finale = scene.finale and not has_finale
    scene.position, scene.deleted_at = 2 * OUT_OF_THE_WAY, None
    settle_at = encodes.settle_time() if scene.still_id or scene.film_id else None
    Scene.every.filter(pk=scene.pk).update(
        deleted_at=None,
        position=scene.position,
        finale=scene.finale,
        settle_at=settle_at,
        version=F("version") + 1,
    )
    at = min(at, len(present) - (1 if has_finale else 0))
    place(story, [*present[:at], scene, *present[at:]])
