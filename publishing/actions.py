"""What publishing does: publish, unpublish, choose a visibility."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts import names
from accounts.actions.events import Kind, record
from accounts.actors import PUBLICATIONS_WRITE, Actor
from accounts.models import Workspace
from capsules import readiness
from capsules.models import Preview, Story
from config.errors import Conflict, Fault, Forbidden, Locked, NotFound
from config.metrics import publish_step
from publishing import baking, history, leases, slugs
from publishing.leases import Lease, leased
from publishing.models import Bake, Publication, PublicationEvent
from publishing.premieres import arming as premieres
from publishing.signals import publication_changed
from publishing.slots import slot

Event = PublicationEvent.Action
STILL_LIVE = "This story is live. Say unpublish=true to take it from the public too."


@dataclass(frozen=True)
class PublishRequest:
    """What a publish asks for; None leaves it as it is, or to the default on a first publish."""

    slug: str | None = None
    publication_mode: str | None = None
    unlisted: bool | None = None
    show_social_share: bool | None = None
    premiere_email_mode: str | None = None


@dataclass(frozen=True)
class PublishResult:
    url: str
    slug: str
    is_republish: bool
    publication_mode: str
    published_story_id: str | None = None
    edition: str | None = None


@dataclass(frozen=True)
class PublicationState:
    """The public state of one story's publication."""

    story_id: str
    is_published: bool
    slug: str | None
    url: str | None
    publication_mode: str
    unlisted: bool
    published_at: datetime | None


def publish(
    story: Story, *, request: PublishRequest, by: Actor, encode_wait: float | None = None
) -> PublishResult:
    """Bakes the story's latest preview and makes it live; returns once readers can open it.

    `encode_wait`: seconds that it may wait for encodes; ENCODE_WAIT where it is None.

    Raises Forbidden (role, plan), Locked (suspended, busy, still encoding), Throttled (no slot), Conflict (not
    ready, slug or workspace name taken).
    """
    target = publication_target(story)
    publication = publication_of(target)
    check_role(by, story)
    check_plan(publication, request)
    check_not_suspended(target.workspace)
    with leased(publication) as lease, slot():
        publication.refresh_from_db()
        was_published = state_of(story).is_published
        previews = ready_previews(stories_to_bake(story, publication))
        slug = slugs.reserve(lease, publication, request.slug)
        names.check_claimable(target.workspace)
        with publish_step("wait for encodes"):
            baking.wait_for_encodes(lease, previews, encode_wait)
        lease.renew()  # the capsule may have been deleted while we waited, and its preview with it
        with publish_step("bake"):
            bakes = [baking.bake(preview) for preview in previews]
        with publish_step("go live"):
            go_live(lease, publication, slug=slug, bakes=bakes, request=request, by=by)
    return result_of(story, is_republish=was_published)


def unpublish(story: Story, *, release_slug: bool = False, by: Actor) -> PublicationState:
    """Takes the story from the public; its slug stays reserved unless it is released. Idempotent.

    Raises Forbidden (role), Locked (suspended, being published), Conflict (an edition shown through its capsule).
    """
    check_role(by, story)
    check_not_suspended(story.workspace)
    if story.is_shown_edition:
        raise Conflict(
            "Readers see this edition through its capsule. Hide the edition in the editor, or unpublish its capsule."
        )
    publication_of(story)
    with transaction.atomic():
        publication = Publication.objects.select_for_update().get(story=story)
        if not Publication.objects.lease_free().filter(pk=publication.pk).exists():
            raise Locked(leases.BUSY, retry_after=leases.RETRY_AFTER)
        if publication.is_published:
            where = str(publication.path)
            record(Kind.UNPUBLISHED, by=by.user, subject=where, workspaces=[story.workspace])
        was_published = publication.is_published
        bake = publication.live_bake
        withdraw(publication, release_slug=release_slug)
        if was_published:
            history.note(story, Event.UNPUBLISHED, by=by, bake=bake, released=release_slug)
    return state_of(story)


def leave(story: Story, *, unpublish: bool, by: Actor) -> None:
    """Takes a story from the public before it goes to the trash, in the caller's transaction.

    Raises Conflict where readers see it and `unpublish` is False, Locked where it is being published.
    """
    publication_of(story)
    publication = Publication.objects.select_for_update().get(story=story)
    if not Publication.objects.lease_free().filter(pk=publication.pk).exists():
        raise Locked(leases.BUSY, retry_after=leases.RETRY_AFTER)
    if state_of(story).is_published and not unpublish:
        raise Conflict(STILL_LIVE)
    if publication.is_published or publication.live_bake is not None:
        bake = publication.live_bake
        withdraw(publication, release_slug=False)
        history.note(story, Event.UNPUBLISHED, by=by, bake=bake, trashed=True)


