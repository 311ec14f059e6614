"""Earlier versions: which of them are kept, and making one live again without rendering anything."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from accounts.actors import Actor
from capsules.actions.revisions import NOT_KEPT
from capsules.models import Story
from config.errors import Conflict
from publishing import actions, dark, history
from publishing.models import Bake, Publication, PublicationEvent
from publishing.signals import publication_changed

UNPUBLISHED = gettext_noop("This capsule is not published. Publish it instead.")


def kept_bakes() -> QuerySet[Bake]:
    """Those that readers get or got within BLOB_RETENTION, and the last BAKES_KEPT of each story."""
    recent = Q(replaced_at__isnull=True) | Q(replaced_at__gt=timezone.now() - settings.BLOB_RETENTION)
    return Bake.objects.filter(recent | Q(pk__in=last_of(Bake.objects.all())))


def kept_of(story: Story) -> QuerySet[Bake]:
    """What can go live again of one story: the version that readers get and the last BAKES_KEPT, the newest first.

    Their rank is worked out without reading the versions of all others.
    """
    own = Bake.objects.filter(story=story)
    return own.filter(Q(replaced_at__isnull=True) | Q(pk__in=last_of(own))).order_by("-number")


def live_bake_of(story: Story) -> int | None:
    """The key of the version that readers get; None while they get none."""
    if not actions.state_of(story).is_published:
        return None
    return Publication.objects.filter(story=story).values_list("live_bake", flat=True).first()


def last_of(bakes: QuerySet[Bake]) -> QuerySet[Bake, int]:
    """The keys of the last BAKES_KEPT of each story that were replaced."""
    return replaced(bakes, rank__lte=settings.BAKES_KEPT).order_by().values_list("pk", flat=True)


def replaced(bakes: QuerySet[Bake], **rank: int) -> QuerySet[Bake]:
    """Those of a rank: 1 is the last one of its story that was replaced."""
    newest_first = Window(RowNumber(), partition_by=F("story"), order_by=F("replaced_at").desc())
    return bakes.filter(replaced_at__isnull=False).annotate(rank=newest_first).filter(**rank)


def forget_old_bakes() -> int:
    """Deletes the bakes that no reader gets and nobody can bring back; returns how many."""
    live = Publication.objects.filter(live_bake=OuterRef("pk"))
    # Not "those that are not among the kept": PostgreSQL compares each with all of a long list.
    surplus = replaced(Bake.objects.all(), rank__gt=settings.BAKES_KEPT).order_by().values("pk")
    long_ago = timezone.now() - settings.BLOB_RETENTION
    old = Bake.objects.filter(~Exists(live), pk__in=surplus, replaced_at__lte=long_ago)
    with transaction.atomic():
        # Held, as a publish of the same content makes one of them live again (`baking.keep_bake`).
        held = old.order_by("pk").select_for_update(of=("self",))
        return Bake.objects.filter(pk__in=list(held.values_list("pk", flat=True))).delete()[0]


def restore_version(story: Story, number: int, *, by: Actor) -> actions.PublishResult:
    """Makes an earlier version of a published story live at once. It renders nothing and sends no email.

    Raises Forbidden (role), Locked (taken down, being published), Conflict (not published, unknown or collected).
    """
    actions.check_role(by, story)
    dark.check_may_go_public(story)
    target = actions.publication_target(story)
    actions.publication_of(target)
    with transaction.atomic():
        publication = actions.lock_publication(target)
        if not actions.state_of(story).is_published:
            raise Conflict(gettext(UNPUBLISHED))
        bake = kept_of(story).filter(number=number).first()
        if bake is None:
            raise Conflict(gettext(NOT_KEPT))
        make_live(bake, publication, by=by)
        return actions.result_of(story, publication, is_republish=True)


def make_live(bake: Bake, publication: Publication, *, by: Actor) -> None:
    """On a locked publication; does nothing where readers get this bake already."""
    if Publication.objects.filter(story=bake.story_id, live_bake=bake).exists():
        return
    actions.show(bake, publication)
    publication.updated_at = timezone.now()
    publication.save(update_fields=["live_bake", "updated_at"])
    history.note(bake.story, PublicationEvent.Action.RESTORED, by=by, bake=bake, version=bake.number)
    slug = publication.slug
    actions.tell_version(bake, publication, by=by, slugBefore=slug, restoredFrom=bake.number)
    publication_changed.send(Publication, publication=publication)
