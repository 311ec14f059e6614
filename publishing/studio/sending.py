"""The page of an upload link: sends pictures and films into one workspace, from a phone and without a login.

Whoever has the secret of the link may send; so there is no cookie and no CSRF token.
"""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts.throttling import address_of, check_rate
from capsules.models import Upload, UploadLink
from capsules.uploads import links
from capsules.uploads.errors import Expired
from config.errors import CapsulesError, Invalid, Throttled
from config.private_pages import keep_private

BESIDES = 1 << 20  # bytes of a form around its one file
WORDS = {
    Upload.State.RECEIVING: _("On its way"),
    Upload.State.CHECKING: _("Checking …"),
    Upload.State.READY: _("Arrived"),
    Upload.State.REFUSED: _("Refused"),
    Upload.State.EXPIRED: _("Expired"),
}


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def send(request: HttpRequest, secret: str) -> HttpResponse:
    """GET: the page; `?state` as JSON. POST: one file by a plain form. 410 once the link has ended."""
    return keep_private(answer_link(request, secret))


def answer_link(request: HttpRequest, secret: str) -> HttpResponse:
    problem, status = "", 200
    try:
        check_rate("feed", address_of(request.META))
        link = links.of_secret(secret)
        if request.method == "POST":
            take_file(request, link)
            link.refresh_from_db()
    except Throttled as error:
        return over(request, str(error), 429)
    except Expired as error:
        return over(request, str(error), 410)
    except CapsulesError as error:
        problem, status = str(error), 400
    sent = list(link.uploads.order_by("created_at", "pk"))
    left = max(0, settings.UPLOAD_LINK_FILES - link.files) if link.is_open else 0
    files = [on_page(upload) for upload in sent]
    if "state" in request.GET:
        return JsonResponse({"files": files, "left": left})
    context = {"link": link, "files": files, "left": left, "problem": problem, "secret": secret}
    return render(request, "studio/send.html", context, status=status)


def take_file(request: HttpRequest, link: UploadLink) -> None:
    """Takes the file of the form. Its size is looked at before anything of it is read."""
    if not link.is_open:
        raise Expired(gettext(links.OVER))
    length = request.META.get("CONTENT_LENGTH") or ""
    if not length.isascii() or not length.isdigit():
        raise Invalid(gettext("Choose a file first."))
    if int(length) > max(settings.MAX_BYTES.values()) + BESIDES:
        raise Invalid(
            gettext("A film has at most %(most)s MB.") % {"most": settings.MAX_BYTES["film"] // 10**6}
        )
    file = request.FILES.get("file")
    if file is None or not file.size:
        raise Invalid(gettext("Choose a file first."))
    links.receive_by_link(link, file, filename=file.name or "file", length=file.size)


def on_page(upload: Upload) -> dict[str, str]:
    state = Upload.State.EXPIRED if upload.is_expired else upload.state
    return {
        "name": upload.filename,
        "state": str(state),
        "words": str(WORDS[Upload.State(state)]),
        "error": upload.error or upload.note,
    }


def over(request: HttpRequest, words: str, status: int) -> HttpResponse:
    if "state" in request.GET:
        return JsonResponse({"error": words}, status=status)
    return render(request, "studio/send_over.html", {"words": words}, status=status)
