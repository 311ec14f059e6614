"""What publishing does: publish, unpublish, choose a visibility."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from accounts import names
from accounts.actions.events import Kind, record
from accounts.actors import PUBLICATIONS_WRITE, Actor
from accounts.models import Workspace
from capsules import readiness
from capsules.actions.writing import NO_STORY
from capsules.models import Preview, Story
from capsules.telling import tell
from config.database import only
from config.errors import Conflict, Fault, Forbidden, Locked, NotFound
from config.ids import row_of
from config.metrics import publish_step
from publishing import baking, dark, history, leases, slugs
from publishing.going_live import (
    GoingLive,
    answer_asks,
    check_person,
    choose_level,
    refresh_stories,
    write_level,
)
from publishing.leases import Lease, leased
from publishing.models import Bake, Premiere, Publication, PublicationEvent
from publishing.premieres import arming as premieres
from publishing.signals import publication_changed
from publishing.slots import slot
from publishing.states import (
    PublicationState,
    link_to,
    publication_target,
    publications_of,
    state_of,
    states_among,
    tell_version,
)

Event = PublicationEvent.Action
MOVED = gettext_noop("This edition was shown or hidden while it was being published. Please try again.")
STILL_LIVE = gettext_noop("This story is live. Say unpublish=true to take it from the public too.")


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


def publish(
    story: Story,
    *,
    request: PublishRequest,
    by: Actor,
    encode_wait: float | None = None,
    going_live: GoingLive = answer_asks,
) -> PublishResult:
    """Bakes the story's latest preview and makes it live; returns once readers can open it.

    `encode_wait`: seconds that it may wait for encodes; ENCODE_WAIT where it is None. `going_live`: what else happens
    in the transaction where readers did not see the story before.

    Raises Forbidden (role, plan), NeedsPerson (an app that only prepares), Locked (taken down, busy, still encoding),
    Throttled (no slot), Conflict (not ready, slug or workspace name taken).
    """
    target = publication_target(story)
    publication = publication_of(target)
    check_role(by, story)
    if by.only_prepares and not state_of(story).is_published:
        check_person(by, story)
    check_plan(publication, request)
    dark.check_may_go_public(story)
    with leased(publication) as lease, slot():
        # What was read before the lease may be older than the publish that had it.
        known = publications_of([story])
        publication = known[target.pk]
        was_published = states_among(known, [story])[story.pk].is_published
        previews = ready_previews(stories_to_bake(story, publication))
        slug = slugs.reserve_slug(lease, publication, request.slug)
        # Before the wait, so that nobody waits for encodes to hear of a taken name.
        names.check_claimable(target.workspace)
        with publish_step("wait for encodes"):
            baking.wait_for_encodes(lease, previews, encode_wait)
        lease.renew()  # the capsule may have been deleted while we waited, and its preview with it
        with publish_step("bake"):
            bakes = [baking.bake(preview) for preview in previews]
        with publish_step("go live"):
            first = None if was_published else partial(going_live, publication, story)
            go_live(lease, publication, slug=slug, bakes=bakes, request=request, by=by, first=first)
        return result_of(story, publication, is_republish=was_published)


def unpublish(story: Story, *, release_slug: bool = False, by: Actor) -> PublicationState:
    """Takes the story from the public; its slug stays reserved unless it is released. Idempotent.

    Raises Forbidden (role), Locked (being published), Conflict (an edition shown through its capsule).
    """
    check_role(by, story)
    if story.is_shown_edition and publication_of(publication_target(story)).is_published:
        raise Conflict(
            gettext(
                "Readers see this edition through its capsule. Hide the edition in the editor, or unpublish "
                "its capsule."
            )
        )
    publication_of(story)
    with transaction.atomic():
        publication = lock_publication(story)
        was_published, slug = publication.is_published, publication.slug
        bake = publication.live_bake
        withdraw(publication, release_slug=release_slug, by=by)
        if was_published:
            history.note(story, Event.UNPUBLISHED, by=by, bake=bake, released=release_slug)
            released = publication.slug is None
            tell(story, "story.unpublished", by=by, url=None, slug=slug, slugReleased=released)
        return state_of(story)  # while its row is locked: the next call may publish it again


def leave_public(story: Story, *, unpublish: bool, by: Actor) -> bool:
    """Takes a story from the public before it goes to the trash, in the caller's transaction; returns whether readers
    could open it.

    Raises Conflict where readers see it and `unpublish` is False, Locked where it is being published, Forbidden where
    the caller may not unpublish it.
    """
    if story.capsule is not None:  # under whose lease an edition is published that is shown
        publication_of(story.capsule)
        lock_publication(story.capsule)
    publication_of(story)
    publication = lock_publication(story)
    was_published = state_of(story).is_published
    if was_published and not unpublish:
        raise Conflict(gettext(STILL_LIVE))
    if publication.is_published:  # also one that was taken down: the lift would bring it back
        by.require_scope(PUBLICATIONS_WRITE)
    if publication.is_published or publication.live_bake is not None:
        bake = publication.live_bake
        withdraw(publication, release_slug=False, by=by)
        history.note(story, Event.UNPUBLISHED, by=by, bake=bake, trashed=True)
    return was_published


def set_visibility(story: Story, level: str, *, by: Actor) -> PublicationState:
    """Chooses a visibility level, effective at once; Private unpublishes. Returns the state that this made.

    Raises what `unpublish` raises; NotFound for one in the trash; and Locked where it was taken down, for every other
    level.
    """
    check_role(by, story)
    if level != Story.Visibility.PRIVATE:
        dark.check_may_go_public(story)
    publication = publication_of(story)
    with transaction.atomic():
        # First the publication, as a publish does, or both may wait for each other.
        rows = Publication.objects.select_for_update(of=("self",)).filter(story__deleted_at=None)
        was_published = row_of(rows, publication.pk, gettext(NO_STORY)).is_published
        leaves = level == Story.Visibility.PRIVATE
        if leaves:
            unpublish(story, by=by)
        story.refresh_from_db(fields=["visibility"])  # another call may have chosen it meanwhile
        before = story.visibility
        if before == level:
            return state_of(story)
        history.note(story, Event.VISIBILITY, by=by, before=before, after=level)
        write_level(story, level)
        if not (leaves and was_published):
            tell(story, "story.visibility_changed", by=by, before=before, after=level)
        if not leaves:  # `unpublish` has told it
            publication_changed.send(Publication, publication=publication)
        return state_of(story)  # while its row is locked: the next call may choose another


# --- Who and what ----------------------------------------------------------------------------------------------


def publication_of(story: Story) -> Publication:
    publication, _ = Publication.objects.get_or_create(story=story)
    publication.story = story
    return publication


def lock_publication(story: Story) -> Publication:
    """The publication, in the caller's transaction. Raises Locked while a publish has its lease.

    Its row must be there: nothing can be locked of one that a first publish makes meanwhile.
    """
    shown = Publication.objects.select_related("story__workspace", "live_bake").defer("live_bake__content")
    locked = shown.select_for_update(of=("self",))
    publication = row_of(locked, story.pk, gettext(NO_STORY), by="story")
    if not Publication.objects.lease_free().filter(pk=publication.pk).exists():
        raise Locked(gettext(leases.BUSY), retry_after=leases.RETRY_AFTER)
    return publication


def check_role(by: Actor, story: Story) -> None:
    if not by.may_publish_in(story.workspace_id):
        raise Forbidden(gettext("Your role in this workspace does not allow publishing."))


def check_plan(publication: Publication, request: PublishRequest) -> None:
    mode = request.publication_mode or publication.mode
    if mode == Publication.Mode.WHITE_LABEL and not publication.story.workspace.allows_white_label:
        message = gettext("The plan of this workspace does not include WHITE_LABEL.")
        raise Forbidden(message, faults=[Fault("publicationMode", message)])


def stories_to_bake(story: Story, publication: Publication) -> list[Story]:
    """The story; and, for a shown edition whose capsule is not live yet, the capsule first."""
    if story.is_shown_edition and not publication.is_published:
        return [publication.story, story]
    return [story]


def ready_previews(stories: list[Story]) -> list[Preview]:
    """The latest preview of each. Raises Conflict with a fault for every unmet condition."""
    previews = {story: story.latest_preview for story in stories}
    faults = [fault for story, preview in previews.items() for fault in readiness.faults(story, preview)]
    if faults:
        raise Conflict(gettext("This capsule is not ready to be published."), faults=faults)
    return [preview for preview in previews.values() if preview is not None]


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
    first: Callable[[], dict[str, object]] | None = None,
) -> None:
    """One transaction, fenced by the lease: everything a reader can see changes together. `first` runs in it where
    readers did not see the story before.

    Raises Locked where the lease was lost, it was taken down, or an edition was shown or hidden, Forbidden where the
    caller's access ended meanwhile, Conflict where the workspace name went to another, NotFound where the capsule was
    deleted.
    """
    workspace, actor = lock_for_going_live(lease, publication, request=request, by=by)
    refresh_stories([publication.story, *(bake.story for bake in bakes)])
    check_still_there(bakes[-1].story, publication)
    if first is not None:
        check_person(actor, bakes[-1].story)
    was_published, slug_before = publication.is_published, publication.slug
    slugs.keep_slug(publication, slug)
    announced = take_choices(publication, request, slug=slug, by=by)
    shown = [show(bake, publication) for bake in bakes]
    publication.save()
    choose_level(publication.story, request.unlisted)
    record(Kind.PUBLISHED, by=by.user, subject=link_to(bakes[-1].story, publication), workspaces=[workspace])
    more = first() if first is not None else {}
    for bake in shown:
        known = was_published or bake.story_id != publication.story_id
        action = Event.REPUBLISHED if known else Event.PUBLISHED
        history.note(bake.story, action, by=by, bake=bake, slug=slug, **more)
        history.keep_draft(bake, by=by)
    for bake in shown[:-1]:  # the capsule that an edition took with it
        tell_version(bake, publication, by=by)
    again = {"slugBefore": slug_before, "restoredFrom": None} if first is None else {}
    tell_version(shown[-1], publication, by=by, **again)
    if announced is not None:
        premieres.tell_scheduled(announced, by=by)
    publication_changed.send(Publication, publication=publication)


def take_choices(
    publication: Publication, request: PublishRequest, *, slug: str, by: Actor
) -> Premiere | None:
    """Writes what the request chose into a publication, live from now on; the caller saves it. Returns the premiere
    that this schedules.
    """
    now = timezone.now()
    publication.slug = slug
    publication.mode = request.publication_mode or publication.mode
    if request.show_social_share is not None:
        publication.show_social_share = request.show_social_share
    announced = premieres.arm(publication, request.premiere_email_mode, by=by)
    publication.published_at = publication.published_at or now
    publication.first_published_at = publication.first_published_at or now
    publication.updated_at = now
    return announced


def lock_for_going_live(
    lease: Lease, publication: Publication, *, request: PublishRequest, by: Actor
) -> tuple[Workspace, Actor]:
    """Locks workspace and publication, and checks that they are as `publish` found them; the actor as they are now."""
    # Who holds the publication, an unpublish or a freeze, writes to the workspace's log: `no_key` lets them.
    locked = Workspace.objects.select_for_update(no_key=True)
    workspace = only(locked.filter(pk=publication.story.workspace_id))
    if workspace is None or not Publication.objects.filter(pk=publication.pk).exists():
        raise NotFound(gettext("This capsule was deleted."))
    publication.story.workspace = workspace
    actor = check_still_allowed(by, publication, request)
    names.claim(workspace)
    held = Publication.objects.select_for_update().filter(pk=publication.pk, lease_token=lease.token)
    if not held.exists():
        raise Locked(gettext("Another publish of this capsule took over."), retry_after=leases.RETRY_AFTER)
    return workspace, actor


def check_still_there(story: Story, publication: Publication) -> None:
    """Raises Locked where an edition was shown or hidden since: readers would find it under another link."""
    if publication_target(story).pk != publication.story_id:
        raise Locked(gettext(MOVED), retry_after=leases.RETRY_AFTER)


def check_still_allowed(by: Actor, publication: Publication, request: PublishRequest) -> Actor:
    """Repeats the checks that `publish` made at its beginning, minutes ago where films were encoding; returns the actor
    as they are now.

    Raises Locked (taken down), Forbidden (access, role, plan).
    """
    dark.check_may_go_public(publication.story)
    actor = by.now()
    if actor is None:
        raise Forbidden(
            gettext("Your access ended while the capsule was being published. Nothing was published.")
        )
    actor.require_scope(PUBLICATIONS_WRITE)
    check_role(actor, publication.story)
    check_plan(publication, request)
    return actor


def show(bake: Bake, publication: Publication) -> Bake:
    """Makes a bake the one that readers of its story get; of an edition, on the edition's own row."""
    own = publication if bake.story_id == publication.story_id else publication_of(bake.story)
    kept = baking.keep_bake(bake)
    if own.live_bake_id not in (None, kept.pk):
        Bake.objects.filter(pk=own.live_bake_id).update(replaced_at=timezone.now())
    own.live_bake = kept
    if own is not publication:
        own.save(update_fields=["live_bake"])
    return kept


