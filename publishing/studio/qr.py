"""QR codes of this service's own links, for a phone to scan."""

from __future__ import annotations

import io

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from publishing.studio.base import studio_page


@studio_page
@require_safe
def qr(request: HttpRequest) -> HttpResponse:
    """`?url=` as an SVG; only for our own links, so that nobody is led elsewhere in our name."""
    url = request.GET.get("url", "")
    if not url.startswith(f"{settings.APP_URL}/") or len(url) > 500:
        raise Http404
    import segno  # its tables take a tenth of a second, which every process would spend at its start

    drawn = io.BytesIO()
    segno.make(url, error="m").save(drawn, kind="svg", scale=6, border=3, dark="#15101f", light="#ffffff")
    return HttpResponse(drawn.getvalue(), content_type="image/svg+xml")
