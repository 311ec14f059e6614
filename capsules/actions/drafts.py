"""Writing stories: making one with its scenes, changing its own fields, copying it."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from copy import copy

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.translation import gettext, gettext_noop

from accounts.actors import Actor
from accounts.models import Workspace
from capsules import rules, signals
from capsules.actions import keeping, stills
from capsules.actions.copying import copied_fields, copy_scenes, note_origins
from capsules.actions.scenes import insert
from capsules.actions.writing import Unchanged, check_may_write, check_not_suspended, lock, too_late, writing
from capsules.fields import STORY, row_json
from capsules.models import Scene, Story
from capsules.telling import tell_created
from config.errors import Conflict, Fault, Invalid
from config.json_types import JsonMapping, JsonObject

REFUSED = gettext_noop("The story cannot be saved.")
NO_NAME = gettext_noop("An edition needs a name.")
NAME_TAKEN = gettext_noop("An edition of this name already exists in this capsule.")
#: What readers see of an edition at once, without a publish.
PRESENTED = ("shown", "edition_name", "edition_label", "cover")


def create_story(
    workspace: Workspace,
    fields: JsonMapping,
    scenes: Sequence[Mapping[str, object]] = (),
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
    given = STORY.to_columns({name: value for name, value in fields.items() if name != "cover"})
    own = rules.tidied(given)
    scenes = [rules.tidied(scene) for scene in scenes]
    if faults := new_story_faults(own, scenes, cover):
        raise Invalid(gettext(REFUSED), faults=faults)
    check_not_suspended(workspace)
    scenes = stills.with_default_stills(workspace, scenes, by=by)
    user = by.user if by else None
    story = Story(workspace=workspace, created_by=user, edited_by=user, **own)
    try:
        with transaction.atomic():
            Story.objects.bulk_create([story])  # without the signals of save(): no reader sees it yet
            made = insert(story, scenes, [], at=0, path="scenes.{}.", by=by)
            if cover is not None:
                set_cover(story, made[cover])
            keeping.keep_change(story, by=by)
            tell_created(story, by=by)
    except IntegrityError as error:
        if own.get("capsule") is None:
            raise
        raise Conflict(gettext(NAME_TAKEN), faults=[Fault("name", gettext(NAME_TAKEN))]) from error
    return story


def new_story_faults(
    fields: Mapping[str, object], scenes: Sequence[Mapping[str, object]], cover: int | None
) -> list[Fault]:
    faults = list(rules.story_faults({"title": "", **fields}))
    faults += [
        Fault(f"scenes.{index}.finale", gettext(rules.FINALE_LAST))
        for index, scene in enumerate(scenes[:-1])
        if scene.get("finale")
    ]
    if cover is not None and not 0 <= cover < len(scenes):
        faults.append(Fault("cover", gettext("Must name one of the scenes.")))
    for index, scene in enumerate(scenes):
        faults += rules.scene_faults(scene, f"scenes.{index}.")
    return faults


def update_story(
    story: Story, changes: Mapping[str, object], *, by: Actor | None, expected: Collection[int] | None = None
) -> Story:
    """Changes the given fields: those of `capsules.fields.STORY`, as values or columns, cover (a scene's key or
    None), edition_name, edition_label, shown. `expected`: the versions that the caller would change. Without a
    difference no version rises and nothing is kept.

    Raises NotFound, Forbidden, Locked, Stale (412; what was refused is kept), Invalid, Conflict (edition name taken).
    """
    changes = rules.tidied(STORY.to_columns(changes))
    faults = list(rules.story_faults(changes))
    if faults:
        raise Invalid(gettext(REFUSED), faults=faults)
    with writing(story, by=by, presents=bool(set(PRESENTED) & set(changes))) as locked:
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
            raise Conflict(gettext(NAME_TAKEN), faults=[Fault("editionName", gettext(NAME_TAKEN))]) from error
        before = copy(locked)
        for name, value in fields.items():
            setattr(locked, name, value)
        if set(PRESENTED) & set(fields):
            signals.presentation_changed.send(sender=Story, story=locked, before=before, by=by)
    return Story.objects.get(pk=story.pk)


def stale_story(
    story: Story, changes: Mapping[str, object], expected: Collection[int], *, by: Actor | None
) -> Exception:
    columns = [name for name in changes if name != "cover"]
    present = wire_changes(story, columns)
    refused = copy(story)
    for name in columns:
        setattr(refused, name, changes[name])
    sent = wire_changes(refused, columns)
    if "cover" in changes:
        sent["cover"] = str(changes["cover"]) if changes["cover"] else None
    return too_late(
        "story",
        by=by,
        editor=story.edited_by,
        when=story.updated_at,
        version=story.version,
        expected=expected,
        fields=[name for name in sent if name not in present or present[name] != sent[name]],
        changes=sent,
    )


def wire_changes(story: Story, columns: Collection[str]) -> JsonObject:
    """The JSON of the fields that these columns belong to, by their wire names."""
    own = [field for field in STORY if set(field.columns) & set(columns)]
    others = [name for name in columns if name not in STORY.columns]
    return row_json(story, own) | {rules.WIRE_NAMES.get(name, name): getattr(story, name) for name in others}


def check_edition_fields(story: Story, changes: Mapping[str, object]) -> None:
    """Raises Conflict where fields that only an edition has are given for a capsule, Invalid where it lost its name."""
    own = [name for name in ("shown", "edition_name", "edition_label") if name in changes]
    if own and story.capsule_id is None:
        message = gettext("Only an edition has this.")
        faults = [Fault(rules.WIRE_NAMES.get(name, name), message) for name in own]
        raise Conflict(gettext("This story is a capsule, not an edition."), faults=faults)
    if changes.get("edition_name") == "":
        raise Invalid(gettext(REFUSED), faults=[Fault("editionName", gettext(NO_NAME))])


def set_cover(story: Story, scene: Scene | None) -> None:
    """Chooses the scene whose still is the chosen image; no version rises."""
    story.cover = scene
    Story.objects.filter(pk=story.pk).update(cover=scene)


def cover_of(story: Story, key: uuid.UUID) -> Scene:
    scene = story.scenes.filter(key=key).first()
    if scene is None:
        raise Invalid(gettext(REFUSED), faults=[Fault("cover", gettext("This story has no such scene."))])
    return scene


def duplicate_story(
    story: Story, *, title: str = "", workspace: Workspace | None = None, by: Actor | None
) -> Story:
    """A private copy with all scenes, in the same workspace or another one; of an edition a capsule of its own.

    Raises Forbidden (role in the workspace that gets it), Invalid (title), Locked (suspended), NotFound (it went to the
    trash meanwhile).
    """
    target = workspace or story.workspace
    check_may_write(by, target)
    faults = list(rules.story_faults({"title": title})) if title else []
    if faults:
        raise Invalid(gettext(REFUSED), faults=faults)
    check_not_suspended(target)
    user = by.user if by else None
    limit = Story._meta.get_field("title").max_length
    made = Story(
        workspace=target,
        **copied_fields(story)
        | {"title": title or (gettext("Copy of %(title)s") % {"title": story.title})[:limit]},
        duplicate_of=story,
        created_by=user,
        edited_by=user,
    )
    with transaction.atomic():
        lock(story)  # or a change of its pictures deletes renderings that the copy is about to share
        Story.objects.bulk_create([made])
        note_origins(story, made)
        copies = copy_scenes(story, made, by=by)
        if story.cover_id in copies:
            set_cover(made, copies[story.cover_id])
        keeping.keep_change(made, by=by)
        tell_created(made, by=by, copy_of=story)
    return made
