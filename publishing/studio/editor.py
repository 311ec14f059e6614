"""The editor's page. Its script takes over; without it the same page has plain forms for every text."""

from __future__ import annotations

import uuid

from csp.decorators import csp_update
from django.conf import settings
from django.contrib import messages
from django.db.models import Field, Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods

from capsules.actions import drafts, scenes
from capsules.fields import SCENE, STORY, columns_of, row_json
from capsules.models import Scene, Story
from capsules.rules import WIRE_NAMES
from capsules.wire.serializers import draft_on_wire
from config.errors import CapsulesError, NotFound, Stale
from config.ids import number_of, row_of
from config.texts import unix_breaks
from publishing import unpublished
from publishing.models import Publication
from publishing.studio import choices, languages
from publishing.studio.base import (
    READ_ONLY,
    actor_in,
    band,
    put_back,
    show_refusal,
    story_for,
    studio_page,
    writes_in,
)

TEXTS_OF_STORY = columns_of(STORY.words)
TEXTS_OF_SCENE = columns_of(SCENE.words)
#: Beyond what every page may: frame the draft, show pictures that are still on their way in, reach the API.
FRAMES = {
    "frame-src": ["'self'"],
    "img-src": ["blob:"],
    "media-src": ["blob:"],
    "connect-src": [settings.BASE_URL],
}


@studio_page
@ensure_csrf_cookie
@require_http_methods(["GET", "POST"])
def editor(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    found = story_for(request, story)
    if request.method == "POST":
        return save_form(request, found)
    return editor_page(request, found, list(found.scenes.all()))


@csp_update(FRAMES)
def editor_page(request: HttpRequest, found: Story, rows: list[Scene]) -> HttpResponse:
    """The page; `rows` are the scenes of its plain forms."""
    writes = writes_in(request, found)
    urls = urls_of(request, found)
    context = {
        **band(found.workspace, found),
        "story": found,
        "scenes": rows,
        "writes": writes,
        "urls": urls,
        "boot": {
            "draft": draft_on_wire(found),
            "limits": limits(),
            "emptyScene": empty_scene(),
            "person": actor_in(request).user.device_key,
            "user": str(actor_in(request).user.pk),
            "urls": urls,
            "writes": writes,
            "whyNot": why_not(found),
            "shares": shows_share_buttons(found),
            "isChanged": unpublished.has_changes(found),
            "claims": None if found.workspace.name_claimed_at else found.workspace.name,
            "choices": choices.for_script(),
            "languages": languages.choices(found.language),
            "hasEditions": found.editions.present().exists(),
            "now": timezone.now().isoformat(),
            "told": " ".join(map(str, messages.get_messages(request))),
        },
    }
    return render(request, "studio/editor.html", context)


def shows_share_buttons(story: Story) -> bool:
    """Whether the page shows share buttons, which a publish leaves as it is unless it says otherwise."""
    publication = Publication.objects.filter(story=story).first() or Publication()
    return publication.show_social_share


def empty_scene() -> dict[str, object]:
    """What a scene is that nobody has written yet, as the API answers it, before it has an identifier."""
    return {**row_json(Scene(), SCENE.fields), "rendering": {"still": None, "animation": None}}


def limits() -> dict[str, object]:
    """How many characters the fields of a draft may have, and how many scenes it has room for."""
    story = {WIRE_NAMES.get(name, name): longest(Story, name) for name in [*TEXTS_OF_STORY, "edition_label"]}
    scene = {name: longest(Scene, name) for name in TEXTS_OF_SCENE}
    return {"story": story, "scene": scene, "scenes": settings.SCENES_PER_STORY}


def longest(model: type[Model], name: str) -> int | None:
    field = model._meta.get_field(name)
    return field.max_length if isinstance(field, Field) else None


def why_not(story: Story) -> str:
    """Why nothing can be changed here, for those who may not."""
    if story.workspace.is_suspended:
        return gettext("This workspace is suspended. Nothing can be changed in it.")
    return str(READ_ONLY)


def urls_of(request: HttpRequest, story: Story) -> dict[str, str]:
    """Where the editor's script finds everything."""
    here = {"story": story.pk}
    return {
        "api": f"{settings.BASE_URL}/api/v2",
        "app": settings.APP_URL,
        "token": reverse("studio_token"),
        "list": reverse("studio_capsules", kwargs={"workspace": story.workspace_id}),
        "frame": reverse("studio_frame", kwargs=here),
        "frames": reverse("studio_film_frames", kwargs=here),
        "pulse": reverse("studio_pulse", kwargs=here),
        "preview": reverse("studio_previews", kwargs=here),
        "publish": reverse("studio_publish", kwargs=here),
        "editions": reverse("studio_editions", kwargs=here),
        "history": reverse("studio_history", kwargs=here),
        "card": reverse("studio_card", kwargs=here),
        "qr": reverse("studio_qr"),
        "login": f"{reverse('account_login')}?next={request.path}",
        "settings": settings_of(request, story),
    }


def settings_of(request: HttpRequest, story: Story) -> str:
    """Where the workspace's name can be changed, on the way to publishing; empty for those who may not."""
    if not actor_in(request).may_manage(story.workspace_id):
        return ""
    back = {"next": reverse("studio_publish", kwargs={"story": story.pk})}
    return reverse("account_workspace", kwargs={"workspace": story.workspace_id}, query=back)


def save_form(request: HttpRequest, story: Story) -> HttpResponse:
    """Saves one plain form: the story's texts, or those of the scene that it names.

    What is refused comes back as it was typed; after another save (Stale) the history has it, and the page what is new.
    """
    scene = request.POST.get("scene", "")
    names = TEXTS_OF_SCENE if scene else TEXTS_OF_STORY
    changes = {name: unix_breaks(request.POST[name]) for name in names if name in request.POST}
    version = number_of(request.POST.get("version", ""))
    expected = [] if version is None else [version]
    try:
        if scene:
            row = row_of(story.scenes.all(), scene, gettext(scenes.NO_SCENE), by="key")
            scenes.update_scene(story, row.key, changes, by=actor_in(request), expected=expected)
        else:
            drafts.update_story(story, changes, by=actor_in(request), expected=expected)
        messages.success(request, gettext("Saved."))
    except (Stale, NotFound) as error:
        show_refusal(request, error)
    except CapsulesError as error:
        rows = list(story.scenes.all())
        refused = next((row for row in rows if str(row.key) == scene), None) if scene else story
        if refused is not None:  # else the scene has gone since
            typed = {**changes, "version": version or 0}  # 0: of a form that no page has
            for sentence in put_back(refused, typed, error):
                messages.error(request, sentence)
            return editor_page(request, story, rows)
        show_refusal(request, error)
    return redirect("studio_editor", story=story.pk)
