"""The pages of a subscriber: ask, confirm, leave.

They need no login and set no cookie, and so no CSRF token: what changes something is a POST that carries an
unguessable link from a mail, and asking does nothing but send such a link.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts.models import Workspace
from accounts.throttling import DAY, address_of, check_rate
from config.errors import NotFound, Throttled
from publishing.subscribers import actions as subscriptions
from publishing.subscribers import erasing
from publishing.subscribers.addresses import normalised

View = Callable[..., HttpResponse]


def subscriber_page(view: View) -> View:
    """No cookie, no CSRF token, no copy in a cache, no place in a search engine; unknown links are 404."""

    @wraps(view)
    def wrapped(request: HttpRequest, **named: str) -> HttpResponse:
        try:
            if "\0" in "".join(named.values()):  # which PostgreSQL takes for no text
                raise NotFound
            response = view(request, **named)
        except NotFound:
            response = render(request, "subscriptions/gone.html", status=404)
        response["Cache-Control"] = "no-store"
        response["Referrer-Policy"] = "no-referrer"
        response["X-Robots-Tag"] = "noindex"
        return response

    return csrf_exempt(require_http_methods(["GET", "HEAD", "POST"])(wrapped))


@subscriber_page
def subscribe(request: HttpRequest, name: str) -> HttpResponse:
    """GET: the form. POST `email`: the same answer for every address."""
    workspace = get_object_or_404(Workspace, name=name, name_claimed_at__isnull=False)
    if request.method != "POST":
        return page(request, "subscribe", workspace)
    if request.POST.get("website"):  # a field that people do not see: a robot filled the form
        return page(request, "asked", workspace)
    typed = request.POST.get("email", "")
    try:
        email = normalised(typed)
    except ValueError:
        return page(
            request, "subscribe", workspace, status=400, typed=typed, fault="Please enter an email address."
        )
    try:
        check_rate("subscribe", address_of(request.META))
        addressee = hashlib.sha256(email.encode()).hexdigest()[:32]
        check_rate("subscription", addressee)
        check_rate("subscription mail", addressee, per=DAY)
    except Throttled as error:
        response = page(request, "subscribe", workspace, status=429, typed=typed, fault=str(error))
        response["Retry-After"] = str(error.retry_after)
        return response
    subscriptions.ask(workspace, email)
    return page(request, "asked", workspace)


@subscriber_page
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows a button and changes nothing: mail scanners follow links. POST subscribes."""
    if request.method != "POST":
        return page(request, "confirm", subscriptions.request_by(token).workspace)
    return page(request, "confirmed", subscriptions.confirm(token).workspace)


@subscriber_page
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows a button and changes nothing. POST ends the subscription (RFC 8058: mail programs do this too)."""
    if request.method != "POST":
        return page(request, "leave", subscriptions.subscriber_by(token).workspace)
    left = subscriptions.leave(token)
    return page(request, "left", left.workspace, token=token, kept=str(settings.LEFT_SUBSCRIBERS_KEPT))


@subscriber_page
def erase(request: HttpRequest, token: str) -> HttpResponse:
    """POST deletes the address. Another method changes nothing, and leads to the page for unsubscribing."""
    subscriber = subscriptions.subscriber_by(token)
    if request.method != "POST":
        return redirect("unsubscribe", token)
    erasing.erase_subscriber(subscriber.workspace, subscriber.email, by=None)
    return page(request, "erased", subscriber.workspace)


def page(
    request: HttpRequest, name: str, workspace: Workspace, *, status: int = 200, **more: str
) -> HttpResponse:
    return render(request, f"subscriptions/{name}.html", {"workspace": workspace, **more}, status=status)
