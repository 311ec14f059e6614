"""How a premiere will look, for those who may see it before it is sent."""

from __future__ import annotations

from dataclasses import replace

from django.http import Http404, HttpResponse

from publishing.mail.letters import TOKEN, Rendered
from publishing.models import Premiere, Publication
from publishing.premieres.rendering import render

#: A mail has its styles inline and runs nothing; the page that shows it allows just that.
POLICY = "sandbox allow-popups; default-src 'none'; img-src *; style-src 'unsafe-inline'"


def to_nobody(publication: Publication, mode: str) -> Rendered:
    """The mail as it would be sent now, with no reader's token in its links."""
    letter = render(publication, mode)
    html, text = (form.replace(TOKEN, "of-the-recipient") for form in (letter.html, letter.text))
    return replace(letter, html=html, text=text)


def preview_response(premiere: Premiere, mode: str) -> HttpResponse:
    """The mail as it would be sent now; `mode` FULL, TEASER, or either with `.txt`. Raises Http404."""
    kind, _, text = mode.partition(".")
    publication = Publication.objects.live().with_bake().filter(pk=premiere.publication_id).first()
    if publication is None or kind not in ("FULL", "TEASER") or text not in ("", "txt"):
        raise Http404
    letter = to_nobody(publication, kind)
    content = letter.text if text else letter.html
    response = HttpResponse(content, content_type=f"text/{'plain' if text else 'html'}; charset=utf-8")
    response["Content-Security-Policy"] = POLICY
    return response
