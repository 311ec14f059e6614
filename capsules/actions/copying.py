"""Copies: of a story's own fields, of scenes within a story and into a new one."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

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
    goes_elsewhere = target.workspace_id != source.workspace_id
    own = own_copies(originals, target.workspace) if goes_elsewhere else {}
    for copy, original in zip(copies, originals, strict=True):
        if as_edition:
            copy.copied_from, copy.copied_version = original, original.version
        for column in columns_of(SCENE.media) if goes_elsewhere else ():
            asset = getattr(original, column)
            setattr(copy, column, asset and own[asset.pk])
    Scene.objects.bulk_create(copies)
    return {original.pk: copy for original, copy in zip(originals, copies, strict=True)}


def note_origins(source: Story, copy: Story) -> None:
    """Writes down where a copy comes from, so that this is known when the source is gone."""
    near = {key for key in (source.pk, source.capsule_id) if key is not None}
    far = Origin.objects.filter(story__in=near).values_list("original", flat=True)
    Origin.objects.bulk_create(Origin(story=copy, original=original) for original in near.union(far))


def own_copies(scenes: Sequence[Scene], workspace: Workspace) -> dict[uuid.UUID, Asset]:
    """The files of scenes as those of another workspace, by the originals' keys: films first, for their stills.

    Always in one order: of two copies that bring the same files, none waits for the other.
    """
    shown = {getattr(scene, column) for scene in scenes for column in columns_of(SCENE.media)} - {None}
    own: dict[uuid.UUID, Asset] = {}
    for asset in sorted(shown, key=lambda asset: (asset.kind != Asset.Kind.FILM, asset.name)):
        own[asset.pk] = own_copy(asset, workspace, film=own.get(asset.poster_of_id))
    return own


def own_copy(asset: Asset, workspace: Workspace, *, film: Asset | None) -> Asset:
    """`film`: of a still, its film there."""
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
    if film is not None:
        known |= {"poster_of": film, "taken_at": asset.taken_at, "begins": asset.begins_at}
    own, _ = Asset.objects.update_or_create(
        workspace=workspace,
        kind=asset.kind,
        name=asset.name,
        defaults={"deleted_at": None},  # of one that its library has deleted
        create_defaults=known,
    )
    return own
