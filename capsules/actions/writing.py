"""How a draft is changed: one transaction on the locked row of its story, versions compared before anything is written.

Rows are changed by `QuerySet.update()`: the signals of `Story.save()` would renew every cached page of the workspace.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from accounts.actors import Actor
from accounts.models import User, Workspace
from capsules.actions import keeping
from capsules.models import Story
from capsules.signals import presentation_changing
from config.errors import Fault, Forbidden, Locked, Stale
from config.ids import row_of

NO_STORY = gettext_noop("There is no such story.")
#: Of a change that stands on another version than the present one, by what was to be changed.
REFUSALS = {
    "story": {
        "early": gettext_noop("This story has no version %(expected)s yet; it is at version %(version)s."),
        "by_you": gettext_noop("You changed this story in another tab or program."),
        "by_other": gettext_noop("This story was changed meanwhile by %(person)s."),
        "late": gettext_noop("This story was changed meanwhile."),
    },
    "scene": {
        "early": gettext_noop("This scene has no version %(expected)s yet; it is at version %(version)s."),
        "by_you": gettext_noop("You changed this scene in another tab or program."),
        "by_other": gettext_noop("This scene was changed meanwhile by %(person)s."),
        "late": gettext_noop("This scene was changed meanwhile."),
    },
    "draft": {
        "early": gettext_noop("This draft has no version %(expected)s yet; it is at version %(version)s."),
        "by_you": gettext_noop("You changed this draft in another tab or program."),
        "by_other": gettext_noop("This draft was changed meanwhile by %(person)s."),
        "late": gettext_noop("This draft was changed meanwhile."),
    },
}
SUSPENDED = gettext_noop("This workspace is suspended. Nothing can be changed in it.")


class TooLate(Exception):
    """A change that came too late: raised inside `writing`, before the first write."""

    def __init__(
        self,
        message: str,
        *,
        version: int,
        faults: list[Fault],
        scene: str | None = None,
        changes: Mapping[str, object],
    ) -> None:
        super().__init__(message)
        self.version = version
        self.faults = faults
        self.scene = scene  # the key of the scene it was meant for; None: the story itself
        self.changes = changes  # what was asked for, as a revision's content has it


class Unchanged(Exception):
    """A change that asks for what is there already: raised inside `writing`, before the first write."""


def find_story(by: Actor, id: str | uuid.UUID, missing: str = NO_STORY) -> Story:
    """The story, if `by` can see it: the one door from a request to a story. Raises NotFound, the same for every
    reason, with the sentence `missing`.
    """
    return row_of(Story.objects.visible_to(by).select_related("workspace"), id, missing)


def check_may_write(by: Actor | None, workspace: Workspace) -> None:
    """Raises Forbidden where the role is too low. `by` None is the service itself, as in an import from its shell."""
    if by is not None and not by.may_write_in(workspace.pk):
        raise Forbidden(gettext("Your role in this workspace does not allow writing."))


def check_not_suspended(workspace: Workspace) -> None:
    """Raises Locked."""
    if workspace.is_suspended:
        raise Locked(gettext(SUSPENDED))


def check_may_change(by: Actor | None, workspace: Workspace) -> None:
    """Whether drafts and files of a workspace may be changed now. Raises Forbidden (role), then Locked (suspended)."""
    check_may_write(by, workspace)
    check_not_suspended(workspace)


@contextmanager
def writing(story: Story, *, by: Actor | None, presents: bool = False) -> Iterator[Story]:
    """The story, locked for one change; afterwards its revision has risen, which `story` is told, and the history knows
    the draft. `presents`: readers may see the change at once.

    Raises NotFound (in the trash meanwhile), Forbidden (role), Locked (suspended), and Stale where the body of the
    `with` raises TooLate: then nothing is written but a copy of what was refused. Where it raises Unchanged, nothing
    is written at all, so that nobody else's next change is refused for it.
    """
    stale: Stale | None = None
    with transaction.atomic():
        if presents:
            presentation_changing.send(sender=Story, story=story)
        locked = lock(story)
        check_may_change(by, locked.workspace)
        before = keeping.copy_before_change(locked, by=by)
        try:
            yield locked
        # Inside the transaction, so that the copy of what was refused is committed; the refusal is raised after it.
        except TooLate as late:
            kept_as = keeping.keep_refused(locked, late.scene, late.changes, by=by)
            stale = Stale(str(late), faults=late.faults, version=late.version, kept_as=kept_as)
        except Unchanged:
            pass
        else:
            note_change(locked, by=by, before=before)
        story.revision = locked.revision
    if stale is not None:
        raise stale


def lock(story: Story) -> Story:
    """The story's row, held until the transaction ends. Raises NotFound where it is gone or in the trash."""
    rows = Story.objects.present().select_related("workspace")
    # No key: rows that refer to the story, such as its publication, are written meanwhile without waiting.
    return row_of(rows.select_for_update(of=("self",), no_key=True), story.pk, gettext(NO_STORY))


def note_change(story: Story, *, by: Actor | None, before: keeping.Copy | None) -> None:
    """Counts a change of a locked draft, and has the history know the draft as it is now and as it was before."""
    now = timezone.now()
    Story.objects.filter(pk=story.pk).update(
        revision=F("revision") + 1, updated_at=now, edited_by=by.user if by else None
    )
    story.revision += 1
    keeping.keep_change(story, by=by, before=before)


def too_late(
    what: str,
    *,
    by: Actor | None,
    editor: User | None,
    when: datetime,
    version: int,
    expected: Collection[int],
    fields: Collection[str] = (),
    scene: str | None = None,
    changes: Mapping[str, object],
) -> TooLate:
    """The refusal in words: who was quicker, and which of the sent fields differ from what is there now.

    A version that is still to come blames nobody: the caller made it up, or the database was restored since.
    """
    faults = [
        Fault(field, gettext("Changed at %(when)s UTC.") % {"when": format(when, "%H:%M")})
        for field in fields
    ]
    if expected and min(expected) > version:
        said = gettext(REFUSALS[what]["early"]) % {"expected": min(expected), "version": version}
        faults = []
    elif by is not None and by.user == editor:
        said = gettext(REFUSALS[what]["by_you"])
    elif editor and editor.name:
        said = gettext(REFUSALS[what]["by_other"]) % {"person": editor.name}
    else:
        said = gettext(REFUSALS[what]["late"])
    if changes:
        said += " " + gettext("Your version is kept in the history.")
    return TooLate(said, version=version, faults=faults, scene=scene, changes=changes)