def set_visibility(story: Story, level: str, *, by: Actor) -> None:
    """Chooses a visibility level, effective at once; Private unpublishes. Raises what `unpublish` raises."""
    check_role(by, story)
    check_not_suspended(story.workspace)
    publication = publication_of(story)
    with transaction.atomic():
        # First the publication, as a publish does, or both may wait for each other.
        Publication.objects.select_for_update().get(pk=publication.pk)
        if level == Story.Visibility.PRIVATE and not story.is_shown_edition:
            unpublish(story, by=by)
        history.note(story, Event.VISIBILITY, by=by, before=story.visibility, after=level)
        story.visibility = level
        story.save(update_fields=["visibility", "updated_at"])
        publication_changed.send(Publication, publication=publication)


# --- Who and what ----------------------------------------------------------------------------------------------


def publication_target(story: Story) -> Story:
    """The story that is published: of a shown edition its capsule."""
    return story.capsule if story.is_shown_edition and story.capsule else story


def publication_of(story: Story) -> Publication:
    publication, _ = Publication.objects.select_related("story__workspace").get_or_create(story=story)
    return publication


def check_role(by: Actor, story: Story) -> None:
    if not by.may_publish_in(story.workspace_id):
        raise Forbidden("Your role in this workspace does not allow publishing.")


def check_plan(publication: Publication, request: PublishRequest) -> None:
    mode = request.publication_mode or publication.mode
    if mode == Publication.Mode.WHITE_LABEL and not publication.story.workspace.allows_white_label:
        message = "The plan of this workspace does not include WHITE_LABEL."
        raise Forbidden(message, faults=[Fault("publicationMode", message)])


def check_not_suspended(workspace: Workspace) -> None:
    if workspace.is_suspended:
        raise Locked("This workspace is suspended. Nothing can be published or unpublished in it.")


def stories_to_bake(story: Story, publication: Publication) -> list[Story]:
    """The story; and, for a shown edition whose capsule is not live yet, the capsule first."""
    if story.is_shown_edition and not publication.is_published:
        return [publication.story, story]
    return [story]


def ready_previews(stories: list[Story]) -> list[Preview]:
    """The latest preview of each. Raises Conflict with a fault for every unmet condition."""
    faults = [fault for story in stories for fault in readiness.faults(story)]
    previews = [preview for story in stories if (preview := story.latest_preview) is not None]
    if faults or len(previews) < len(stories):
        raise Conflict("This capsule is not ready to be published.", faults=faults)
    return previews


# --- Going live and back ---------------------------------------------------------------------------------------


@transaction.atomic
def go_live(
    lease: Lease,
    publication: Publication,
    *,
    slug: str,
    bakes: list[Bake],
    request: PublishRequest,
    by: Actor,
) -> None:
    """One transaction, fenced by the lease: everything a reader can see changes together.

    Raises Locked where the lease was lost or the workspace suspended, Forbidden where the caller's access ended
    meanwhile, Conflict where the workspace name went to another, NotFound where the capsule was deleted.
    """
    workspace = lock_for_going_live(lease, publication, request=request, by=by)
    was_published = publication.is_published
    slugs.settle(lease, publication, slug)
    now = timezone.now()
    publication.slug = slug
    publication.mode = request.publication_mode or publication.mode
    if request.show_social_share is not None:
        publication.show_social_share = request.show_social_share
    premieres.arm(publication, request.premiere_email_mode)
    publication.published_at = publication.published_at or now
    publication.first_published_at = publication.first_published_at or now
    publication.updated_at = now
    shown = [show(bake, publication) for bake in bakes]
    publication.save()
    choose_level(publication.story, request.unlisted)
    record(Kind.PUBLISHED, by=by.user, subject=str(publication.path), workspaces=[workspace])
    for bake in shown:
        known = was_published or bake.story_id != publication.story_id
        history.note(bake.story, Event.REPUBLISHED if known else Event.PUBLISHED, by=by, bake=bake, slug=slug)
        history.keep_draft(bake, by=by)
    publication_changed.send(Publication, publication=publication)


def lock_for_going_live(
    lease: Lease, publication: Publication, *, request: PublishRequest, by: Actor
) -> Workspace:
    """Locks the rows of the workspace and the publication, and checks that they still are as `publish` found them."""
    workspace = Workspace.objects.select_for_update().filter(pk=publication.story.workspace_id).first()
    if workspace is None or not Publication.objects.filter(pk=publication.pk).exists():
        raise NotFound("This capsule was deleted.")
    publication.story.workspace = workspace
    check_still_allowed(by, publication, request)
    names.claim(workspace)
    held = Publication.objects.select_for_update().filter(pk=publication.pk, lease_token=lease.token)
    if not held.exists():
        raise Locked("Another publish of this capsule took over.", retry_after=leases.RETRY_AFTER)
    publication.story.refresh_from_db(fields=["visibility", "deleted_at"])  # they may have changed meanwhile
    if publication.story.deleted_at is not None:
        raise NotFound("There is no such story.")
    return workspace


