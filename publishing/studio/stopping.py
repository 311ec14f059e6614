"""The pages behind the links of a message that an app published something: one button each.

They need no login, and so no CSRF token: what changes something is a POST to an address that only the message has.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts.throttling import address_of, check_rate
from config.errors import CapsulesError, Gone, NotFound, Throttled
from config.private_pages import keep_private
from publishing.by_apps import notices
from publishing.models import Premiere
from publishing.premieres import outlook

OVER = _("This link does nothing any more")
UNKNOWN = _("It is not one of ours, or the capsule was deleted since.")
TOO_OFTEN = _("Too many requests")


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest, signed: str) -> HttpResponse:
    """GET shows a button and changes nothing: mail scanners follow links. POST does what the link is for, once."""
    return keep_private(answer_link(request, signed))


def answer_link(request: HttpRequest, signed: str) -> HttpResponse:
    try:
        check_rate("feed", address_of(request.META))
        link = notices.stop_link(signed)
        if request.method == "POST":
            return notice(request, gettext("Done"), notices.follow_link(link), 200)
    except Throttled as error:
        return notice(request, str(TOO_OFTEN), str(error), 429)
    except NotFound:
        return notice(request, str(OVER), str(UNKNOWN), 404)
    except Gone as error:
        return notice(request, str(OVER), str(error), 410)
    except CapsulesError as error:
        return question(request, link, problem=str(error), status=409)
    return question(request, link)


def question(
    request: HttpRequest, link: notices.StopLink, *, problem: str = "", status: int = 200
) -> HttpResponse:
    premiere = Premiere.objects.filter(publication__story=link.story).first()
    context: dict[str, object] = {
        "link": link,
        "cancels": link.stop == "cancel-email",
        "premiere": premiere,
        "recipients": outlook.outlook(link.story).recipients,
        "problem": problem,
    }
    return render(request, "studio/stop.html", context, status=status)


def notice(request: HttpRequest, heading: str, words: str, status: int) -> HttpResponse:
    context = {"heading": heading, "words": words}
    return render(request, "studio/stop_over.html", context, status=status)
