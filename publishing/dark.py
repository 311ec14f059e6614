"""What was taken down, as its authors meet it: why, and what they may not do until the case has ended."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import prefetch_related_objects
from django.utils.translation import gettext

from accounts.models import Workspace
from accounts.statements import Statement
from capsules.models import Origin, Story
from config.errors import Locked
from publishing.models import Case, Publication
from publishing.models.cases import CaseQuerySet


@dataclass(frozen=True)
class TakenDown:
    """Why readers do not get a story. `case` is None where staff suspended a workspace without one."""

    since: datetime
    is_workspace: bool
    case: Case | None

    @property
    def reason(self) -> str | None:
        return (self.case.reason or None) if self.case else None

    @property
    def rule(self) -> str:
        return self.case.rule if self.case else ""

    @property
    def words(self) -> str:
        return self.case.words if self.case else ""

    @property
    def appealable(self) -> bool:
        return self.case is not None and self.case.is_appealable

    @property
    def because(self) -> str:
        return Statement(self.reason or "").because


def taken_down(
    stories: Collection[Story], known: Mapping[uuid.UUID, Publication]
) -> dict[uuid.UUID, TakenDown]:
    """Those of `stories` that were taken down. `known`: the publications of them and their capsules, by story. At most
    three queries; none where nothing is dark.
    """
    prefetch_related_objects(list(stories), "workspace")
    prefetch_related_objects([each for each in known.values() if each.frozen_at is not None], "frozen_case")
    suspensions = suspended({story.workspace for story in stories})
    found = {}
    for story in stories:
        own = (known.get(key) for key in (story.pk, story.capsule_id) if key is not None)
        frozen = next((each for each in own if each is not None and each.frozen_at is not None), None)
        if frozen is not None and frozen.frozen_at is not None:
            found[story.pk] = TakenDown(frozen.frozen_at, False, frozen.frozen_case)
        elif story.workspace_id in suspensions:
            found[story.pk] = suspensions[story.workspace_id]
    return found


def suspended(workspaces: Collection[Workspace]) -> dict[uuid.UUID, TakenDown]:
    """Those of the workspaces that are suspended. A query where one is."""
    since = {each.pk: each.suspended_at for each in workspaces if each.suspended_at is not None}
    if not since:
        return {}
    cases = Case.objects.in_force().filter(kind=Case.Kind.WORKSPACE, workspace__in=since)
    by_workspace = {case.workspace_id: case for case in cases}
    return {pk: TakenDown(moment, True, by_workspace.get(pk)) for pk, moment in since.items()}


def of_story(story: Story) -> TakenDown | None:
    """Why readers do not get a story, whether or not it is published; None for one in good standing."""
    ids = [key for key in (story.pk, story.capsule_id) if key is not None]
    rows = Publication.objects.filter(story__in=ids).order_by()
    return taken_down([story], {row.story_id: row for row in rows}).get(story.pk)


def of_workspace(workspace: Workspace) -> TakenDown | None:
    return suspended([workspace]).get(workspace.pk)


def check_may_go_public(story: Story) -> None:
    """Raises Locked, with the reason, where a call would make something more public that was taken down, or a copy."""
    found = of_story(story)
    if found is not None and found.is_workspace:
        raise Locked(
            gettext("This workspace was suspended%(because)s. Nothing can be published in it.")
            % {"because": found.because}
        )
    if found is not None:
        raise Locked(
            gettext("This capsule was taken down%(because)s. It cannot be published.")
            % {"because": found.because}
        )
    if copied_from_frozen(story).exists():
        raise Locked(gettext("This is a copy of a capsule that was taken down. It cannot be published."))


def copied_from_frozen(story: Story) -> CaseQuerySet:
    """The cases in force about what a story, or its capsule, was copied from; also where that was deleted since."""
    ids = [key for key in (story.pk, story.capsule_id) if key is not None]
    # Of most nothing: then no case is asked for.
    originals = Origin.objects.filter(story__in=ids).values_list("original", flat=True)
    return Case.objects.in_force().filter(about__in=list(originals))
