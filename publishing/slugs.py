"""Slugs: their rule, how one is derived from a title, and how a running publish takes hold of one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from config.ascii import ascii_words
from config.errors import Conflict, Fault
from publishing.leases import Lease
from publishing.models import HeldSlug, Publication, Slug

RULE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MAX_LENGTH = 50
SCHEMA_MAX_LENGTH = 80
FALLBACK = "capsule"


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


def is_held(text: str, publication: Publication) -> bool:
    """Whether a capsule that was taken down keeps this slug from others."""
    own = Slug.objects.filter(publication=publication.pk, text=text)  # of none, before the first publish
    return HeldSlug.objects.filter(text=text).exists() and not own.exists()


def suggested_slug(publication: Publication) -> str:
    """The slug that a publish without one would take now."""
    if publication.slug:
        return publication.slug
    return next(
        text
        for text in candidates(publication.story.title)
        if not Slug.objects.filter(text=text).exists() and not is_held(text, publication)
    )


def reserve_slug(lease: Lease, publication: Publication, slug: str | None) -> str:
    """Takes hold of the slug that this publish will use: the given one, else the present one, else one derived.

    Raises Conflict where a given slug is held by another capsule.
    """
    if slug is None and publication.slug:
        return publication.slug
    if slug is not None:
        if not take(lease, publication, slug):
            raise Conflict(
                gettext("This slug is already taken."),
                faults=[Fault("slug", gettext("Another capsule has this slug."))],
            )
        return slug
    return next(text for text in candidates(publication.story.title) if take(lease, publication, text))


def take(lease: Lease, publication: Publication, slug: str) -> bool:
    """Whether the slug is this publication's now; its unique row decides between two that want it."""
    # Reserved by a publish that died: its lease has lapsed, so it can never use the slug.
    abandoned = Publication.objects.lease_lapsed().values("pk")
    Slug.objects.filter(text=slug, lease_token__isnull=False, publication__in=abandoned).delete()
    if is_held(slug, publication):
        return False
    try:
        # A savepoint: on PostgreSQL a refused INSERT would end the caller's transaction.
        with transaction.atomic():
            Slug.objects.create(text=slug, publication=publication, lease_token=lease.token)
    except IntegrityError:
        return Slug.objects.filter(text=slug, publication=publication).exists()
    return True


def keep_slug(publication: Publication, slug: str) -> None:
    """Makes the reserved slug the publication's own and lets go of every other one it held."""
    # Not before going live: until then readers come by the old one.
    publication.slugs.exclude(text=slug).delete()
    publication.slugs.filter(text=slug).update(lease_token=None)


def free_slugs(publication: Publication) -> None:
    """Frees whatever the publication holds for other capsules."""
    publication.slugs.all().delete()
