"""The pages of a subscriber: ask, confirm, leave.

They need no login and set no cookie, and so no CSRF token: what changes something is a POST that carries an
unguessable link from a mail, and asking does nothing but send such a link.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import get_language_from_request, gettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts import proofs
from accounts.models import Workspace
from accounts.throttling import DAY, address_of, check_rate, short_digest
from config.errors import NotFound, Throttled
from config.private_pages import keep_private
from config.words import languages
from config.words.languages import page_in
from config.words.tags import hour
from publishing.models import Subscriber
from publishing.subscribers import actions as subscriptions
from publishing.subscribers import erasing
from publishing.subscribers.addresses import has_other_letters, normalised

PURPOSE = "subscribe"
PROVED = 60  # forms a minute of one network whose browsers did the sum each time

View = Callable[..., HttpResponse]


def subscriber_page(view: View) -> View:
    """No cookie, no CSRF token, no copy in a cache, no place in a search engine; unknown links are 404."""

    @wraps(view)
    def wrapped(request: HttpRequest, **named: str) -> HttpResponse:
        try:
            if "\0" in "".join(named.values()):  # which PostgreSQL takes for no text
                raise NotFound
            with page_in(language_sent(request), own=True):
                response = view(request, **named)
        except NotFound:
            with page_in(language_sent(request), own=True):
                confirms = view.__name__ == "confirm"
                response = render(request, "subscriptions/gone.html", {"confirms": confirms}, status=404)
        return keep_private(response)

    return csrf_exempt(require_http_methods(["GET", "HEAD", "POST"])(wrapped))


@subscriber_page
def subscribe(request: HttpRequest, name: str) -> HttpResponse:
    """GET: the form. POST `email`: the same answer for every address."""
    workspace = get_object_or_404(Workspace.objects.public(), name=name)
    if request.method != "POST":
        return reader_page(request, "subscribe", workspace)
    if request.POST.get("website"):  # a field that people do not see: a robot filled the form
        return reader_page(request, "asked", workspace)
    typed = request.POST.get("email", "")
    try:
        email = normalised(typed)
    except ValueError:
        fault = gettext("Please enter an email address.")
        if has_other_letters(typed):
            fault = gettext(
                "We cannot write to this address: before the @ it has a letter that is not one of a to z."
            )
        return reader_page(request, "subscribe", workspace, status=400, typed=typed, fault=fault)
    try:
        proofs.check_flood(PURPOSE, address_of(request.META), request.POST.get("altcha", ""), proved=PROVED)
    except Throttled as error:
        return refused(request, workspace, error, challenge=proofs.challenge(PURPOSE))
    try:
        addressee = short_digest(email)
        check_rate("subscription", addressee)
        check_rate("subscription mail", addressee, per=DAY)
    except Throttled as error:
        return refused(request, workspace, error)  # a sum of the browser spares nobody these mails
    subscriptions.request_subscription(workspace, email, language=languages.asked_language())
    return reader_page(request, "asked", workspace)


def refused(
    request: HttpRequest, workspace: Workspace, error: Throttled, *, challenge: str = ""
) -> HttpResponse:
    """The form once more, with what was typed."""
    told = {"typed": request.POST["email"], "fault": too_often(error), "challenge": challenge}
    response = reader_page(request, "subscribe", workspace, status=429, **told)
    response["Retry-After"] = str(error.retry_after)
    return response


def too_often(error: Throttled) -> str:
    again = timezone.now() + timedelta(seconds=error.retry_after or 0)
    return gettext("This was asked for too often. Please try again after %(time)s UTC.") % {
        "time": hour(again)
    }


@subscriber_page
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows a button and changes nothing: mail scanners follow links. POST subscribes; from then on GET says so."""
    if request.method != "POST":
        asked = subscriptions.request_by(token)
        page = "confirmed" if subscriptions.is_subscribed(asked) else "confirm"
        return reader_page(request, page, asked.workspace, language=asked.language)
    subscriber = subscriptions.confirm(token)
    return reader_page(request, "confirmed", subscriber.workspace, language=subscriber.language)


@subscriber_page
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows a button and changes nothing. POST ends the subscription (RFC 8058: mail programs do this too)."""
    subscriber = subscriptions.subscriber_by(token)
    workspace, language = subscriber.workspace, readers_language(request, subscriber)
    if request.method == "POST":
        subscriptions.end_subscription(token)
    elif subscriber.is_active:
        return reader_page(request, "leave", workspace, language=language)
    kept = settings.LEFT_SUBSCRIBERS_KEPT
    return reader_page(request, "left", workspace, language=language, token=token, kept=kept)


@subscriber_page
def erase(request: HttpRequest, token: str) -> HttpResponse:
    """POST deletes the address. Another method changes nothing, and leads to the page for unsubscribing."""
    subscriber = subscriptions.subscriber_by(token)
    if request.method != "POST":
        return redirect("unsubscribe", token)
    erasing.erase_subscriber(subscriber.workspace, subscriber.email, by=None)
    return reader_page(
        request, "erased", subscriber.workspace, language=readers_language(request, subscriber)
    )


def readers_language(request: HttpRequest, subscriber: Subscriber) -> str:
    """That of the page where they subscribed; of who came by a list, which has none, that of their browser."""
    return subscriber.language or language_sent(request) or get_language_from_request(request)


def language_sent(request: HttpRequest) -> str:
    """Of the page where the form was, or of the address; "" for none."""
    return languages.known(request.POST.get("language") or request.GET.get("language", ""))


def reader_page(
    request: HttpRequest,
    name: str,
    workspace: Workspace,
    *,
    status: int = 200,
    language: str = "",
    **more: object,
) -> HttpResponse:
    """In `language`, the reader's; else in that of the address."""
    with page_in(language or language_sent(request), own=True):
        return render(request, f"subscriptions/{name}.html", {"workspace": workspace, **more}, status=status)
