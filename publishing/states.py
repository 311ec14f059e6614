"""What the public state of a story is, under which link, and what the log is told of a version."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from accounts.actors import PUBLICATIONS_WRITE, Actor
from accounts.models import Workspace
from capsules.models import Story
from capsules.telling import tell
from config.links import absolute
from publishing import dark
from publishing.dark import TakenDown
from publishing.going_live import check_person
from publishing.models import Bake, Publication
from publishing.models.publications import PublicationQuerySet


@dataclass(frozen=True)
class PublicationState:
    """The public state of one story's publication. What was taken down is not published, whatever its author chose."""

    story_id: str
    is_published: bool
    slug: str | None
    url: str | None
    publication_mode: str
    unlisted: bool
    published_at: datetime | None
    taken_down: TakenDown | None = None


def publication_target(story: Story) -> Story:
    """The story that is published: of a shown edition its capsule."""
    return story.capsule if story.is_shown_edition and story.capsule else story


def state_of(story: Story) -> PublicationState:
    """The publication of a story as it is now; a shown edition shares its capsule's."""
    return states_of([story])[story.pk]


def states_of(stories: Sequence[Story]) -> dict[uuid.UUID, PublicationState]:
    """The publications of stories as they are now, by story id; the number of queries does not depend on theirs."""
    return states_among({row.story_id: row for row in rows_of(stories)}, stories)


def publications_of(stories: Sequence[Story]) -> dict[uuid.UUID, Publication]:
    """The publications of stories and of their capsules, by story id, with their stories as these are now."""
    rows = rows_of(stories).select_related("story__workspace", "premiere")
    return {publication.story_id: publication for publication in rows}


def rows_of(stories: Sequence[Story]) -> PublicationQuerySet:
    ids = {story.pk for story in stories} | {story.capsule_id for story in stories if story.capsule_id}
    return Publication.objects.filter(story__in=ids).order_by()


def publication_among(known: dict[uuid.UUID, Publication], target: Story) -> Publication:
    """The publication of a target; one that was not saved where it was never published."""
    return known.get(target.pk) or Publication(story=target)


def states_among(
    known: dict[uuid.UUID, Publication], stories: Sequence[Story]
) -> dict[uuid.UUID, PublicationState]:
    taken_down = dark.taken_down(stories, known)
    states = {}
    for story in stories:
        target = publication_target(story)
        publication = publication_among(known, target)
        published = publication.is_published and story.pk not in taken_down
        if target is not story:
            own = known.get(story.pk)
            published = published and own is not None and own.live_bake_id is not None
        states[story.pk] = PublicationState(
            story_id=str(story.pk),
            is_published=published,
            slug=publication.slug,
            url=link_in(story.workspace, story, publication) if published else None,
            publication_mode=publication.mode,
            unlisted=target.visibility == Story.Visibility.UNLISTED,
            published_at=publication.published_at if published else None,
            taken_down=taken_down.get(story.pk),
        )
    return states


def live_story_ids() -> QuerySet[Any]:
    """The ids of all stories that have a link of their own that opens."""
    return Publication.objects.live().order_by().values("story")


def public_link(story: Story) -> str | None:
    """With the host in front; None while readers cannot open it."""
    url = state_of(story).url
    return absolute(url) if url else None


def link_to(story: Story, publication: Publication) -> str:
    """The public path of a story: of a shown edition, its capsule's with the edition named."""
    return link_in(publication.story.workspace, story, publication)


def link_in(workspace: Workspace, story: Story, publication: Publication) -> str:
    """`link_to` where the workspace of both is known already."""
    path = f"/{workspace.name}/{publication.slug}"
    return path if publication.story_id == story.pk else f"{path}?edition={story.edition_name}"


def tell_presented(story: Story, before: Story, *, by: Actor | None) -> bool:
    """Tells the log where an edition that was shown, hidden or named anew went live by it, from the public, or on to
    another link. Returns whether it went live.

    Raises Forbidden, in the transaction that changes it, where whoever does so may not make it public.
    """
    was, now = state_of(before), state_of(story)
    if now.is_published and not was.is_published and not story.shown:
        # It was live alone before it was shown. It left the public with its capsule, and hiding makes nothing public.
        Publication.objects.filter(story=story).update(published_at=None)
    elif now.is_published and not was.is_published:
        if by is not None:
            by.require_scope(PUBLICATIONS_WRITE)
            check_person(by, story)
        tell_edition(story, by=by)
        return True
    elif was.is_published and not now.is_published:
        tell(story, "story.unpublished", by=by, url=None, slug=was.slug, slugReleased=False)
    elif now.url != was.url:
        tell_edition(story, by=by, slugBefore=was.slug, restoredFrom=None)
    return False


def tell_edition(story: Story, *, by: Actor | None, **again: Any) -> None:
    """`tell_version` of what readers get of an edition."""
    own = Publication.objects.filter(story=story).values("live_bake")
    bake = Bake.objects.select_related("story", "preview").get(pk__in=own)
    live = Publication.objects.select_related("story__workspace").get(story=publication_target(story))
    tell_version(bake, live, by=by, **again)


def tell_version(bake: Bake, publication: Publication, *, by: Actor | None, **again: Any) -> None:
    """Tells the log which version readers get now; `again`: what a republish tells beside that."""
    story, shared = bake.story, bake.story_id != publication.story_id
    fields = {
        "slug": publication.slug,
        "version": bake.number,
        "previewNumber": bake.preview.number if bake.preview else None,
        "publicationMode": publication.mode,
        "visibility": publication.story.visibility,
        "publishedStoryId": str(publication.story_id) if shared else None,
        "edition": story.edition_name if shared else None,
    }
    url = absolute(link_to(story, publication))
    tell(story, "story.republished" if again else "story.published", by=by, url=url, **fields, **again)
