"""The draft in the reader's own templates: what the editor's stage shows, and previews in a window of their own."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from config.words.languages import page_in
from publishing import drafts
from publishing.pages import placing
from publishing.pages.reading import Reading, find_next
from publishing.pages.views import page_response, shared_context
from publishing.studio.base import story_for, studio_page

#: Only the studio's own pages may frame a draft; a picture that is still on its way in is a blob of the browser.
IN_THE_STUDIO = {
    "frame-ancestors": ["'self'"],
    "img-src": [*settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]["img-src"], "blob:"],
}


@studio_page
@require_safe
@xframe_options_sameorigin
def frame(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    """The draft as it is now; `?as=embed` shows the embed."""
    return draft_page(drafts.load_draft(story_for(request, story)), embed=request.GET.get("as") == "embed")


def draft_page(reading: Reading, *, embed: bool = False) -> HttpResponse:
    """A reading that nobody may keep, count or index, in the language that its readers get."""
    with page_in(reading.content["language"]):
        context: dict[str, object] = {
            **shared_context(reading, placing.EMBED if embed else placing.PAGE),
            "next": find_next(reading.publication),
            "shares": reading.publication.show_social_share,
            "told": None,
        }
        template = "publishing/embed.html" if embed else "publishing/page.html"
        response = page_response(template, context, **IN_THE_STUDIO)
    response["X-Robots-Tag"] = "noindex"
    return response
