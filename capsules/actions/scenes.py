"""Writing scenes: adding, changing, moving, copying and deleting them."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db.models import Case, F, Value, When
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from accounts.actors import Actor
from accounts.models import Workspace
from capsules import rules
from capsules.actions import encodes, stills
from capsules.actions.copying import copy_of
from capsules.actions.writing import Unchanged, check_may_change, too_late, writing
from capsules.fields import SCENE
from capsules.models import Asset, Scene, Story
from config.errors import Conflict, Fault, Invalid
from config.ids import row_of
from config.json_types import JsonMapping, JsonObject

NO_SCENE = gettext_noop("There is no such scene.")
NO_MEDIA = {
    "picture": gettext_noop("This workspace has no picture of this id."),
    "film": gettext_noop("This workspace has no film of this id."),
}
AFTER_GONE = gettext_noop("The scene that this one should follow is gone.")
AFTER_FINALE = gettext_noop("Nothing comes after the finale.")
ONE_FINALE = gettext_noop("Another scene is the finale already.")
REFUSED = gettext_noop("The scene cannot be saved.")
OUT_OF_THE_WAY = 10_000  # added to positions while scenes change places
AT_END = uuid.UUID(int=0)  # told by its identity: no scene that a caller names is this object

# --- Adding ----------------------------------------------------------------------------------------------------


def add_scenes(
    story: Story,
    scenes: Sequence[Mapping[str, object]],
    *,
    after: uuid.UUID | None = AT_END,
    path: str = "scenes.{}.",
    by: Actor | None,
) -> list[Scene]:
    """Adds scenes behind the scene `after` (None: before all), else at the end. Each has any fields of
    `capsules.fields.SCENE`, as values.

    Raises Invalid with a fault for everything that breaks a rule, Conflict (after the finale, too many, `after`
    gone), and what `writing` raises.
    """
    scenes = [rules.tidied(scene) for scene in scenes]
    faults = [
        fault for index, scene in enumerate(scenes) for fault in rules.scene_faults(scene, path.format(index))
    ]
    if faults:
        raise Invalid(gettext(REFUSED), faults=faults)
    check_may_change(by, story.workspace)
    scenes = stills.with_default_stills(story.workspace, scenes, by=by)
    with writing(story, by=by) as locked:
        present = list(locked.scenes.order_by("position"))
        at = len(present) if after is AT_END else place_behind([each.key for each in present], after)
        return insert(locked, scenes, present, at=at, path=path, by=by)


def insert(
    story: Story,
    scenes: Sequence[Mapping[str, object]],
    present: Sequence[Scene],
    *,
    at: int,
    path: str,
    by: Actor | None,
) -> list[Scene]:
    """Puts checked scenes into a locked story, from position `at` of its `present` ones on; their encodes are asked for
    when they settle.
    """
    check_count(len(present) + len(scenes))
    if scenes and at > 0 and present[at - 1].finale:
        raise Conflict(gettext(AFTER_FINALE))
    if sum(bool(scene.get("finale")) for scene in scenes) + any(
        scene.finale for scene in present
    ) > 1 and any(scene.get("finale") for scene in scenes):
        raise Conflict(gettext(ONE_FINALE))
    resolved = resolve_media(story.workspace, scenes, path)
    for index, each in enumerate(resolved):
        check_trim(each, each, path.format(index))
    user = by.user if by else None
    made = [
        # Beyond present scenes and those that `place` has moved aside, until `place` gives them theirs.
        Scene(story=story, position=2 * OUT_OF_THE_WAY + index, edited_by=user, **columns_with_focus(fields))
        for index, fields in enumerate(resolved)
    ]
    for scene in made:
        if scene.still or scene.film:
            scene.settle_at = encodes.settle_time()
    Scene.objects.bulk_create(made)
    place([*present[:at], *made, *present[at:]])
    return made


def columns_with_focus(fields: JsonMapping, *, was_chosen: bool = False) -> JsonObject:
    """The columns of given fields, with the focus that is proposed for a new still, unless its author chooses one
    (now, or before: `was_chosen`).
    """
    columns = SCENE.to_columns(fields)
    if "focus" in fields:
        return {**columns, "focus_chosen": True}
    still = fields.get("still")
    if was_chosen or still is None or still.focus is None:
        return columns
    return {**columns, **SCENE["focus"].to_columns(still.focus)}


def check_count(scenes: int) -> None:
    """Raises Conflict for more scenes than a story may have."""
    faults = rules.count_faults(scenes)
    if faults:
        raise Conflict(faults[0].message, faults=faults)


def place_behind(keys: Sequence[uuid.UUID], after: uuid.UUID | None) -> int:
    """The position behind a scene; 0 for None. Raises Conflict where that scene is gone."""
    if after is None:
        return 0
    if after not in keys:
        raise Conflict(gettext(AFTER_GONE), faults=[Fault("after", gettext(AFTER_GONE))])
    return keys.index(after) + 1


def resolve_media(workspace: Workspace, scenes: Sequence[JsonMapping], path: str) -> list[dict[str, object]]:
    """The scenes with Assets for ids. Raises Invalid for media that this workspace does not have."""
    ids = {
        value
        for scene in scenes
        for field in SCENE.media
        if isinstance(value := scene.get(field.name), uuid.UUID)
    }
    assets = (
        {a.pk: a for a in Asset.objects.filter(workspace=workspace, pk__in=ids, deleted_at=None)}
        if ids
        else {}
    )
    resolved, faults = [], []
    for index, scene in enumerate(scenes):
        fields = dict(scene)
        for media in SCENE.media:
            given = fields.get(media.name)
            asset = assets.get(given) if isinstance(given, uuid.UUID) else given
            if given is not None and (asset is None or asset.kind != media.kind):
                message = gettext(NO_MEDIA[media.kind])
                faults.append(Fault(f"{path.format(index)}{media.name}", message))
            elif media.name in fields:
                fields[media.name] = asset
        resolved.append(fields)
    if faults:
        raise Invalid(gettext(REFUSED), faults=faults)
    return resolved


def place(scenes: Sequence[Scene]) -> None:
    """Gives scenes the positions of this order. Two steps, as no two may ever share a position."""
    moved = [(index, scene) for index, scene in enumerate(scenes) if scene.position != index]
    if not moved:
        return
    rows = Scene.objects.filter(pk__in=[scene.pk for _, scene in moved])
    # New ones stand there already, and are not moved a second time.
    rows.filter(position__lt=OUT_OF_THE_WAY).update(position=F("position") + OUT_OF_THE_WAY)
    rows.update(position=Case(*(When(pk=scene.pk, then=Value(index)) for index, scene in moved)))
    for index, scene in moved:
        scene.position = index


# --- Changing --------------------------------------------------------------------------------------------------


def scene_of(story: Story, key: uuid.UUID) -> Scene:
    """Raises NotFound."""
    return row_of(story.scenes.with_media(), key, gettext(NO_SCENE), by="key")


def update_scene(
    story: Story,
    key: uuid.UUID,
    changes: Mapping[str, object],
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
        raise Invalid(gettext(REFUSED), faults=faults)
    follows = stills.follow_part(story, key, changes, by=by, expected=expected)
    with writing(story, by=by) as locked:
        scene = scene_of(locked, key)
        if expected is not None and scene.version not in expected:
            raise stale_scene(scene, changes, expected, by=by)
        new = changed_columns(locked, scene, changes, follows)
        check_differs(scene, new)
        if any(getattr(scene, name) != new[name] for name in SCENE.pictured & new.keys()):
            new |= unsettled(scene, new)
        new |= {"edited_at": timezone.now(), "edited_by": by.user if by else None}
        Scene.objects.filter(pk=scene.pk).update(**new, version=F("version") + 1)
        # After the row: until then the scene still refers to them.
        forget_replaced(scene, new)
    if follows:
        stills.drop_unused(follows.instead_of)
    if SCENE.pictured & new.keys():
        return Scene.every.with_media().get(pk=scene.pk)
    if "edited_at" in new:  # words alone: everything else was read under the lock
        for name, value in new.items():
            setattr(scene, name, value)
        scene.version += 1
    return scene


def changed_columns(
    story: Story, scene: Scene, changes: Mapping[str, object], follows: stills.Follows | None
) -> JsonObject:
    """The columns of the given fields, and of a still that follows them. Raises Invalid (media, trim), Conflict (a
    second finale).
    """
    (fields,) = resolve_media(story.workspace, [changes], "")
    if fields.get("finale") and story.scenes.filter(finale=True).exclude(pk=scene.pk).exists():
        raise Conflict(gettext(ONE_FINALE), faults=[Fault("finale", gettext(ONE_FINALE))])
    film: Any = fields.get("film", scene.film)
    if film != scene.film and (scene.film or not film or rules.trim_faults(scene.trim, film.duration)):
        fields.setdefault("trim", None)  # it was chosen on another film, or this one has no such part
    if follows and scene.still_id == follows.instead_of.pk:
        fields["still"] = follows.still
    check_trim({"trim": scene.trim, "film": scene.film, **fields}, changes)
    return columns_with_focus(fields, was_chosen=scene.focus_chosen)


def check_differs(scene: Scene, new: Mapping[str, object]) -> None:
    """Raises Unchanged where the scene has these columns already."""
    if any(getattr(scene, name) != value for name, value in new.items() if name != "focus_chosen"):
        return
    if "focus_chosen" in new:  # the proposed one was sent back: no change to anybody, but chosen now
        Scene.objects.filter(pk=scene.pk).update(focus_chosen=True)
    raise Unchanged


def check_trim(scene: JsonMapping, given: Collection[str], path: str = "") -> None:
    """Raises Invalid where the chosen part of a film begins behind its end."""
    film = scene.get("film")
    faults = rules.trim_faults(scene["trim"], film.duration, path) if "trim" in given and film else []
    if faults:
        raise Invalid(gettext(REFUSED), faults=faults)


def unsettled(scene: Scene, new: Mapping[str, object]) -> dict[str, object]:
    """The columns of a scene whose pictures change: encodes of the file before are unlinked."""
    fields: dict[str, object] = {"settle_at": encodes.settle_time()}
    if new.get("still", scene.still) != scene.still:
        fields |= {"still_encode": None, "animation_encode": None}
    moving = ("animation", "film", "trim_start", "trim_length")
    if any(new.get(name, getattr(scene, name)) != getattr(scene, name) for name in moving):
        fields["animation_encode"] = None
    return fields


def forget_replaced(scene: Scene, new: Mapping[str, object]) -> None:
    """Deletes queued encodes of pictures that are not wanted any more."""
    before = {encodes.STILL: scene.still_encode_id, encodes.ANIMATION: scene.animation_encode_id}
    gone = [pk for field, pk in before.items() if field in new and new[field] is None and pk is not None]
    if gone:
        encodes.forget_queued(gone)


def stale_scene(
    scene: Scene, changes: Mapping[str, object], expected: Collection[int], *, by: Actor | None
) -> Exception:
    sent = {name: SCENE[name].to_json(value) for name, value in changes.items()}
    return too_late(
        "scene",
        by=by,
        editor=scene.edited_by,
        when=scene.edited_at,
        version=scene.version,
        expected=expected,
        fields=[name for name in sent if SCENE[name].read(scene) != sent[name]],
        scene=str(scene.key),
        changes=sent,
    )


def move_scene(story: Story, key: uuid.UUID, *, after: uuid.UUID | None, by: Actor | None) -> list[uuid.UUID]:
    """Puts a scene behind another one (None: before all); returns the order. Raises Conflict where `after` is gone."""
    with writing(story, by=by) as locked:
        scene = scene_of(locked, key)
        others = [other for other in locked.scenes.order_by("position") if other.pk != scene.pk]
        at = place_behind([other.key for other in others], after)
        order = [*others[:at], scene, *others[at:]]
        place(order)
    return [scene.key for scene in order]


def order_scenes(story: Story, keys: Sequence[uuid.UUID], *, by: Actor | None) -> list[uuid.UUID]:
    """Puts all scenes into this order. Raises Conflict where these are not exactly the present scenes."""
    with writing(story, by=by) as locked:
        scenes = {scene.key: scene for scene in locked.scenes.all()}
        if len(keys) != len(scenes) or set(keys) != set(scenes):
            message = gettext("These are not exactly the scenes that the story has now.")
            raise Conflict(message, faults=[Fault("scenes", message)])
        place([scenes[key] for key in keys])
    return list(keys)


def duplicate_scene(story: Story, key: uuid.UUID, *, by: Actor | None) -> Scene:
    """A copy right behind the scene; of a finale before it, as nothing comes after a finale."""
    with writing(story, by=by) as locked:
        scene = scene_of(locked, key)
        present = list(locked.scenes.order_by("position"))
        check_count(len(present) + 1)
        copy = copy_of(scene, locked, by=by)
        copy.position, copy.finale = 2 * OUT_OF_THE_WAY, False
        Scene.objects.bulk_create([copy])
        at = present.index(scene) + (0 if scene.finale else 1)
        place([*present[:at], copy, *present[at:]])
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
        place(left)
    return [scene.key for scene in left]


def restore_scene(story: Story, key: uuid.UUID, *, by: Actor | None) -> Scene:
    """Brings a deleted scene back to where it was, else as near as there is. A present one is left as it is.

    Raises NotFound, Conflict (too many scenes).
    """
    with writing(story, by=by) as locked:
        scene = row_of(Scene.every.filter(story=locked.pk), key, gettext(NO_SCENE), by="key")
        if scene.deleted_at is not None:
            bring_back(locked, scene)
    return Scene.every.get(pk=scene.pk)


def bring_back(story: Story, scene: Scene, *, behind: Sequence[uuid.UUID] | None = None) -> None:
    """Where it was; with `behind`, after the last of those that the draft has."""
    present = list(story.scenes.order_by("position"))
    check_count(len(present) + 1)
    has_finale = any(other.finale for other in present)
    keys = [other.key for other in present]
    last = next((keys.index(key) + 1 for key in reversed(behind or ()) if key in keys), 0)
    # Scenes may have gone since, and nothing comes after a finale.
    at = min(scene.position if behind is None else last, len(present) - has_finale)
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
    place([*present[:at], scene, *present[at:]])