def withdraw(publication: Publication, *, release_slug: bool, by: Actor) -> None:
    """Ends the publication inside the caller's transaction, on a locked row."""
    if publication.is_published:
        where, workspace = str(publication.path), publication.story.workspace
        record(Kind.UNPUBLISHED, by=by.user, subject=where, workspaces=[workspace])
    if publication.live_bake_id is not None:
        Bake.objects.filter(pk=publication.live_bake_id).update(replaced_at=timezone.now())
    publication.published_at = publication.live_bake = None
    if release_slug and publication.frozen_at is not None:
        publication.frees_slug = True  # once the case has ended: until then nobody else gets this address
    elif release_slug:
        publication.slug = None
        slugs.free_slugs(publication)
    publication.save(update_fields=["published_at", "live_bake", "slug", "frees_slug"])
    premieres.cancel(publication, by=by)  # last, so that it is told without a link
    publication_changed.send(Publication, publication=publication)


# --- What is told ----------------------------------------------------------------------------------------------


def result_of(story: Story, publication: Publication, *, is_republish: bool) -> PublishResult:
    shared = publication.story_id != story.pk
    return PublishResult(
        url=link_to(story, publication),
        slug=str(publication.slug),
        is_republish=is_republish,
        publication_mode=publication.mode,
        published_story_id=str(publication.story_id) if shared else None,
        edition=story.edition_name if shared else None,
    )
