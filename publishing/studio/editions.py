"""Editions of a capsule: the list, a new one, and one beside its original, with what moved on there."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.contrib import messages
from django.db.models import Count, F, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from capsules.actions import drafts, editions, scenes
from capsules.models import Scene, Story
from config.errors import CapsulesError, Invalid, NotFound, Stale
from config.ids import number_of, row_of, uuid_of
from publishing import actions
from publishing.states import states_of
from publishing.studio import languages
from publishing.studio.base import (
    actor_in,
    keep_typed,
    put_back,
    refused_here,
    shell,
    story_for,
    studio_page,
    typed_in,
    writes_in,
)
from publishing.studio.editor import TEXTS_OF_SCENE

FORM = "new edition"


@dataclass(frozen=True)
class Pair:
    """A scene of an edition beside its original; one of them may be missing."""

    original: Scene | None
    own: Scene | None

    @property
    def is_behind(self) -> bool:
        """Whether the original was changed since the edition last took note of it."""
        return bool(self.original and self.own and self.own.copied_version != self.original.version)


@studio_page
@refused_here
@require_http_methods(["GET", "POST"])
def editions_page(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    """All editions of a capsule, whichever of them the address names; for an edition also its texts, side by side."""
    found = story_for(request, story)
    if request.method == "POST":
        try:
            return do_pressed(request, found)
        except (Stale, NotFound):  # the history has what was typed; there is no such form
            raise
        except CapsulesError as error:
            return refused_text(request, found, error)
    return render_editions(request, found, pairs_of(found) if found.capsule_id else None)


def refused_text(request: HttpRequest, edition: Story, error: CapsulesError) -> HttpResponse:
    """The page again, with what was typed for a scene; raises the error again for the other forms."""
    pairs = pairs_of(edition) if edition.capsule_id else []
    key, version = request.POST.get("scene", ""), number_of(request.POST.get("version", ""))
    own = next((pair.own for pair in pairs if pair.own and str(pair.own.key) == key), None)
    if own is None or version is None or request.POST.get("do") != "save":
        raise error
    put_back(request, own, {**typed_texts(request), "version": version}, error)
    return render_editions(request, edition, pairs)


def render_editions(request: HttpRequest, found: Story, pairs: list[Pair] | None) -> HttpResponse:
    capsule = found.capsule or found
    rows = list(with_behind(capsule.editions.present()).order_by("created_at", "pk"))
    states = states_of(rows)
    typed = typed_in(request, FORM)
    chosen = typed.get("language") or capsule.language
    context = {
        **shell(request, capsule.workspace, "capsules", found),
        "story": found,
        "capsule": capsule,
        "named_language": languages.named(capsule.language),
        "rows": [(row, states[row.pk].is_published, languages.named(row.language)) for row in rows],
        "writes": writes_in(request, found),
        "pairs": pairs,
        "typed": typed,
        "languages": languages.choices(chosen),
        "chosen_language": chosen,
    }
    return render(request, "studio/editions.html", context)


def with_behind(stories: QuerySet[Story]) -> QuerySet[Story]:
    """Adds `behind`: how many scenes have an original that was changed since."""
    stale = Q(scenes__deleted_at__isnull=True, scenes__copied_from__deleted_at__isnull=True) & ~Q(
        scenes__copied_version=F("scenes__copied_from__version")
    )
    return stories.annotate(behind=Count("scenes", filter=stale & Q(scenes__copied_from__isnull=False)))


def pairs_of(edition: Story) -> list[Pair]:
    """The edition's scenes in its order, then those of the capsule that it does not have."""
    originals = {scene.pk: scene for scene in Scene.objects.filter(story=edition.capsule_id)}
    own = list(edition.scenes.select_related("edited_by"))
    pairs = [Pair(originals.get(scene.copied_from_id or 0), scene) for scene in own]
    known = {scene.copied_from_id for scene in own}
    return pairs + [Pair(scene, None) for pk, scene in originals.items() if pk not in known]


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
    elif do in ("save", "done"):
        save_scene(request, story, do)
    else:
        raise Invalid(gettext("This form is not known."))
    return redirect(request.path)


def make_edition(request: HttpRequest, capsule: Story) -> HttpResponse:
    typed = {name: request.POST.get(name, "").strip() for name in ("name", "label", "language")}
    try:
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


def typed_texts(request: HttpRequest) -> dict[str, str]:
    given = [name for name in TEXTS_OF_SCENE if name in request.POST]
    return {name: request.POST[name].replace("\r\n", "\n") for name in given}


def save_scene(request: HttpRequest, edition: Story, do: str) -> None:
    """Saves the texts of one scene; or takes note of the version of its original that the person has seen."""
    key = uuid_of(request.POST.get("scene", ""))
    if key is None:
        raise Invalid(gettext("There is no such scene."))
    seen, version = (number_of(request.POST.get(name, "")) for name in ("seen", "version"))
    if seen is None or version is None:
        raise Invalid(gettext("This form is broken. Open the page again."))
    if do == "save":
        scenes.update_scene(edition, key, typed_texts(request), by=actor_in(request), expected=[version])
        messages.success(request, gettext("Saved."))
    if do == "done" or request.POST.get("is_done"):
        editions.take_note(edition, key, seen=seen, by=actor_in(request))
        messages.success(request, gettext("Marked as done."))
