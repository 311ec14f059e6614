"""Editions of a capsule: the list, a new one, and one beside its original."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.contrib import messages
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from capsules.actions import drafts, editions
from capsules.models import Story
from config.errors import CapsulesError, Fault, Invalid
from config.ids import row_of, uuid_of
from publishing import actions
from publishing.models import Bake
from publishing.options import editions_of
from publishing.states import states_of
from publishing.studio import languages
from publishing.studio.base import (
    actor_in,
    keep_typed,
    refused_here,
    shell,
    story_for,
    studio_page,
    typed_in,
    writes_in,
)
from publishing.studio.translating import (
    TEXTS_AT_ITS_HEAD,
    Refused,
    digest_of,
    pairs_of,
    pressed,
    put_texts_back,
    save_texts,
)

FORM = "new edition"


@studio_page
@refused_here
@require_http_methods(["GET", "POST"])
def editions_page(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    """All editions of a capsule, whichever of them the address names; for an edition also its texts, side by side."""
    found = story_for(request, story)
    if request.method != "POST":
        return render_editions(request, found)
    if request.POST.get("do") != "save" or found.capsule_id is None:
        return do_pressed(request, found)
    if refused := save_texts(request, found):
        return render_editions(request, story_for(request, story), refused)
    return redirect(f"{request.path}#{place_in(request)}")


def place_in(request: HttpRequest) -> str:
    """Where the pressed button stands on the page."""
    key = uuid_of(pressed(request))
    return f"scene-{key}" if key else "texts"


def render_editions(request: HttpRequest, found: Story, refused: Sequence[Refused] = ()) -> HttpResponse:
    capsule = found.capsule or found
    was_live = Exists(Bake.objects.filter(story=OuterRef("pk")))
    rows = list(with_behind(editions_of(capsule)).annotate(was_live=was_live))
    states = states_of(rows)
    pairs = pairs_of(found) if found.capsule_id else None
    was = digest_of(found, TEXTS_AT_ITS_HEAD)
    put_texts_back(request, refused, found, pairs or [])
    typed = typed_in(request, FORM)
    chosen = typed.get("language", "")
    context = {
        **shell(request, capsule.workspace, "capsules", found),
        "story": found,
        "capsule": capsule,
        "named_language": languages.named(capsule.language),
        "rows": [(row, states[row.pk].is_published, languages.named(row.language)) for row in rows],
        "writes": writes_in(request, found),
        "publishes": actor_in(request).may_publish_in(found.workspace_id),
        "pairs": pairs,
        "was": was,
        "typed": typed,
        "languages": languages.choices(chosen or capsule.language),
        "chosen_language": chosen,
    }
    return render(request, "studio/editions.html", context)


def with_behind(stories: QuerySet[Story]) -> QuerySet[Story]:
    """Adds `behind`: how many scenes have an original that was changed since."""
    stale = Q(scenes__deleted_at__isnull=True, scenes__copied_from__deleted_at__isnull=True) & ~Q(
        scenes__copied_version=F("scenes__copied_from__version")
    )
    return stories.annotate(behind=Count("scenes", filter=stale & Q(scenes__copied_from__isnull=False)))


def do_pressed(request: HttpRequest, story: Story) -> HttpResponse:
    """Does what the pressed button says. Raises what the actions raise, and Invalid for anything else."""
    do = request.POST.get("do", "")
    if do == "new":
        return make_edition(request, story.capsule or story)
    if do in ("show", "hide"):
        edition = edition_named(story, request.POST.get("edition", ""))
        edition = drafts.update_story(edition, {"shown": do == "show"}, by=actor_in(request))
        published = actions.state_of(edition).is_published
        if do == "hide":
            told = gettext("Readers do not see it any more.")
        elif published:
            told = gettext("Readers can switch to it.")
        else:
            told = gettext("Readers can switch to it once it is published.")
        messages.success(request, told)
    else:
        raise Invalid(gettext("This form is not known."))
    return redirect(request.path)


def make_edition(request: HttpRequest, capsule: Story) -> HttpResponse:
    typed = {name: request.POST.get(name, "").strip() for name in ("name", "label", "language")}
    try:
        if not typed["language"]:
            raise Invalid(
                faults=[Fault("language", gettext("Choose its language, also where it is the same."))]
            )
        edition = editions.add_edition(
            capsule,
            name=typed["name"],
            label=typed["label"],
            language=typed["language"],
            by=actor_in(request),
        )
    except CapsulesError as error:
        keep_typed(request, FORM, typed, error)
        raise
    messages.success(
        request, gettext("The edition is made. Its texts are those of the original until you change them.")
    )
    return redirect("studio_editions", story=edition.pk)


def edition_named(story: Story, id: str) -> Story:
    capsule = story.capsule or story
    return row_of(capsule.editions.present(), id, gettext("There is no such edition."))
