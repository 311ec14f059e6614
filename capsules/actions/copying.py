"""Copies of scenes: within a story, and into a new one."""

from __future__ import annotations

from accounts.actors import Actor
from accounts.models import Workspace
from capsules.models import Asset, Scene, Story


def copied(scene: Scene, story: Story, *, by: Actor | None) -> Scene:
    """An unsaved copy with the same words, media and encodes, for a story of the same workspace."""
    names = ("position", "title", "text", "alt", "still_id", "focus_x", "focus_y", "animation", "film_id")
    more = ("finale", "still_encode_id", "animation_encode_id", "settle_at")
    fields = {name: getattr(scene, name) for name in (*names, *more)}
    return Scene(story=story, edited_by=by.user if by else None, **fields)


def copy_scenes(
    source: Story, target: Story, *, as_edition: bool = False, by: Actor | None
) -> dict[int, Scene]:
    """Copies all scenes into a new story; returns the copies by the originals' keys. Media of another workspace
    become that workspace's own.
    """
    originals = list(source.scenes.select_related("still", "film").order_by("position"))
    copies = [copied(scene, target, by=by) for scene in originals]
    for copy, original in zip(copies, originals, strict=True):
        if as_edition:
            copy.copied_from, copy.copied_version = original, original.version
        if target.workspace_id != source.workspace_id:
            copy.still = own_copy(original.still, target.workspace)
            copy.film = own_copy(original.film, target.workspace)
    Scene.objects.bulk_create(copies)
    return {original.pk: copy for original, copy in zip(originals, copies, strict=True)}


def own_copy(asset: Asset | None, workspace: Workspace) -> Asset | None:
    if asset is None:
        return None
    names = ("filename", "media_type", "width", "height", "duration", "bytes", "still_encode")
    own, _ = Asset.objects.get_or_create(
        workspace=workspace,
        kind=asset.kind,
        name=asset.name,
        defaults={name: getattr(asset, name) for name in names},
    )
    return own
