"""Keeping copies of a draft: of changes as they happen, of a moment that somebody names, of what was refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db.models import F, Max
from django.utils import timezone

from accounts.actors import Actor
from capsules.models import Revision, Scene, Story


def via_of(by: Actor | None) -> str:
    """Through what a draft was changed, as a Revision has it."""
    if by is None:
        return Revision.Via.IMPORT
    if by.tool:
        return Revision.Via.MCP
    return {"studio": Revision.Via.STUDIO, "staff": Revision.Via.STAFF}.get(by.via, Revision.Via.API)


def content_of(story: Story) -> dict[str, Any]:
    """The draft in the form that a Revision has: the fields of `story`, and its scenes as the database has them now.

    A caller that changed the row by `update()` must have changed `story` too.
    """
    scenes = list(Scene.objects.filter(story=story.pk))
    cover = next((str(scene.key) for scene in scenes if scene.pk == story.cover_id), None)
    return {
        "story": {
            "title": story.title,
            "summary": story.summary,
            "author": story.author_name,
            "language": story.language,
            "cover": cover,
        },
        "scenes": [scene_content(scene) for scene in scenes],
    }


def scene_content(scene: Scene) -> dict[str, Any]:
    return {
        "id": str(scene.key),
        "title": scene.title,
        "text": scene.text,
        "alt": scene.alt,
        "still": str(scene.still_id) if scene.still_id else None,
        "focus": list(scene.focus),
        "animation": scene.animation or "none",
        "film": str(scene.film_id) if scene.film_id else None,
        "finale": scene.finale,
    }


def keep_change(story: Story, *, by: Actor | None) -> None:
    """Keeps the draft after a change: in the open revision of this person, else in a new one."""
    content = content_of(story)
    latest = open_revision(story, by=by)
    if latest is None:
        keep(story, Revision.Kind.AUTO, by=by, content=content)
        return
    Revision.objects.filter(pk=latest).update(
        content=content, updated_at=timezone.now(), changes=F("changes") + 1
    )


def open_revision(story: Story, *, by: Actor | None) -> int | None:
    """The automatic revision that a change of this person still belongs to: one of the last minutes, with nothing
    named, published or restored after it.
    """
    mine = (Revision.Kind.AUTO, by.user.pk if by else None, via_of(by))
    recent = Revision.objects.filter(story=story.pk).recent().order_by("-number")
    for pk, *made in recent.values_list("pk", "kind", "by", "via"):
        if tuple(made) == mine:
            return int(pk)
        if made[0] not in (Revision.Kind.AUTO, Revision.Kind.CONFLICT):
            break
    return None


def keep(
    story: Story,
    kind: str,
    *,
    by: Actor | None,
    label: str = "",
    content: dict[str, Any] | None = None,
) -> Revision:
    """A new revision of a locked story: of the draft as it is, or of `content`."""
    latest = Revision.objects.filter(story=story.pk).aggregate(Max("number"))["number__max"] or 0
    kept = Revision.objects.create(
        story_id=story.pk,
        number=latest + 1,
        kind=kind,
        label=label,
        content=content_of(story) if content is None else content,
        by=by.user if by else None,
        via=via_of(by),
    )
    drop_surplus(story)
    return kept


def drop_surplus(story: Story) -> None:
    """Deletes the oldest revisions that nobody chose to keep, beyond REVISIONS_PER_STORY."""
    kept = story.revisions.all().expendable().order_by("-number")
    surplus = list(kept.values_list("pk", flat=True)[settings.REVISIONS_PER_STORY :])
    if surplus:
        Revision.objects.filter(pk__in=surplus).delete()


def keep_refused(
    story: Story, scene: str | None, changes: Mapping[str, Any], *, by: Actor | None
) -> str | None:
    """Keeps the draft as it would be with the refused changes; returns the revision's address, None without any.

    A client that did not hear the answer asks again: what is kept already, or was saved by then, is not kept twice.
    """
    if not changes:
        return None
    content = content_of(story)
    rows = [row for row in content["scenes"] if row["id"] == scene] if scene else [content["story"]]
    newest = story.revisions.order_by("-number")
    conflict, saved = Revision.Kind.CONFLICT, all(row | changes == row for row in rows)
    newest = newest.exclude(kind=conflict) if saved else newest.filter(kind=conflict)
    for row in rows:
        row.update(changes)
    # The newest two, because the refusals of two tabs may alternate.
    kept = next((each for each in newest[:2] if each.content == content), None)
    kept = kept or keep(story, conflict, by=by, content=content)
    return f"/api/v2/stories/{story.pk}/revisions/{kept.number}"