def check_still_allowed(by: Actor, publication: Publication, request: PublishRequest) -> None:
    """Repeats the checks that `publish` made at its beginning, minutes ago where films were encoding.

    Raises Locked (suspended), Forbidden (access, role, plan).
    """
    check_not_suspended(publication.story.workspace)
    actor = by.now()
    if actor is None:
        raise Forbidden("Your access ended while the capsule was being published. Nothing was published.")
    actor.require_scope(PUBLICATIONS_WRITE)
    check_role(actor, publication.story)
    check_plan(publication, request)


def show(bake: Bake, publication: Publication) -> Bake:
    """Makes a bake the one that readers of its story get; of an edition, on the edition's own row."""
    own = publication if bake.story_id == publication.story_id else publication_of(bake.story)
    kept = baking.keep(bake)
    if own.live_bake is not None and own.live_bake != kept:
        Bake.objects.filter(pk=own.live_bake.pk).update(replaced_at=timezone.now())
    own.live_bake = kept
    if own is not publication:
        own.save(update_fields=["live_bake"])
    return kept


def choose_level(story: Story, unlisted: bool | None) -> None:
    """The visibility after a publish: a private story becomes public; `unlisted` turns the unlisted level on or off."""
    levels = Story.Visibility
    level = levels.PUBLIC if story.visibility == levels.PRIVATE else story.visibility
    if unlisted:
        level = levels.UNLISTED
    elif unlisted is False and level == levels.UNLISTED:
        level = levels.PUBLIC
    if level != story.visibility:
        story.visibility = level
        story.save(update_fields=["visibility", "updated_at"])


def withdraw(publication: Publication, *, release_slug: bool) -> None:
    """Ends the publication inside the caller's transaction, on a locked row."""
    premieres.cancel(publication)
    if publication.live_bake is not None:
        Bake.objects.filter(pk=publication.live_bake.pk).update(replaced_at=timezone.now())
    publication.published_at = publication.live_bake = None
    if release_slug:
        publication.slug = None
        slugs.release(publication)
    publication.save(update_fields=["published_at", "live_bake", "slug"])
    publication_changed.send(Publication, publication=publication)


# --- What is told ----------------------------------------------------------------------------------------------


def state_of(story: Story) -> PublicationState:
    """The publication of a story as it is now; a shown edition shares its capsule's."""
    return states_of([story])[story.pk]


def states_of(stories: Sequence[Story]) -> dict[uuid.UUID, PublicationState]:
    """The publications of stories as they are now, by story id; the number of queries does not depend on theirs."""
    ids = {story.pk for story in stories} | {story.capsule_id for story in stories if story.capsule_id}
    rows = Publication.objects.select_related("story__workspace").filter(story__in=ids)
    known = {publication.story_id: publication for publication in rows}
    states = {}
    for story in stories:
        target = publication_target(story)
        publication = known.get(target.pk) or Publication(story=target)
        published = publication.is_published
        if target is not story:
            own = known.get(story.pk)
            published = published and own is not None and own.live_bake_id is not None
        states[story.pk] = PublicationState(
            story_id=str(story.pk),
            is_published=published,
            slug=publication.slug,
            url=link_to(story, publication) if published else None,
            publication_mode=publication.mode,
            unlisted=target.visibility == Story.Visibility.UNLISTED,
            published_at=publication.published_at if published else None,
        )
    return states


def live_story_ids() -> QuerySet[Any]:
    """The ids of all stories that have a link of their own that opens."""
    return Publication.objects.live().order_by().values("story")


def link_to(story: Story, publication: Publication) -> str:
    """The public path of a story: of a shown edition, its capsule's with the edition named."""
    shared = publication.story_id != story.pk
    return f"{publication.path}?edition={story.edition_name}" if shared else str(publication.path)


def result_of(story: Story, *, is_republish: bool) -> PublishResult:
    publication = publication_of(publication_target(story))
    shared = publication.story_id != story.pk
    return PublishResult(
        url=link_to(story, publication),
        slug=str(publication.slug),
        is_republish=is_republish,
        publication_mode=publication.mode,
        published_story_id=str(publication.story_id) if shared else None,
        edition=story.edition_name if shared else None,
    )
