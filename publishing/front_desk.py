"""The front page of the admin: what needs attention, and finding anything by its link, address or id."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.http import HttpRequest
from django.urls import reverse

from accounts.admin_base import slug_in, workspace_in
from accounts.models import Connection, User, Workspace
from capsules.models import Encode, Story, Upload
from config import readiness
from config.ids import uuid_of
from config.json_types import JsonObject
from publishing.mail import pauses
from publishing.models import Case, Delivery, MailServer, Premiere, Publication, Subscriber

HITS = 8  # shown of each kind
FOUND_IN = (Case, Story, Publication, Workspace, User, Subscriber, Premiere, Connection)

Row = TypeVar("Row", bound=Model)

#: What each section is for, in the order of the page; models that are not named follow.
SECTIONS: dict[str, dict[str, str]] = {
    "Cases": {
        "publishing.Case": "Reports of readers, what was taken down, and appeals",
    },
    "Capsules": {
        "capsules.Story": "Capsules and editions: preview, publish, unpublish",
        "publishing.Publication": "Publications: what is live, where, and how often it was read",
        "feed.Pin": "Pins: what comes first in the showcase",
        "feed.Card": "What the lists show",
    },
    "Pictures and films": {
        "capsules.Asset": "Files of authors",
        "capsules.Upload": "Uploads: what came in, and what was refused",
        "capsules.Encode": "Encodes: pictures and films being made ready for readers",
        "capsules.Preview": "Previews: frozen drafts, as a publish takes them",
    },
    "Mail": {
        "publishing.Premiere": "Premieres: the one email about a capsule",
        "publishing.Delivery": "Deliveries: each email to each reader",
        "publishing.Subscriber": "Subscribers",
        "publishing.Suppression": "Closed addresses: nothing is sent to these",
        "publishing.MailServer": "The mail server: whether sending is paused",
    },
    "People": {
        "accounts.User": "Accounts",
        "accounts.Workspace": "Workspaces and their members",
        "auth.Group": "Groups of staff and what they may do",
        "accounts.ApiKey": "API keys of workspaces",
        "accounts.Application": "AI apps and other clients",
        "accounts.Connection": "Connected apps: which app acts for whom",
    },
    "On record": {
        "publishing.PublicationEvent": "What was published and unpublished, by whom",
        "publishing.Bake": "Published versions, as readers got them",
        "accounts.SecurityEvent": "Audit log: sign-ins, keys, members, rights",
    },
}


@dataclass(frozen=True)
class Concern:
    """Something that waits for a person. `url` leads to the rows; "" where there are none to open."""

    what: str
    count: int
    mend: str
    url: str = ""


def concerns(request: HttpRequest) -> list[Concern]:
    """What needs attention now, as far as this member of staff may see it."""
    return [concern for concern in all_concerns(request) if concern.count]


def all_concerns(request: HttpRequest) -> Iterator[Concern]:
    """In the order of the page; the count may be 0."""
    yield from sweeps()
    for model, found in CONCERNS.items():
        if may_see(request, model):
            yield from found()
    lapsed = lapsed_leases()
    mend = "A worker takes them over within a sweep. If this stays, look whether one is running."
    yield Concern("Work whose process died", lapsed, mend)


def sweeps() -> Iterator[Concern]:
    age = readiness.sweep_age()
    if age is None or age > readiness.late_after():
        since = "No sweep was made yet" if age is None else f"The last sweep was {age:.0f} seconds ago"
        yield Concern(since, 1, "Start the worker and the timer: encodes, mails and uploads wait for them.")


def waiting_cases() -> Iterator[Concern]:
    reported = Case.objects.filter(state=Case.State.OPEN).count()
    mend = "Look at the capsule beside the reports, then freeze or dismiss."
    yield Concern("Reported capsules", reported, mend, rows_of(Case, "state__exact=open"))
    appealed = Case.objects.filter(state=Case.State.APPEALED).count()
    mend = "Lift or uphold, where you are not the one who decided."
    yield Concern("Appeals", appealed, mend, rows_of(Case, "state__exact=appealed"))


def failed_encodes() -> Iterator[Concern]:
    failed = Encode.objects.filter(state=Encode.State.FAILED).count()
    mend = "Read the error, choose them and run “Try failed ones again”."
    yield Concern("Failed encodes", failed, mend, rows_of(Encode, "state__exact=failed"))


def waiting_premieres() -> Iterator[Concern]:
    held = Premiere.objects.held_for_staff().count()
    mend = "Choose them: release (send now) or cancel."
    yield Concern("Held premieres", held, mend, rows_of(Premiere, "state__exact=held"))
    lost = Delivery.objects.filter(premiere=OuterRef("pk")).uncertain()
    with_lost = Premiere.objects.filter(Exists(lost)).count()
    mend = (
        "Choose their premieres and run “Send uncertain deliveries again …”: some readers may get two emails."
    )
    yield Concern("Premieres with uncertain deliveries", with_lost, mend, rows_of(Premiere, "uncertain=yes"))


def paused_mail() -> Iterator[Concern]:
    if pause := pauses.pause():
        mend = f"{pause.reason} It tries again by itself; when it is mended, run “End the pause”."
        yield Concern("Mail is paused", 1, mend, rows_of(MailServer))


def suspended_workspaces() -> Iterator[Concern]:
    suspended = Workspace.objects.filter(suspended_at__isnull=False).count()
    mend = "Choose them and run “End the suspension”, once the reason is gone."
    yield Concern("Suspended workspaces", suspended, mend, rows_of(Workspace, "suspended_at__isempty=0"))


def refused_uploads() -> Iterator[Concern]:
    refused = Upload.objects.filter(state=Upload.State.REFUSED).count()
    mend = "Authors were told why. If many have the same reason, the fault may be ours."
    yield Concern("Refused uploads of the last week", refused, mend, rows_of(Upload, "state__exact=refused"))


#: In the order of the page; each is told to those who may see the rows of its model.
CONCERNS: dict[type[Model], Callable[[], Iterator[Concern]]] = {
    Case: waiting_cases,
    Encode: failed_encodes,
    Premiere: waiting_premieres,
    MailServer: paused_mail,
    Workspace: suspended_workspaces,
    Upload: refused_uploads,
}


def lapsed_leases() -> int:
    """How many publishes, encodes, upload checks and deliveries lost their worker."""
    encodes = Encode.objects.filter(state=Encode.State.RUNNING).lease_lapsed()
    uploads = Upload.objects.filter(state=Upload.State.CHECKING, lease_token__isnull=False).lease_lapsed()
    publishes = Publication.objects.lease_lapsed()
    return sum(rows.count() for rows in (publishes, encodes, uploads, Delivery.objects.lease_lapsed()))


def may_see(request: HttpRequest, model: type[Model]) -> bool:
    return admin.site.is_registered(model) and admin.site.get_model_admin(model).has_view_permission(request)


def rows_of(model: type[Model], query: str = "") -> str:
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    return f"{address}?{query}" if query else address


# --- One box ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hits:
    kind: str
    rows: list[tuple[str, str]]  # what it is, and its page
    more: str  # address of the whole list; "" where all are shown


def find(request: HttpRequest, term: str) -> list[Hits]:
    """Rows that a link, an address, an id or some words point at, as far as this member of staff may see them."""
    term = term.strip()
    kinds = (hits_in(request, model, term) for model in FOUND_IN if term and may_see(request, model))
    return [hits for hits in kinds if hits.rows]


def hits_in(request: HttpRequest, model: type[Model], term: str) -> Hits:
    model_admin = admin.site.get_model_admin(model)
    searched = workspace_in(term) if model is Workspace else slug_in(term)
    rows = list(by_id(model, term)) or list(by_words(request, model_admin, searched))
    meta = model._meta
    pages = [
        (str(row), reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk])) for row in rows
    ]
    more = rows_of(model, f"q={searched}") if len(rows) > HITS else ""
    return Hits(str(meta.verbose_name_plural).capitalize(), pages[:HITS], more)


def by_id(model: type[Model], term: str) -> Any:
    key = uuid_of(term)
    is_uuid = model._meta.pk is not None and model._meta.pk.get_internal_type() == "UUIDField"
    return model._default_manager.filter(pk=key) if key and is_uuid else []


def by_words(request: HttpRequest, model_admin: ModelAdmin[Row], term: str) -> QuerySet[Row]:
    rows, repeats = model_admin.get_search_results(request, model_admin.get_queryset(request), term)
    return (rows.distinct() if repeats else rows)[: HITS + 1]


def sections(app_list: list[JsonObject]) -> list[tuple[str, list[tuple[str, dict[str, object]]]]]:
    """The admin's pages by what they are for: (section, [(words, model of Django's list)])."""
    models = {model["model"]._meta.label: model for app in app_list for model in app["models"]}
    named = [
        (name, [(words, models.pop(label)) for label, words in lines.items() if label in models])
        for name, lines in SECTIONS.items()
    ]
    rest = [(str(model["name"]), model) for model in models.values()]
    return [section for section in (*named, ("More", rest)) if section[1]]
