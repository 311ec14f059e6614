"""/report: a reader says what is wrong with a capsule. It needs no script, no login and no cookie."""

from __future__ import annotations

import hashlib
import hmac
import time
from datetime import UTC, datetime
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts import proofs
from accounts.throttling import HOUR, RateExceeded, address_of
from config.database import only
from config.errors import Conflict
from config.private_pages import keep_private
from config.words.languages import asked_language, known, page_in
from publishing.models import Case, Publication
from publishing.models.publications import PUBLIC_PATH
from publishing.moderation import actions
from publishing.moderation.forms import ReportForm
from publishing.pages.oembed import origin
from publishing.pages.serving import edition_in_query

REPORTS = 5  # an hour of one network
PROVED_REPORTS = 50  # more, an hour, for whose browsers did the sum each time
PURPOSE = "report"


class Elsewhere(Exception):
    """A link that leads to another site."""


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest) -> HttpResponse:
    """GET: the form. POST: 200 with the number of the report, 400 with what is missing, 429 where there were many."""
    link = (request.POST.get("link") or request.GET.get("link", "")).strip()
    try:
        publication = publication_at(link) if link else None
    except Elsewhere:
        words = gettext_lazy("This link leads to another site. We can look only at what is published here.")
        return ask_page(request, status=400, link=link, fault=words)
    if not link:
        return ask_page(request)
    if publication is None:
        words = gettext_lazy("Nothing is published at this address (any more). Is it complete?")
        return ask_page(request, status=404, link=link, fault=words)
    with page_in(language_of(publication, link), own=True):
        form = ReportForm(request.POST if request.method == "POST" else None)
        if request.method != "POST" or not form.is_valid():
            status = 400 if form.is_bound else 200
            return page("form", status=status, publication=publication, link=link, form=form)
        return taken(request, publication, link, form)


def taken(request: HttpRequest, publication: Publication, link: str, form: ReportForm) -> HttpResponse:
    said, network = form.cleaned_data, network_digest(request)
    if said["website"]:
        return page("sent", publication=publication, email="")
    try:
        solution = request.POST.get("altcha", "")
        proofs.check_flood(PURPOSE, network, solution, per=HOUR, limit=REPORTS, proved=PROVED_REPORTS)
    except RateExceeded as error:
        return too_many(publication, link, form, error)
    try:
        said_of_it = {name: said[name] for name in ("why", "words", "email")}
        case = actions.report(publication, **said_of_it, network=network, language=asked_language())
    except Conflict:
        return page("answered", status=409, publication=publication)
    return page("sent", publication=publication, case=case, email=said["email"])


def too_many(publication: Publication, link: str, form: ReportForm, error: RateExceeded) -> HttpResponse:
    """Who has an emergency can write; everybody else can come back. What was typed stands in the form still."""
    again = datetime.fromtimestamp(time.time() + (error.retry_after or 0), UTC)
    more = {"again": again, "challenge": proofs.challenge(PURPOSE)}
    response = page("form", status=429, publication=publication, link=link, form=form, **more)
    response["Retry-After"] = str(error.retry_after)
    return response


def ask_page(request: HttpRequest, *, status: int = 200, **more: object) -> HttpResponse:
    """Asks for the link, in the language of the address, as there is no capsule yet that has one."""
    with page_in(known(request.GET.get("language", "")), own=True):
        return page("ask", status=status, **more)


def page(name: str, *, status: int = 200, **context: object) -> HttpResponse:
    """Unbranded where a white-label capsule leads here."""
    publication = context.get("publication")
    unbranded = isinstance(publication, Publication) and publication.is_white_label
    context |= {"operator": settings.DEFAULT_FROM_EMAIL, "unbranded": unbranded}
    return keep_private(render(None, f"moderation/{name}.html", context, status=status))


def publication_at(link: str) -> Publication | None:
    """What a public link of this service, whole or its path alone, opens: live, or taken down by a case that is still
    going on. Raises Elsewhere.
    """
    try:
        parts = urlsplit(link)
        if (parts.scheme or parts.netloc) and origin(parts) != origin(urlsplit(settings.APP_URL)):
            raise Elsewhere
    except ValueError as error:
        raise Elsewhere from error
    path = PUBLIC_PATH.fullmatch(parts.path.removesuffix("/"))
    if path is None:
        return None
    published = Publication.objects.published()
    there = published.filter(story__workspace__name=path["workspace"], slug=path["slug"])
    found = there.select_related("live_bake", "story__workspace", "story__capsule__workspace")
    live = only(found.filter(pk__in=Publication.objects.live()))
    return live or only(found.filter(frozen_case__state__in=Case.GOING_ON))


def language_of(publication: Publication, link: str) -> str:
    """That of the capsule, or of the edition that the link names."""
    name = edition_in_query(urlsplit(link).query)
    editions = (
        Publication.objects.shown_editions_of([publication.story_id]) if name else Publication.objects.none()
    )
    edition = editions.select_related("live_bake").filter(story__edition_name=name).first()
    bake = (edition or publication).live_bake
    return str(bake.content["language"] if bake is not None else publication.story.language)


def network_digest(request: HttpRequest) -> str:
    """A keyed hash of where a request came from: it tells networks apart, and nobody which they are."""
    address = address_of(request.META).encode()
    return hmac.new(settings.SECRET_KEY.encode(), b"report " + address, hashlib.sha256).hexdigest()[:32]
