"""The frames of a film that the editor shows where an author chooses its part."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_safe

from accounts.pages.base import actor_in
from capsules.actions import media
from capsules.models import Asset
from config.errors import NotFound
from config.ids import row_of
from publishing.studio.base import story_for, studio_page

NO_FILM = gettext_noop("There is no such film.")


@studio_page
@require_safe
def film_frames(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    """`?film=`, of the story's workspace, as a strip of frames. A film never changes, so a browser keeps it."""
    found = story_for(request, story)
    films = Asset.objects.visible_to(actor_in(request)).filter(
        workspace=found.workspace, kind=Asset.Kind.FILM
    )
    film = row_of(films, request.GET.get("film", ""), gettext(NO_FILM))
    try:
        strip = media.frames_of(film)
    except (media.media.MediaRefused, FileNotFoundError) as error:
        raise NotFound(gettext(NO_FILM)) from error
    return HttpResponse(strip, content_type="image/jpeg", headers={"Cache-Control": "private, max-age=86400"})
