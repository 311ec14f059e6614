"""Copies: of a story's own fields, of scenes within a story and into a new one."""

from __future__ import annotations

from accounts.actors import Actor
from accounts.models import Workspace
from capsules.fields import SCENE, STORY, columns_of
from capsules.models import Asset, Origin, Scene, Story


def copied_fields(story: Story) -> dict[str, object]:
    """The columns of a story's own fields."""
    return {name: getattr(story, name) for name in STORY.columns}


def copy_of(scene: Scene, story: Story, *, by: Actor | None) -> Scene:
    """An unsaved copy with the same words, media and encodes, for a story of the same workspace."""
    beside = ("position", "focus_chosen", "still_encode_id", "animation_encode_id", "settle_at")
    fields = {name: getattr(scene, name) for name in (*SCENE.columns, *beside)}
    return Scene(story=story, edited_by=by.user if by else None, **fields)


def copy_scenes(
    source: Story, target: Story, *, as_edition: bool = False, by: Actor | None
) -> dict[int, Scene]:
    """Copies all scenes into a new story; returns the copies by the originals' keys. Media of another workspace
    become that workspace's own.
    """
    originals = list(source.scenes.select_related("still", "film").order_by("position"))
    copies = [copy_of(scene, target, by=by) for scene in originals]
    for copy, original in zip(copies, originals, strict=True):
        if as_edition:
            copy.copied_from, copy.copied_version = original, original.version
        if target.workspace_id != source.workspace_id:
            for column in columns_of(SCENE.media):
                setattr(copy, column, own_copy(getattr(original, column), target.workspace))
    Scene.objects.bulk_create(copies)
    return {original.pk: copy for original, copy in zip(originals, copies, strict=True)}


def note_origins(source: Story, copy: Story) -> None:
    """Writes down where a copy comes from, so that this is known when the source is gone."""
    near = {key for key in (source.pk, source.capsule_id) if key is not None}
    far = Origin.objects.filter(story__in=near).values_list("original", flat=True)
    Origin.objects.bulk_create(Origin(story=copy, original=original) for original in near.union(far))


def own_copy(asset: Asset | None, workspace: Workspace) -> Asset | None:
    if asset is None:
        return None
    names = (
        "filename",
        "media_type",
        "width",
        "height",
        "duration",
        "bytes",
        "still_encode",
        "focus",
        "faces",
    )
    known = {name: getattr(asset, name) for name in names}
    own, _ = Asset.objects.update_or_create(
        workspace=workspace,
        kind=asset.kind,
        name=asset.name,
        defaults={"deleted_at": None},  # of one that its library has deleted
        create_defaults=known,
    )
    return own
