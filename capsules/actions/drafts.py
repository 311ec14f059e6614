"""Writing stories: making one with its scenes, changing its own fields, copying it."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import IntegrityError, transaction
from django.db.models import F

from accounts.actors import Actor
from accounts.models import Workspace
from capsules import rules, signals
from capsules.actions import keeping
from capsules.actions.copying import copy_scenes
from capsules.actions.scenes import SceneDraft, add_scene, insert
from capsules.actions.writing import Unchanged, check_may_write, check_not_suspended, too_late, writing
from capsules.models import Scene, Story
from config.errors import Conflict, Fault, Invalid

__all__ = ["SceneDraft", "add_scene", "create_story", "duplicate_story", "save_story", "update_story"]

REFUSED = "The story cannot be saved."
NAME_TAKEN = "An edition of this name already exists in this capsule."
#: What readers see of an edition at once, without a publish.
PRESENTED = ("shown", "edition_name", "edition_label", "cover")


def save_story(story: Story) -> None:
    """Saves a new or edited story. Raises Invalid with a fault for every field that breaks a rule."""
    fields = ("title", "summary", "author_name", "edition_label")
    faults = list(rules.story_faults({name: getattr(story, name) for name in fields}))
    try:
        story.full_clean()
    except ValidationError as error:
        known = {fault.path for fault in faults}
        for name, messages in error.message_dict.items():
            path = "" if name == NON_FIELD_ERRORS else rules.WIRE_NAMES.get(name, name)
            if path not in known:
                faults += [Fault(path, message) for message in messages]
    if faults:
        raise Invalid(REFUSED, faults=faults)
    story.save()


def create_story(
    workspace: Workspace,
    fields: Mapping[str, Any],
    scenes: Sequence[Mapping[str, Any]] = (),
    *,
    by: Actor | None,
) -> Story:
    """A new story with its scenes. `fields` and `scenes` are those of `update_story` and `scenes.add_scenes`;
    `fields` may have `visibility`, `capsule` and what belongs to an edition; `cover` is a number from 0.

    Raises Forbidden (role), Invalid with a fault for everything that breaks a rule, Conflict (too many scenes),
    Locked (suspended).
    """
    check_may_write(by, workspace)
    cover = fields.get("cover")
    own = rules.tidied({name: value for name, value in fields.items() if name != "cover"})
    scenes = [rules.tidied(scene) for scene in scenes]
    if faults := new_story_faults(own, scenes, cover):
        raise Invalid(REFUSED, faults=faults)
    check_not_suspended(workspace)
    user = by.user if by else None
    story = Story(workspace=workspace, created_by=user, edited_by=user, **own)
    try:
        with transaction.atomic():
            Story.objects.bulk_create([story])  # without the signals of save(): no reader sees it yet
            made = insert(story, scenes, at=0, path="scenes.{}.", by=by)
            if cover is not None:
                set_cover(story, made[cover])
            keeping.keep_change(story, by=by)
    except IntegrityError as error:
        if own.get("capsule") is None:
            raise
        raise Conflict(NAME_TAKEN, faults=[Fault("name", NAME_TAKEN)]) from error
    story.refresh_from_db()
    return story


def new_story_faults(
    fields: Mapping[str, Any], scenes: Sequence[Mapping[str, Any]], cover: int | None
) -> list[Fault]:
    faults = list(rules.story_faults({"title": "", **fields}))
    faults += [
        Fault(f"scenes.{index}.finale", rules.FINALE_LAST)
        for index, scene in enumerate(scenes[:-1])
        if scene.get("finale")
    ]
    if cover is not None and not 0 <= cover < len(scenes):
        faults.append(Fault("cover", "Must name one of the scenes."))
    for index, scene in enumerate(scenes):
        faults += rules.scene_faults(scene, f"scenes.{index}.")
    return faults


def update_story(
    story: Story, changes: Mapping[str, Any], *, by: Actor | None, expected: Collection[int] | None = None
) -> Story:
    """Changes the given fields: title, summary, author_name, language, cover (a scene's key or None), edition_name,
    edition_label, shown. `expected`: the versions that the caller would change. Without a difference no
    version rises and nothing is kept.

    Raises NotFound, Forbidden, Locked, Stale (412; what was refused is kept), Invalid, Conflict (edition name taken).
    """
    changes = rules.tidied(changes)
    faults = list(rules.story_faults(changes))
    if faults:
        raise Invalid(REFUSED, faults=faults)
    with writing(story, by=by) as locked:
        if expected is not None and locked.version not in expected:
            raise stale_story(locked, changes, expected, by=by)
        check_edition_fields(locked, changes)
        fields = dict(changes)
        if fields.get("cover") is not None:
            fields["cover"] = cover_of(locked, fields["cover"])
        if all(getattr(locked, name) == value for name, value in fields.items()):
            raise Unchanged
        try:
            with transaction.atomic():
                Story.objects.filter(pk=locked.pk).update(**fields, version=F("version") + 1)
        except IntegrityError as error:
            raise Conflict(NAME_TAKEN, faults=[Fault("editionName", NAME_TAKEN)]) from error
        for name, value in fields.items():
            setattr(locked, name, value)
        if set(PRESENTED) & set(fields):
            signals.presentation_changed.send(sender=Story, story=locked)
    return Story.objects.get(pk=story.pk)


def stale_story(
    story: Story, changes: Mapping[str, Any], expected: Collection[int], *, by: Actor | None
) -> Exception:
    sent = {rules.WIRE_NAMES.get(name, name): value for name, value in changes.items()}
    present = {rules.WIRE_NAMES.get(name, name): getattr(story, name) for name in changes if name != "cover"}
    kept = {name: str(value) if isinstance(value, uuid.UUID) else value for name, value in sent.items()}
    return too_late(
        "story",
        by=by,
        editor=story.edited_by,
        when=story.updated_at,
        version=story.version,
        expected=expected,
        fields=[name for name in sent if name not in present or present[name] != sent[name]],
        changes=kept,
    )


def check_edition_fields(story: Story, changes: Mapping[str, Any]) -> None:
    """Raises Conflict where fields that only an edition has are given for a capsule."""
    own = [name for name in ("shown", "edition_name", "edition_label") if name in changes]
    if own and story.capsule_id is None:
        message = "Only an edition has this."
        faults = [Fault(rules.WIRE_NAMES.get(name, name), message) for name in own]
        raise Conflict("This story is a capsule, not an edition.", faults=faults)


def set_cover(story: Story, scene: Scene | None) -> None:
    """Chooses the scene whose still is the chosen image; no version rises."""
    story.cover = scene
    Story.objects.filter(pk=story.pk).update(cover=scene)


def cover_of(story: Story, key: uuid.UUID) -> Scene:
    scene = story.scenes.filter(key=key).first()
    if scene is None:
        raise Invalid(REFUSED, faults=[Fault("cover", "This story has no such scene.")])
    return scene


def duplicate_story(
    story: Story, *, title: str = "", workspace: Workspace | None = None, by: Actor | None
) -> Story:
    """A private copy with all scenes, in the same workspace or another one; of an edition a capsule of its own.

    Raises Forbidden (role in the workspace that gets it), Invalid (title), Locked (suspended).
    """
    target = workspace or story.workspace
    check_may_write(by, target)
    faults = list(rules.story_faults({"title": title})) if title else []
    if faults:
        raise Invalid(REFUSED, faults=faults)
    check_not_suspended(target)
    user = by.user if by else None
    limit = Story._meta.get_field("title").max_length
    copy = Story(
        workspace=target,
        title=title or f"Copy of {story.title}"[:limit],
        summary=story.summary,
        author_name=story.author_name,
        language=story.language,
        duplicate_of=story,
        created_by=user,
        edited_by=user,
    )
    with transaction.atomic():
        Story.objects.bulk_create([copy])
        copies = copy_scenes(story, copy, by=by)
        if story.cover_id in copies:
            set_cover(copy, copies[story.cover_id])
        keeping.keep_change(copy, by=by)
    copy.refresh_from_db()
    return copy
