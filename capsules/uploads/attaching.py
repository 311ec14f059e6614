"""Showing a file that was sent for a scene in that scene, whatever became of the page that sent it."""

from __future__ import annotations

import logging
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from accounts.actors import STORIES_WRITE, Actor
from capsules.actions import scenes, stills
from capsules.actions.writing import lock
from capsules.models import Asset, Scene, Upload, UploadLink
from capsules.uploads import links
from capsules.uploads.creating import shown_in
from config.errors import CapsulesError, Forbidden
from config.json_types import JsonObject

logger = logging.getLogger(__name__)

VIA: JsonObject = {"user": "token", "key": "key", "connection": "app", "staff": "staff"}


def attach(upload: Upload, asset: Asset) -> None:
    """Gives the scene of an upload its file, as its sender would, in the transaction that ends the upload.

    Where the scene or the right to write is gone, or somebody has chosen another file meanwhile, the file stays in the
    library.
    """
    if upload.scene_id is None:
        return
    meant = Scene.every.filter(pk=upload.scene_id).select_related("story").first()
    if meant is None:
        return  # it was deleted forever a moment ago
    try:
        with transaction.atomic():
            story = lock(meant.story)
            scene = scenes.scene_of(story, meant.key)
            if is_still_wanted(upload, scene):
                scenes.update_scene(story, scene.key, fields_for(scene, asset), by=sender_now(upload))
    except CapsulesError as error:
        logger.info("The file of upload %s stays in the library: %s", upload.pk, error)


def is_still_wanted(upload: Upload, scene: Scene) -> bool:
    """Whether the scene has what it had when the upload began, or nothing; or a file that was sent for it before."""
    shown = shown_in(scene, upload.kind)
    if shown is None or shown.pk == upload.replaces_id:
        return True
    before = Upload.objects.filter(scene=scene, asset=shown, created_at__lt=upload.created_at)
    return before.filter(finished_at__gt=upload.created_at).exists()


def fields_for(scene: Scene, asset: Asset) -> dict[str, object]:
    """The fields of a scene that gets this file. A film brings its own still where there is none."""
    if asset.kind == Asset.Kind.PICTURE:
        return {"still": asset}
    fields: dict[str, object] = {"film": asset, "animation": Scene.Animation.FILM}
    if scene.still is None:
        trim = None if scene.film else scene.trim
        fields["still"] = stills.still_of_part(asset, trim, by=None) or stills.default_still(
            asset, None, by=None
        )
    return fields


def sender_now(upload: Upload) -> Actor:
    """Who sent it, as the database knows them now. Raises Forbidden where what they sent it through has ended."""
    if upload.via == "link":
        link = UploadLink.objects.allowed().filter(uploads=upload).select_related("created_by").first()
        actor = links.actor_of(link) if link else None
    else:
        actor = actor_then(upload)
        actor = actor.now() if actor else None
    if actor is None:
        raise Forbidden(gettext("Whoever sent this file may not write here any more."))
    actor.require_scope(STORIES_WRITE)
    return actor


def actor_then(upload: Upload) -> Actor | None:
    """Its sender as they were, with no more than the permission to write."""
    kind = upload.credential.partition(":")[0]
    if upload.created_by is None or kind not in VIA:
        return None
    via: Any = upload.via or VIA[kind]
    scopes = frozenset({STORIES_WRITE})
    return Actor(upload.created_by, upload.credential, None, scopes, is_staff=kind == "staff", via=via)
