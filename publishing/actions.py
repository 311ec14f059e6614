"""The deeds of publishing: publish, unpublish, choose a visibility."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts import names
from accounts.actors import Actor
from accounts.models import Workspace
from capsules import readiness
from capsules.models import Preview, Story
from config.errors import Conflict, Fault, Forbidden, Locked
from publishing import baking, leases, slugs
from publishing.leases import Lease, leased
from publishing.models import Bake, Publication
from publishing.premieres import arming as premieres
from publishing.signals import publication_changed
from publishing.slots import slot


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
    """What the world may know of one story's publication."""

    story_id: str
    is_published: bool
    slug: str | None
    url: str | None
    publication_mode: str
    unlisted: bool
    published_at: datetime | None


def publish(story: Story, *, request: PublishRequest, by: Actor) -> PublishResult:
    """Bakes the story's latest preview and makes it live; returns once readers can open it.

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
        baking.wait_for_encodes(lease, previews)
        bakes = [baking.bake(preview) for preview in previews]
        go_live(lease, publication, slug=slug, bakes=bakes, request=request)
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
        withdraw(publication, release_slug=release_slug)
    return state_of(story)


def set_visibility(story: Story, level: str, *, by: Actor) -> None:
    """Chooses a visibility level, effective at once; Private unpublishes. Raises what `unpublish` raises."""
    check_role(by, story)
    publication = publication_of(story)
    with transaction.atomic():
        Publication.objects.select_for_update().get(
            pk=publication.pk
        )  # first, as a publish does, or both may deadlock
        if level == Story.Visibility.PRIVATE and not story.is_shown_edition:
            unpublish(story, by=by)
        story.visibility = level
        story.save(update_fields=["visibility", "updated_at"])
        publication_changed.send(Publication, publication=publication)


def edited(story: Story, *, visibility: str, by: Actor) -> None:
    """Tells the public side that the editor changed a story, and chooses the visibility it asked for."""
    if visibility != story.visibility:
        set_visibility(story, visibility, by=by)
    else:
        publication_changed.send(Publication, publication=publication_of(publication_target(story)))


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
    lease: Lease, publication: Publication, *, slug: str, bakes: list[Bake], request: PublishRequest
) -> None:
    """One transaction, fenced by the lease: everything a reader can see changes together.

    Raises Locked where the lease was lost, Conflict where the workspace name went to another.
    """
    Workspace.objects.select_for_update().get(pk=publication.story.workspace_id)
    names.claim(publication.story.workspace)
    held = Publication.objects.select_for_update().filter(pk=publication.pk, lease_token=lease.token)
    if not held.exists():
        raise Locked("Another publish of this capsule took over.", retry_after=leases.RETRY_AFTER)
    publication.story.refresh_from_db(fields=["visibility"])  # it may have been chosen while we waited
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
    for bake in bakes:
        show(bake, publication)
    publication.save()
    choose_level(publication.story, request.unlisted)
    publication_changed.send(Publication, publication=publication)


def show(bake: Bake, publication: Publication) -> None:
    """Makes a bake the one that readers of its story get; of an edition, on the edition's own row."""
    own = publication if bake.story_id == publication.story_id else publication_of(bake.story)
    kept = baking.keep(bake)
    if own.live_bake is not None and own.live_bake != kept:
        Bake.objects.filter(pk=own.live_bake.pk).update(replaced_at=timezone.now())
    own.live_bake = kept
    if own is not publication:
        own.save(update_fields=["live_bake"])


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
    target = publication_target(story)
    publication = Publication.objects.select_related("story__workspace").filter(
        story=target
    ).first() or Publication(story=target)
    published = publication.is_published
    if target is not story:
        published = published and Publication.objects.filter(story=story, live_bake__isnull=False).exists()
    return PublicationState(
        story_id=str(story.pk),
        is_published=published,
        slug=publication.slug,
        url=link_to(story, publication) if published else None,
        publication_mode=publication.mode,
        unlisted=target.visibility == Story.Visibility.UNLISTED,
        published_at=publication.published_at if published else None,
    )


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


def editions_for(publication: Publication) -> list[Publication]:
    """What the switcher of a live capsule offers besides the default edition: the shown ones that were baked."""
    shown = Q(story__capsule=publication.story_id, story__shown=True, live_bake__isnull=False)
    return list(
        Publication.objects.filter(shown)
        .select_related("story", "live_bake__clip")
        .order_by("story__created_at")
    )
