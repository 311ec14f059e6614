"""The page *New capsule*: with photographs, empty, from a text, from a folder, or from a finished example."""

from __future__ import annotations

import json
import uuid
from dataclasses import astuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from capsules import pasting
from capsules.actions import drafts
from capsules.advice import UNTITLED
from capsules.examples import copy_example, examples
from capsules.models import Story
from capsules.pasting import Piece, Pieces
from config.errors import CapsulesError, Invalid, NotFound
from config.ids import number_of
from publishing.looks import classes
from publishing.studio.base import (
    actor_in,
    on_to_a_workspace,
    refusals_lead_to,
    shell,
    show_refusal,
    studio_page,
    workspace_for,
)

NO_TEXT = gettext_noop("Paste a text first.")
NOTHING_LEFT = gettext_noop("Every scene is removed. Put one back first.")


refused_at_the_page = refusals_lead_to(
    lambda request, workspace, **kwargs: reverse("studio_new", args=[workspace]), with_paths=True
)


@studio_page
@require_safe
def somewhere(request: HttpRequest) -> HttpResponse:
    return on_to_a_workspace(request, "studio_new")


@studio_page
@require_http_methods(["GET", "HEAD", "POST"])
@refused_at_the_page
def new(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    """The page; its first buttons make a capsule of one scene without a picture, and `empty` opens its text."""
    if request.method == "POST":
        made = begin(request, workspace, UNTITLED, [Piece("")])
        return opened(made, at_text="empty" in request.POST)
    found = workspace_for(request, workspace)
    if not actor_in(request).may_write_in(found.pk):
        return redirect("studio_capsules", workspace=found.pk)
    cards = [(each, classes(each.look)) for each in examples().values()]  # type: ignore[arg-type]
    return render(request, "studio/new.html", {**shell(request, found, "capsules"), "examples": cards})


def begin(request: HttpRequest, workspace: uuid.UUID, title: str, pieces: Pieces) -> Story:
    actor = actor_in(request)
    scenes = [{"animation": "auto", "title": piece.title, "text": piece.text} for piece in pieces]
    fields = {"title": title, "author_name": actor.user.name}
    return drafts.create_story(workspace_for(request, workspace), fields, scenes, by=actor)


def opened(story: Story, *, at_text: bool = False) -> HttpResponse:
    """On to the editor; at the text of the first scene, which the editor finds by the address."""
    editor = reverse("studio_editor", kwargs={"story": story.pk})
    return redirect(f"{editor}#{story.scenes.earliest('position').key}.text" if at_text else editor)


@studio_page
@require_POST
@refused_at_the_page
def example(request: HttpRequest, workspace: uuid.UUID, name: str) -> HttpResponse:
    """A copy of a finished example, opened in the editor."""
    if name not in examples():
        raise NotFound(gettext("There is no such example."))
    found = workspace_for(request, workspace)
    return opened(copy_example(examples()[name], found, by=actor_in(request)))


# --- From a text ---------------------------------------------------------------------------------------------------


@studio_page
@require_http_methods(["GET", "HEAD", "POST"])
@refused_at_the_page
def from_text(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    """The scenes of a pasted text, which the form of this page carries along until they are made."""
    found = workspace_for(request, workspace)
    if request.method != "POST":
        return redirect("studio_new", workspace=found.pk)
    title, pieces = pasted(request)
    action, *where = request.POST.get("do", "").split(":")
    if action == "make":
        try:
            return make(request, found.pk, title, pasting.kept(pieces))
        except NotFound:
            raise
        except CapsulesError as error:
            show_refusal(request, error)
    pieces = changed(pieces, action, *(number_of(part) or 0 for part in where[:2]))
    return render(
        request, "studio/new_text.html", {**shell(request, found, "capsules"), **shown(title, pieces)}
    )


def make(request: HttpRequest, workspace: uuid.UUID, title: str, pieces: Pieces) -> HttpResponse:
    if not pieces:
        raise Invalid(gettext(NOTHING_LEFT))
    return opened(begin(request, workspace, title.strip() or UNTITLED, pieces))


def pasted(request: HttpRequest) -> tuple[str, Pieces]:
    """Title and scenes: of the text that was pasted, or as the form has them. Raises Invalid without a text."""
    if "scenes" not in request.POST:
        title, pieces = pasting.proposed(request.POST.get("text", ""))
        if not pieces:
            raise Invalid(gettext(NO_TEXT))
        return title, pieces
    try:
        rows = json.loads(request.POST["scenes"])
        return request.POST.get("title", ""), [Piece(str(a), str(b), bool(c)) for a, b, c in rows]
    except (ValueError, TypeError, RecursionError) as error:
        raise Invalid(gettext(NO_TEXT)) from error


def changed(pieces: Pieces, action: str, at: int = 0, after: int = 0) -> Pieces:
    """The scenes after what a button asks for."""
    if action == "merge":
        return pasting.merge(pieces, at)
    if action == "split":
        return pasting.split(pieces, at, after)
    if action in ("remove", "restore"):
        return pasting.remove(pieces, at, removed=action == "remove")
    return pasting.fit(pieces, settings.SCENES_PER_STORY) if action == "fit" else pieces


def shown(title: str, pieces: Pieces) -> dict[str, object]:
    """What the page needs. Scenes count from 1, those that are removed have no number."""
    number, rows = 0, []
    for at, piece in enumerate(pieces):
        number += not piece.removed
        row = {"piece": piece, "number": number, "merges": pasting.can_merge(pieces, at)}
        rows.append(row | {"sentences": piece.sentences})
    room = settings.SCENES_PER_STORY
    return {
        "title": title,
        "rows": rows,
        "count": number,
        "room": room,
        "over": max(0, number - room),
        "fits": number > room >= len(pasting.fit(pieces, room)),
        "state": json.dumps([astuple(piece) for piece in pieces], ensure_ascii=False),
    }
