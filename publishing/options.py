"""What a publish of a story would do now: its link, who is told, which modes may be chosen."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext

from capsules import readiness
from capsules.models import Story
from capsules.models.stories import StoryQuerySet
from publishing import actions, slugs
from publishing.models import Premiere, Publication
from publishing.premieres import arming
from publishing.premieres.outlook import Outlook, outlook_of
from publishing.states import PublicationState, publication_among, publications_of, states_among, states_of


class PremiereOptions(NamedTuple):
    will_be_sent: bool
    recipients: int
    modes: list[str]  # what may be chosen: FULL, TEASER, OFF, or nothing


class ModeOption(NamedTuple):
    """A brand that the plan includes, and how subscribers may be told under it."""

    mode: str  # STANDARD or WHITE_LABEL
    premiere_email_modes: list[str]  # one of them has to be chosen; none: no email is sent


class EditionOption(NamedTuple):
    story_id: uuid.UUID
    name: str
    label: str
    language: str
    shown: bool
    ready: bool
    is_published: bool


class Options(NamedTuple):
    publication: Publication  # of the capsule whose link it is; an unsaved one before the first publish
    state: PublicationState
    outlook: Outlook
    suggested_slug: str
    link: str  # the whole address that a publish would have
    current_slug: str | None  # by which readers come now, whichever edition of it is asked about
    is_first_publish: bool
    premiere: PremiereOptions
    publication_modes: list[ModeOption]
    white_label_allowed: bool

    def emails_of(self, mode: str) -> list[str]:
        """How subscribers may be told where it is published in this mode; empty where no email is sent."""
        return next((each.premiere_email_modes for each in self.publication_modes if each.mode == mode), [])


def options_of(story: Story) -> Options:
    target = actions.publication_target(story)
    known = publications_of([story])
    publication = publication_among(known, target)
    outlook = outlook_of(getattr(publication, "premiere", None), story)
    slug = slugs.suggested_slug(publication)
    will_be_sent = arming.announces(publication)
    return Options(
        publication=publication,
        state=states_among(known, [story])[story.pk],
        outlook=outlook,
        suggested_slug=slug,
        link=f"{settings.APP_URL}/{target.workspace.name}/{slug}",
        current_slug=publication.slug if publication.is_published else None,
        is_first_publish=publication.first_published_at is None,
        premiere=PremiereOptions(
            will_be_sent=will_be_sent,
            recipients=outlook.recipients,
            modes=list(Premiere.Mode) if will_be_sent else [],
        ),
        publication_modes=publication_modes(publication),
        white_label_allowed=target.workspace.allows_white_label,
    )


def edition_options(editions: Sequence[Story]) -> list[EditionOption]:
    """Editions of one capsule, and whether each could be published."""
    states = states_of(editions)
    return [
        EditionOption(
            story_id=edition.pk,
            name=edition.edition_name,
            label=edition.edition_label,
            language=edition.language,
            shown=edition.shown,
            ready=not readiness.faults(edition, edition.latest_preview),
            is_published=states[edition.pk].is_published,
        )
        for edition in editions
    ]


def editions_of(capsule: Story) -> StoryQuerySet:
    """Its editions, with `comes_back`: whether readers get it whenever the capsule is live, with no other publish."""
    # Also of what was taken down, which the lift brings back: so not `shown_editions_of`.
    kept = Publication.objects.filter(story=OuterRef("pk"), story__shown=True, live_bake__isnull=False)
    return capsule.editions.present().annotate(comes_back=Exists(kept)).order_by("created_at", "pk")


def alongside(story: Story, publication: Publication, editions: Iterable[Any]) -> list[str]:
    """What goes live with it, and which editions do not, in sentences; `publication` is that of its capsule, and
    `editions` are those of its capsule, by `editions_of`.
    """
    *before_it, _ = actions.stories_to_bake(story, publication)
    told = gettext("The original “%(title)s” goes live too.")
    sentences = [told % {"title": capsule.title or gettext("Untitled")} for capsule in before_it]
    others = [each for each in editions if each.shown and each != story]
    with_it = [each.edition_label or each.edition_name for each in others if each.comes_back]
    without = [each.edition_label or each.edition_name for each in others if not each.comes_back]
    if with_it and not publication.is_published:
        sentences.append(gettext("These editions go live too: %(names)s.") % {"names": "; ".join(with_it)})
    if without and story == publication.story:
        told = gettext("Publish these editions separately: %(names)s.")
        sentences.append(told % {"names": "; ".join(without)})
    return sentences


def publication_modes(publication: Publication) -> list[ModeOption]:
    """Where a person chooses: nobody is told of a white-label capsule, and of any other only once."""
    emails: list[str] = list(Premiere.Mode) if arming.may_announce(publication) else []
    modes = [ModeOption(Publication.Mode.STANDARD, emails)]
    if publication.story.workspace.allows_white_label:
        modes.append(ModeOption(Publication.Mode.WHITE_LABEL, []))
    return modes
