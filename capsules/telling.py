"""Telling the log of a workspace what happened to its capsules, previews and uploads."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import Any

from django.db import transaction

from accounts.actors import Actor
from accounts.events.emitting import emit, who, who_by
from capsules.models import Encode, Preview, Story, Upload
from capsules.signals import answers, story_links
from config.json_types import JsonObject

ASK = "ask"  # whoever shows stories to readers for the link
NO_ERROR = "This preview could not be rendered."


def tell(story: Story, type: str, *, by: Actor | None = None, url: str | None = ASK, **fields: Any) -> None:
    """Notes what happened to a story, in the caller's transaction. `by` None: the service itself. `url`: its public
    link with the host in front, None while readers cannot open it; asked for where it is left out.
    """
    link = link_of(story) if url == ASK else url
    about = {"id": str(story.pk), "title": story.title, "url": link}
    emit(story.workspace_id, type, {"story": about, **who(by), **fields})


def link_of(story: Story) -> str | None:
    return next((link for link in answers(story_links, story=story) if link), None)


def tell_created(story: Story, *, by: Actor | None, copy_of: Story | None = None) -> None:
    capsule = str(story.capsule_id) if story.capsule_id else None
    original = str(copy_of.pk) if copy_of else None
    tell(story, "story.created", by=by, url=None, capsuleId=capsule, copyOf=original)


def with_it(editions: Collection[uuid.UUID]) -> JsonObject:
    """The editions that went the same way as their capsule, as an event tells them."""
    return {"editions": [str(pk) for pk in editions], "editionCount": len(editions)}


# --- Previews ---------------------------------------------------------------------------------------------------


def tell_rendered(encode: Encode) -> None:
    """Tells of the previews that wait for an encode which ended just now, in the transaction that ends it.

    Their rows are locked first: of two encodes that end at once, the second sees that the first has ended.
    """
    waiting = Preview.objects.filter(encodes=encode).values("pk")
    tell_settled(Preview.objects.select_for_update(no_key=True).filter(pk__in=waiting).order_by("pk"))


def tell_settled(previews: Collection[Preview]) -> None:
    """Tells of those that are rendered or failed, once: `told` says what is known of a preview."""
    for preview in previews:
        state = preview.state
        if state == preview.told or state == "building":
            continue
        Preview.objects.filter(pk=preview.pk).update(told=state)
        fields: JsonObject = {"previewNumber": preview.number}
        if state == "failed":
            failed = preview.encodes.filter(state=Encode.State.FAILED).order_by("pk").first()
            fields["error"] = (failed.error if failed else "")[:500] or NO_ERROR
        tell(preview.story, f"preview.{state}", **fields)


def will_be_told_again(encode: Encode) -> None:
    """A failed encode is tried again, and what becomes of its previews is news again."""
    failed = Preview.objects.filter(encodes=encode, told="failed").values("pk")
    Preview.objects.filter(pk__in=failed).update(told="")


# --- Uploads ----------------------------------------------------------------------------------------------------


@transaction.atomic
def tell_upload(upload: Upload, *, asset: uuid.UUID | None = None, error: str = "") -> None:
    """A file was taken, as the asset, or refused."""
    about = {"id": str(upload.pk), "filename": upload.filename, "kind": upload.kind}
    told: JsonObject = {"story": None, **who_by(upload.credential), "upload": about}
    if asset is not None:
        emit(upload.workspace_id, "upload.ready", {**told, "mediaId": str(asset)})
    else:
        emit(upload.workspace_id, "upload.refused", {**told, "error": error[:500]})
