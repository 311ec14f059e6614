"""The history of a draft: naming a moment, and going back to one."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from accounts.actors import Actor
from capsules.actions import encodes, keeping
from capsules.actions.drafts import set_cover
from capsules.actions.scenes import OUT_OF_THE_WAY, bring_back, check_count, place
from capsules.actions.writing import check_may_change, lock, too_late, writing
from capsules.fields import SCENE, STORY
from capsules.models import Asset, Revision, Scene, Story
from config.errors import Fault, Invalid
from config.ids import row_of
from config.json_types import JsonMapping, JsonObject

NOT_KEPT = gettext_noop("This version is not kept any more, or never was.")
NO_SCENE_IN_IT = gettext_noop("This revision has no such scene.")


@transaction.atomic
def name_revision(story: Story, label: str, *, by: Actor) -> Revision:
    """Keeps the draft as it is now, under a name. Raises Forbidden, Locked, NotFound."""
    locked = lock(story)
    check_may_change(by, locked.workspace)
    return keeping.keep_revision(locked, Revision.Kind.NAMED, label=label, by=by)


@transaction.atomic
def name_kept(story: Story, revision: Revision, label: str, *, by: Actor) -> Revision:
    """Names a revision of the past, so that it stays in the history. Raises Forbidden, Locked, NotFound."""
    locked = lock(story)
    check_may_change(by, locked.workspace)
    # Held, as it may be thinned out at this moment.
    kept = row_of(Revision.objects.select_for_update(), revision.pk, gettext(NOT_KEPT))
    kept.label = label
    if kept.kind in (Revision.Kind.AUTO, Revision.Kind.RESTORED):
        kept.kind = Revision.Kind.NAMED  # is kept for good, and later changes begin one of their own
    kept.save(update_fields=["label", "kind"])
    return kept


def restore_revision(
    story: Story,
    revision: Revision,
    *,
    scenes: Collection[uuid.UUID] | None = None,
    expected: Collection[int] | None = None,
    by: Actor,
) -> Story:
    """Makes the draft what it was in a revision, or only these scenes of it. The present draft is kept first.

    `expected`: the revisions of the draft (`Story.revision`) that the caller would overwrite.
    Raises what `writing` raises, Invalid for scenes that the revision does not have, Conflict for too many scenes.
    """
    content = keeping.content_in(revision)
    kept = {uuid.UUID(scene["id"]): scene for scene in content["scenes"]}
    order = list(kept)
    unknown = [i for i, key in enumerate(scenes or ()) if key not in kept]
    if unknown:
        raise Invalid(faults=[Fault(f"scenes.{i}", gettext(NO_SCENE_IN_IT)) for i in unknown])
    with writing(story, by=by) as locked:
        check_draft(locked, expected, by=by)
        keeping.keep_revision(locked, Revision.Kind.RESTORED, label=gettext("Before going back"), by=by)
        if scenes is not None:
            restore_scenes(locked, [scene for key, scene in kept.items() if key in scenes], order, by=by)
        else:
            restore_fields(locked, content["story"])
            keep_only(locked, kept)
            restore_scenes(locked, content["scenes"], order, by=by)
            present = {scene.key: scene for scene in locked.scenes.all()}
            place([present[key] for key in order if key in present])
            cover = content["story"]["cover"]
            set_cover(locked, locked.scenes.filter(key=cover).first() if cover else None)
    return Story.objects.get(pk=story.pk)


def check_draft(locked: Story, expected: Collection[int] | None, *, by: Actor) -> None:
    """Raises TooLate where somebody changed the draft since the caller read it."""
    if expected is not None and locked.revision not in expected:
        editor, when, version = locked.edited_by, locked.updated_at, locked.revision
        raise too_late(
            "draft", by=by, editor=editor, when=when, version=version, expected=expected, changes={}
        )


def restore_fields(story: Story, content: Mapping[str, object]) -> None:
    columns = STORY.to_columns({field.name: field.from_json(content[field.name]) for field in STORY})
    Story.objects.filter(pk=story.pk).update(**columns, version=F("version") + 1)


def keep_only(story: Story, keys: Collection[uuid.UUID]) -> None:
    """Deletes the scenes that the revision does not have, and frees the place of the finale for another."""
    surplus = story.scenes.exclude(key__in=keys)
    surplus.update(deleted_at=timezone.now(), version=F("version") + 1)
    story.scenes.filter(finale=True).update(finale=False)


def restore_scenes(story: Story, wanted: list[JsonObject], order: list[uuid.UUID], *, by: Actor) -> None:
    """`order`: that of all scenes in the revision."""
    ids = {scene[field.name] for scene in wanted for field in SCENE.media if scene[field.name]}
    media = {str(asset.pk): asset for asset in Asset.objects.filter(workspace=story.workspace_id, pk__in=ids)}
    rows = {scene.key: scene for scene in Scene.every.filter(story=story.pk)}
    for content in wanted:
        key = uuid.UUID(content["id"])
        scene = rows.get(key) or new_scene(story, key, by=by)
        if scene.deleted_at is not None:
            bring_back(story, scene, behind=order[: order.index(key)])
        write_scene(story, scene, content, media, by=by)


def new_scene(story: Story, key: uuid.UUID, *, by: Actor) -> Scene:
    """A scene that was purged since, with its old identifier. Raises Conflict where the story is full."""
    present = list(story.scenes.order_by("position"))
    check_count(len(present) + 1)
    scene = Scene(story=story, key=key, position=3 * OUT_OF_THE_WAY, edited_by=by.user)
    Scene.objects.bulk_create([scene])
    at = len(present) - any(other.finale for other in present)  # nothing comes after a finale
    place([*present[:at], scene, *present[at:]])
    return scene


def write_scene(
    story: Story, scene: Scene, content: JsonMapping, media: Mapping[str, Asset], *, by: Actor
) -> None:
    values = {field.name: field.from_json(content[field.name]) for field in SCENE}
    values |= {field.name: media.get(content[field.name] or "") for field in SCENE.media}
    others = story.scenes.filter(finale=True).exclude(pk=scene.pk)
    values["finale"] = values["finale"] and not others.exists()
    columns = SCENE.to_columns(values)
    fields = {name: value for name, value in columns.items() if name not in SCENE.pictured}
    pictured = {name: columns[name] for name in SCENE.pictured}
    if any(getattr(scene, name) != value for name, value in pictured.items()):
        fields |= {**pictured, "still_encode": None, "animation_encode": None}
        fields["settle_at"] = encodes.settle_time()
    Scene.objects.filter(pk=scene.pk).update(
        **fields, version=F("version") + 1, edited_at=timezone.now(), edited_by=by.user
    )
