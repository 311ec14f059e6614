"""Slugs: their rule, how one is derived from a title, and how a running publish takes hold of one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count, islice

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext

from config.ascii import ascii_words
from config.errors import Conflict, Fault, Locked
from publishing.leases import BUSY, RETRY_AFTER, Lease
from publishing.models import HeldSlug, Publication, Slug

RULE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MAX_LENGTH = 50
SCHEMA_MAX_LENGTH = 80
FALLBACK = "capsule"
AT_ONCE = 100  # candidates that are looked up by one query


def rule_fault(slug: str) -> str | None:
    """What is wrong with a slug, in words; None for a good one."""
    if len(slug) > MAX_LENGTH:
        words = gettext("A slug has at most %(most)s characters: %(number)s too many.")
        return words % {"most": MAX_LENGTH, "number": len(slug) - MAX_LENGTH}
    if not RULE.fullmatch(slug):
        return gettext("A slug has lowercase letters, digits and single hyphens between them.")
    return None


def candidates(title: str) -> Iterator[str]:
    """The slug of a title, in ASCII and cut at a word, then with -2, -3 … behind it."""
    base = ascii_words(title, MAX_LENGTH) or FALLBACK
    yield base
    for number in count(2):
        ending = f"-{number}"
        yield base[: MAX_LENGTH - len(ending)].rstrip("-") + ending


def suggested_slug(publication: Publication) -> str:
    """The slug that a publish without one would take now."""
    return publication.slug or next(untaken(publication))


def untaken(publication: Publication) -> Iterator[str]:
    """The candidates of its title that it could take now, looked up many at a time: a title may be that of hundreds."""
    texts = candidates(publication.story.title)
    while batch := list(islice(texts, AT_ONCE)):
        taken = taken_of(batch, publication)
        yield from (text for text in batch if text not in taken)


def taken_of(texts: list[str], publication: Publication) -> set[str]:
    """Those of these slugs that other capsules have, or had when they were taken down."""
    known = Slug.objects.filter(text__in=texts)
    own = known.filter(publication=publication.pk)
    others = known.exclude(publication=publication.pk).exclude(abandoned())
    held = HeldSlug.objects.filter(text__in=texts).exclude(text__in=own.values("text"))
    return set(others.values_list("text", flat=True).union(held.values_list("text", flat=True)))


def reserve_slug(lease: Lease, publication: Publication, slug: str | None) -> str:
    """Takes hold of the slug that this publish will use: the given one, else the present one, else one derived.

    Raises Conflict where a given slug is held by another capsule.
    """
    if slug is None and publication.slug:
        return publication.slug
    if slug is not None:
        if not take(lease, publication, slug):
            raise taken_error()
        return slug
    return next(text for text in untaken(publication) if take(lease, publication, text))


def taken_error() -> Conflict:
    fault = Fault("slug", gettext("Another capsule has this slug."))
    return Conflict(gettext("This slug is already taken."), faults=[fault])


def abandoned() -> Q:
    """Reserved by a publish that died: its lease has lapsed, so it can never use the slug."""
    return Q(lease_token__isnull=False, publication__in=Publication.objects.lease_lapsed().values("pk"))


def take(lease: Lease, publication: Publication, slug: str) -> bool:
    """Whether the slug is this publication's now; its unique row decides between two that want it."""
    Slug.objects.filter(abandoned(), text=slug).delete()
    if taken_of([slug], publication):
        return False
    try:
        # A savepoint: on PostgreSQL a refused INSERT would end the caller's transaction.
        with transaction.atomic():
            Slug.objects.create(text=slug, publication=publication, lease_token=lease.token)
    except IntegrityError:
        return Slug.objects.filter(text=slug, publication=publication).exists()
    return True


def keep_slug(publication: Publication, slug: str) -> None:
    """Makes the reserved slug the publication's own and lets go of every other one it held.

    Raises Locked where it is reserved no more: this publish was silent for so long that another one took it.
    """
    # Not before going live: until then readers come by the old one.
    publication.slugs.exclude(text=slug).delete()
    if not publication.slugs.filter(text=slug).update(lease_token=None):
        raise Locked(gettext(BUSY), retry_after=RETRY_AFTER)


def free_slugs(publication: Publication) -> None:
    """Frees whatever the publication holds for other capsules."""
    publication.slugs.all().delete()
