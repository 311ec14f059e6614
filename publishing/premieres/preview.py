"""How a premiere will look, for those who may see it before it is sent."""

from __future__ import annotations

from django.http import Http404, HttpResponse

from publishing.mail.letters import TOKEN
from publishing.models import Premiere, Publication
from publishing.premieres.rendering import render

#: A mail has its styles inline and runs nothing; the page that shows it allows just that.
POLICY = "sandbox allow-popups; default-src 'none'; img-src *; style-src 'unsafe-inline'"


def preview_response(premiere: Premiere, mode: str) -> HttpResponse:
    """The mail as it would be sent now; `mode` FULL, TEASER, or either with `.txt`. Raises Http404."""
    kind, _, text = mode.partition(".")
    live = Publication.objects.live().select_related("story__workspace", "live_bake")
    publication = live.filter(pk=premiere.publication_id).first()
    if publication is None or kind not in ("FULL", "TEASER") or text not in ("", "txt"):
        raise Http404
    rendered = render(publication, kind)
    content = (rendered.text if text else rendered.html).replace(TOKEN, "of-the-recipient")
    response = HttpResponse(content, content_type=f"text/{'plain' if text else 'html'}; charset=utf-8")
    response["Content-Security-Policy"] = POLICY
    return response
