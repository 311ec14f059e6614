"""What the studio's pages share: who is there, which workspace and story they mean, and what every page says."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from functools import wraps

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import Workspace
from accounts.pages.base import actor_in, login_page, person
from capsules.actions.writing import find_story
from capsules.models import Scene, Story
from capsules.rules import WIRE_NAMES
from config.errors import CapsulesError, NotFound
from config.ids import row_of
from config.json_types import JsonObject
from publishing import dark
from publishing.by_apps.studio_notices import news_for

WIRE_FIELDS = {wire: name for name, wire in WIRE_NAMES.items()}
READ_ONLY = _("You can read this workspace. To change something, ask an owner to make you an editor.")


def studio_page(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """A page for somebody who is logged in, as `login_page`; other sites do not see its address as a referrer."""

    @login_page
    @wraps(view)
    def shown(request: HttpRequest, **kwargs: object) -> HttpResponseBase:
        response = view(request, **kwargs)
        response.setdefault("Referrer-Policy", "same-origin")
        return response

    return shown


View = Callable[..., HttpResponse]


def refusals_lead_to(place: Callable[..., str], *, with_paths: bool = False) -> Callable[[View], View]:
    """What is refused leads to a page, with the sentences that say why. `place` gets what the view gets."""

    def decorate(view: View) -> View:
        @wraps(view)
        def tried(request: HttpRequest, **kwargs: object) -> HttpResponse:
            try:
                return view(request, **kwargs)
            except NotFound:
                raise
            except CapsulesError as error:
                show_refusal(request, error, with_paths=with_paths)
                return redirect(place(request, **kwargs))

        return tried

    return decorate


refused_here = refusals_lead_to(lambda request, **kwargs: request.get_full_path())


def show_refusal(request: HttpRequest, error: CapsulesError, *, with_paths: bool = False) -> None:
    """Puts a refusal on the next page, with its first few faults; `with_paths` where the page has no such fields."""
    faults = [f"{fault.path}: {fault.message}" if with_paths else fault.message for fault in error.faults]
    sentences = [str(error), *faults][:6]
    for sentence in dict.fromkeys(sentences):
        messages.error(request, sentence)


def keep_typed(request: HttpRequest, form: str, typed: Mapping[str, str], error: CapsulesError) -> None:
    """Keeps what was typed into a refused form for the page that the refusal leads back to, with `faults` by field."""
    faults = {fault.path: fault.message for fault in error.faults}
    request.session[f"studio form {form}"] = {**typed, "faults": faults}


def typed_in(request: HttpRequest, form: str) -> JsonObject:
    """What was typed into a form that was refused; once, and empty where none was."""
    return dict(request.session.pop(f"studio form {form}", {}))


def put_back(row: Scene | Story, typed: Mapping[str, object], error: CapsulesError) -> list[str]:
    """Gives `row` what was typed into a refused form, unsaved, and `faults` by field, for the page that shows it again.

    `typed` has the version that the form stood on, too: the next try does not overwrite what was saved since.
    Returns the sentences for the head of that page.
    """
    faults = {WIRE_FIELDS.get(fault.path, fault.path): fault.message for fault in error.faults}
    for name, value in {**typed, "faults": faults}.items():
        setattr(row, name, value)
    return [str(error), *(message for name, message in faults.items() if name not in typed)]


def workspace_for(request: HttpRequest, id: uuid.UUID) -> Workspace:
    """A workspace that the person is a member of. Raises NotFound."""
    return row_of(actor_in(request).workspaces(), id, gettext("There is no such workspace among yours."))


def on_to_a_workspace(request: HttpRequest, page: str) -> HttpResponse:
    """On to a page of the person's default workspace, or of any other; to the account's page where they have none."""
    actor = actor_in(request)
    workspace = actor.default_workspace() or actor.workspaces().order_by("title").first()
    return redirect(page, workspace=workspace.pk) if workspace else redirect("account_home")


def story_for(request: HttpRequest, id: uuid.UUID) -> Story:
    """A story, not in the trash, that the person can see. Raises NotFound."""
    missing = gettext("There is no such capsule in your workspaces. It may be in the trash.")
    return find_story(actor_in(request), id, missing)


def may_send_here(request: HttpRequest, workspace: uuid.UUID) -> bool:
    """Whether the person may write in this workspace: asked before a file of theirs is read."""
    found = actor_in(request).workspaces().filter(pk=workspace, suspended_at__isnull=True).first()
    return found is not None and actor_in(request).may_write_in(found.pk)


def writes_in(request: HttpRequest, story: Story) -> bool:
    """Whether the person may change this story now."""
    return actor_in(request).may_write_in(story.workspace_id) and not story.workspace.is_suspended


def band(workspace: Workspace, story: Story | None = None) -> dict[str, object]:
    """What templates/studio/band.html says on top of a page, where its story or its workspace was taken down."""
    why = dark.of_workspace(workspace) if story is None else dark.of_story(story)
    return band_of(why, workspace, story)


def band_of(why: dark.TakenDown | None, workspace: Workspace, story: Story | None) -> dict[str, object]:
    """The same where it has been read why."""
    if why is None:
        return {}
    suspended = reverse("studio_suspended", args=[workspace.pk])
    frozen = reverse("studio_taken_down", args=[story.pk]) if story is not None else suspended
    return {"taken_down": why, "taken_down_url": suspended if why.is_workspace else frozen}


def shell(
    request: HttpRequest, workspace: Workspace, section: str, story: Story | None = None
) -> dict[str, object]:
    """What the frame around every list needs: where the person is, and whether they may write there."""
    actor = actor_in(request)
    return {
        **band(workspace, story),
        "workspace": workspace,
        "section": section,
        "writes": actor.may_write_in(workspace.pk),
        "manages": actor.may_manage(workspace.pk),
        "read_only": READ_ONLY,
        **news_for(person(request), workspace),
    }
