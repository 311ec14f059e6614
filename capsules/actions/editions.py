"""Editions: variants of a capsule in another language or length."""

from __future__ import annotations

import uuid

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from accounts.actors import Actor
from capsules import rules
from capsules.actions import keeping
from capsules.actions.copying import copied_fields, copy_scenes
from capsules.actions.drafts import NAME_TAKEN, NO_NAME, set_cover
from capsules.actions.scenes import scene_of
from capsules.actions.writing import check_may_change, check_may_write, check_not_suspended, lock
from capsules.models import Scene, Story
from capsules.telling import tell_created
from config.errors import Conflict, Fault, Invalid


def add_edition(
    story: Story, *, name: str, label: str = "", language: str = "", shown: bool = False, by: Actor | None
) -> Story:
    """An edition of a capsule, with its words and media to start from.

    Raises Forbidden (role), Invalid, Conflict (name taken, edition of an edition), Locked (suspended).
    """
    check_may_write(by, story.workspace)
    fields = {"edition_name": name, "edition_label": label, "language": language or story.language}
    if faults := new_edition_faults(fields):
        raise Invalid(gettext("The edition cannot be saved."), faults=faults)
    check_not_suspended(story.workspace)
    if story.capsule_id is not None:
        raise Conflict(gettext("An edition cannot have editions of its own."))
    user = by.user if by else None
    edition = Story(
        workspace=story.workspace,
        capsule=story,
        shown=shown,
        visibility=story.visibility,
        created_by=user,
        edited_by=user,
        **copied_fields(story) | fields,
    )
    with transaction.atomic():
        lock(story)
        try:
            with transaction.atomic():
                Story.objects.bulk_create([edition])
        except IntegrityError as error:
            raise Conflict(gettext(NAME_TAKEN), faults=[Fault("name", gettext(NAME_TAKEN))]) from error
        copies = copy_scenes(story, edition, as_edition=True, by=by)
        if story.cover_id in copies:
            set_cover(edition, copies[story.cover_id])
        keeping.keep_change(edition, by=by)
        tell_created(edition, by=by)
    return edition


def new_edition_faults(fields: dict[str, str]) -> list[Fault]:
    faults = [
        Fault({"editionName": "name", "editionLabel": "label"}.get(fault.path, fault.path), fault.message)
        for fault in rules.story_faults(fields)
    ]
    if not fields["edition_name"]:
        faults.append(Fault("name", gettext(NO_NAME)))
    return faults


@transaction.atomic
def take_note(edition: Story, key: uuid.UUID, *, seen: int, by: Actor | None) -> None:
    """Notes that a scene of an edition is true to version `seen` of its original. Nothing of the draft changes.

    Raises Forbidden (role), Locked (suspended), NotFound, Conflict where the scene has no original.
    """
    locked = lock(edition)
    check_may_change(by, locked.workspace)
    scene = scene_of(locked, key)
    original = scene.copied_from
    if original is None:
        raise Conflict(gettext("This scene has no original."))
    Scene.objects.filter(pk=scene.pk).update(copied_version=min(seen, original.version))
