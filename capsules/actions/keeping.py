"""Keeping copies of a draft: of changes as they happen, of a moment that somebody names, of what was refused.

A revision without content has what the draft has now. It gets a copy of its own before the first change that does not
belong to it, so that a word that is saved does not write the whole draft again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db.models import F, Max
from django.utils import timezone

from accounts.actors import Actor
from capsules.fields import SCENE, STORY, row_json
from capsules.models import Revision, Scene, Story
from config.json_types import JsonObject


def via_of(by: Actor | None) -> str:
    """Through what a draft was changed, as a Revision has it."""
    if by is None:
        return Revision.Via.IMPORT
    if by.tool:
        return Revision.Via.MCP
    return {"studio": Revision.Via.STUDIO, "staff": Revision.Via.STAFF}.get(by.via, Revision.Via.API)


def content_of(story: Story) -> JsonObject:
    """The draft in the form that a Revision has: the fields of `story`, and its scenes as the database has them now.

    A caller that changed the row by `update()` must have changed `story` too.
    """
    scenes = list(Scene.objects.filter(story=story.pk))
    cover = next((str(scene.key) for scene in scenes if scene.pk == story.cover_id), None)
    return {
        "story": {**row_json(story, STORY.fields), "cover": cover},
        "scenes": [{"id": str(scene.key), **row_json(scene, SCENE.fields)} for scene in scenes],
    }


def content_in(revision: Revision) -> JsonObject:
    """What a revision has: its own copy, or the draft while that is the same."""
    if revision.content is not None:
        return dict(revision.content)
    now = Revision.objects.filter(pk=revision.pk).values_list("content", "story__revision")
    while True:
        story = Story.objects.get(pk=revision.story_id)
        draft = content_of(story)
        # The copy is made in the transaction of a change, so it is asked for again: one may have come meanwhile.
        copy, changes = now.first() or (None, story.revision)
        if copy is not None or changes == story.revision:
            return copy or draft


@dataclass(frozen=True)
class Copy:
    """The draft before a change, for the revisions that end with it."""

    revisions: list[int]
    content: dict[str, object]


def copy_before_change(story: Story, *, by: Actor | None) -> Copy | None:
    """What must be kept of a locked draft before a person's change; None where every revision has a copy already."""
    rows = Revision.objects.filter(story=story.pk)
    # Almost always there is one, the open revision, and then no copy is made at all.
    bare = list(rows.filter(content__isnull=True).values_list("pk", flat=True))
    ended = [pk for pk in bare if pk != open_revision(story, by=by)] if bare else []
    return Copy(ended, content_of(story)) if ended else None


def keep_change(story: Story, *, by: Actor | None, before: Copy | None = None) -> None:
    """Notes a change in the open revision of this person, else in a new one; both have what the draft has now."""
    if before is not None:
        rows = Revision.objects.filter(pk__in=before.revisions, content__isnull=True)
        rows.update(content=before.content)
    latest = open_revision(story, by=by)
    if latest is None:
        keep_revision(story, Revision.Kind.AUTO, by=by)
        return
    Revision.objects.filter(pk=latest).update(
        content=None, updated_at=timezone.now(), changes=F("changes") + 1
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
        # Beyond what somebody chose to keep, nothing may be folded into what came before it.
        if made[0] not in (Revision.Kind.AUTO, Revision.Kind.CONFLICT):
            break
    return None


def keep_revision(
    story: Story,
    kind: str,
    *,
    by: Actor | None,
    label: str = "",
    content: dict[str, object] | None = None,
) -> Revision:
    """A new revision of a locked story: of the draft as it is, or of `content`.

    An automatic one goes on with the draft; every other one ends those before it.
    """
    rows = Revision.objects.filter(story=story.pk)
    if content is None and kind != Revision.Kind.AUTO:
        content = content_of(story)
        rows.filter(content__isnull=True).update(content=content)
    # The story's row is locked, so nobody else takes this number.
    latest = rows.aggregate(Max("number"))["number__max"] or 0
    kept = Revision.objects.create(
        story_id=story.pk,
        number=latest + 1,
        kind=kind,
        label=label,
        content=content,
        by=by.user if by else None,
        via=via_of(by),
    )
    drop_surplus(story)
    return kept


def drop_surplus(story: Story) -> None:
    """Deletes the oldest revisions that nobody chose to keep, beyond REVISIONS_PER_STORY."""
    kept = story.revisions.all().expendable().order_by("-number")
    # As ids: neither database deletes from a slice.
    surplus = list(kept.values_list("pk", flat=True)[settings.REVISIONS_PER_STORY :])
    if surplus:
        Revision.objects.filter(pk__in=surplus).delete()


def keep_refused(
    story: Story, scene: str | None, changes: Mapping[str, object], *, by: Actor | None
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
    # The newest two, because the refusals of two tabs may alternate. One without content has what the draft has,
    # which is `content` where it was saved; a conflict always has its own.
    kept = next((each for each in newest[:2] if each.content in (None, content)), None)
    kept = kept or keep_revision(story, conflict, by=by, content=content)
    return f"/api/v2/stories/{story.pk}/revisions/{kept.number}"
