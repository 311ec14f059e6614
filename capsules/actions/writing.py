"""How a draft is changed: one transaction on the locked row of its story, versions compared before anything is written.

Rows are changed by `QuerySet.update()`: the signals of `Story.save()` would renew every cached page of the workspace.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import User, Workspace
from capsules.actions import keeping
from capsules.models import Story
from config.database import only
from config.errors import Fault, Forbidden, Locked, NotFound, Stale

NO_STORY = "There is no such story."
SUSPENDED = "This workspace is suspended. Nothing can be changed in it."


class Refused(Exception):
    """A change that came too late: raised inside `writing`, before the first write."""

    def __init__(
        self,
        message: str,
        *,
        version: int,
        faults: list[Fault],
        scene: str | None = None,
        changes: Mapping[str, Any],
    ) -> None:
        super().__init__(message)
        self.version = version
        self.faults = faults
        self.scene = scene  # the key of the scene it was meant for; None: the story itself
        self.changes = changes  # what was asked for, as a revision's content has it


class Unchanged(Exception):
    """A change that asks for what is there already: raised inside `writing`, before the first write."""


def check_may_write(by: Actor | None, workspace: Workspace) -> None:
    """Raises Forbidden where the role is too low. `by` None is the service itself, as in an import from its shell."""
    if by is not None and not by.may_write_in(workspace.pk):
        raise Forbidden("Your role in this workspace does not allow writing.")


def check_not_suspended(workspace: Workspace) -> None:
    """Raises Locked."""
    if workspace.is_suspended:
        raise Locked(SUSPENDED)


def check_may_change(by: Actor | None, workspace: Workspace) -> None:
    """Whether drafts and files of a workspace may be changed now. Raises Forbidden (role), then Locked (suspended)."""
    check_may_write(by, workspace)
    check_not_suspended(workspace)


@contextmanager
def writing(story: Story, *, by: Actor | None) -> Iterator[Story]:
    """The story, locked for one change; afterwards its revision has risen and the history knows the draft.

    Raises NotFound (in the trash meanwhile), Forbidden (role), Locked (suspended), and Stale where the body of the
    `with` raises Refused: then nothing is written but a copy of what was refused. Where it raises Unchanged, nothing
    is written at all, so that nobody else's next change is refused for it.
    """
    stale: Stale | None = None
    with transaction.atomic():
        locked = lock(story)
        check_may_change(by, locked.workspace)
        try:
            yield locked
        except Refused as refused:
            kept_as = keeping.keep_refused(locked, refused.scene, refused.changes, by=by)
            stale = Stale(str(refused), faults=refused.faults, version=refused.version, kept_as=kept_as)
        except Unchanged:
            pass
        else:
            note_change(locked, by=by)
    if stale is not None:
        raise stale


def lock(story: Story) -> Story:
    """The story's row, held until the transaction ends. Raises NotFound where it is gone or in the trash."""
    rows = Story.objects.present().select_related("workspace")
    found = only(rows.select_for_update(of=("self",), no_key=True).filter(pk=story.pk))
    if found is None:
        raise NotFound(NO_STORY)
    return found


def note_change(story: Story, *, by: Actor | None) -> None:
    """Counts a change of a locked draft and keeps the draft as it is now in the history."""
    now = timezone.now()
    Story.objects.filter(pk=story.pk).update(
        revision=F("revision") + 1, updated_at=now, edited_by=by.user if by else None
    )
    keeping.keep_change(story, by=by)


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
    changes: Mapping[str, Any],
) -> Refused:
    """Refused in words: who was quicker, and which of the sent fields differ from what is there now.

    A version that is still to come blames nobody: the caller made it up, or the database was restored since.
    """
    faults = [Fault(field, f"Changed at {when:%H:%M} UTC.") for field in fields]
    if expected and min(expected) > version:
        said = f"This {what} has no version {min(expected)} yet; it is at version {version}."
        faults = []
    elif by is not None and by.user == editor:
        said = f"You changed this {what} in another tab or program."
    else:
        said = f"This {what} was changed meanwhile{f' by {editor.name}' if editor and editor.name else ''}."
    kept = " Your version is kept in the history." if changes else ""
    return Refused(said + kept, version=version, faults=faults, scene=scene, changes=changes)
