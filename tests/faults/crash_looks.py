"""What tests.faults.crash_points looks at when a deed is over: whether every surface, row and mail says the same."""

from __future__ import annotations

import io
from collections import Counter
from typing import Any

#: What the history of a publication calls what the log tells.
HISTORY = {
    "published": "story.published",
    "republished": "story.republished",
    "restored": "story.republished",
    "unpublished": "story.unpublished",
}


def surfaces(world: Any, story: Any) -> list[str]:
    """Whether page, API, feed and sitemap show what the rows say: nothing, or this version under this link."""
    from feed.models import Card
    from publishing.models import Publication

    live = Publication.objects.live().select_related("live_bake").filter(story=story.pk).first()
    row = Publication.objects.filter(story=story.pk).first()
    shown = None if live is None else (live.slug, live.live_bake.content["title"])
    slug = row.slug if row is not None else None
    card = Card.objects.filter(publication__story=story.pk).values_list("slug", "title").first()
    said = {
        "rows": shown,
        "API": api(world, story, shown),
        "page": page(world, slug, shown),
        "feed's rows": tuple(card) if card else None,
        "feed": feed(story, shown),
        "sitemap": shown if sitemap_has(slug) == bool(shown) else "the contrary",
    }
    return [] if len(set(said.values())) == 1 else [f"they differ: {said}"]


def api(world: Any, story: Any, shown: Any) -> Any:
    """The API has no title: where link and state are right, it says what the rows say."""
    from django.test import Client

    from tests.support import factories

    if not type(story).objects.present().filter(pk=story.pk).exists():
        return shown
    told = factories.Api(Client(), world.owner).state(story).json()
    url = f"/north-shore/{shown[0]}" if shown else None
    return shown if (told["isPublished"], told["url"]) == (bool(shown), url) else str(told)


def page(world: Any, slug: str | None, shown: Any) -> Any:
    """By the layer of files, as readers get it; twice, so that the second may come from a file."""
    if slug is None:
        return None
    for _ in range(2):
        status, text = world.fetch(f"/north-shore/{slug}")
        if status.startswith("404"):
            found: Any = None
        elif status.startswith("200") and shown and f"<title>{shown[1]}" in text:
            found = shown
        else:
            found = (status, text.partition("<title>")[2][:60])
        if found != shown:
            return found
    return shown


def feed(story: Any, shown: Any) -> Any:
    from django.test import Client

    from tests.support import factories

    items = factories.Api(Client()).get("/feed?limit=50").json()["items"]
    found = [each for each in items if each["id"] == str(story.pk)]
    if len(found) > 1:
        return "twice"
    if not found:
        return None
    right = shown and found[0]["title"] == shown[1] and found[0]["path"] == f"/north-shore/{shown[0]}"
    return shown if right else str(found[0])[:200]


def sitemap_has(slug: str | None) -> bool:
    from django.test import Client

    from tests.support.sitemaps import whole_sitemap

    return bool(slug) and f"/north-shore/{slug}<" in whole_sitemap(Client())


def rows(world: Any, story: Any) -> list[str]:
    """Half-done things that no surface shows: leases, reserved slugs, versions, the history, the premiere."""
    from publishing.models import Bake, Premiere, Publication, PublicationEvent, Slug

    wrong = leases()
    if not type(story).objects.filter(pk=story.pk).exists():
        return wrong
    row = Publication.objects.filter(story=story.pk).select_related("live_bake").first()
    held = list(Slug.objects.filter(publication__story=story.pk).values_list("text", "lease_token"))
    if held != ([(row.slug, None)] if row is not None and row.slug else []):
        wrong.append(f"it holds the slugs {held}, its own is {row.slug if row else None}")
    told = [each for each in world.events(story) if each.type in HISTORY.values()]
    noted = PublicationEvent.objects.filter(story=story.pk, action__in=HISTORY).values_list(
        "action", "detail"
    )
    # One move to the trash is one event; the history has the unpublish that belongs to it.
    kept = Counter(HISTORY[action] for action, detail in noted if not detail.get("trashed"))
    if kept != Counter(each.type for each in told):
        wrong.append(f"the history has {dict(kept)}, the log {[each.type for each in told]}")
    versions = [each.data["version"] for each in told if "version" in each.data]
    bakes = sorted(Bake.objects.filter(story=story.pk).values_list("number", flat=True))
    if bakes != list(range(1, len(bakes) + 1)) or set(bakes) != set(versions):
        wrong.append(f"versions {bakes}, told of {versions}")
    if row is not None and row.live_bake is not None and row.live_bake.number != versions[-1]:
        wrong.append(f"version {row.live_bake.number} is live, told of {versions[-1]}")
    for premiere in Premiere.objects.filter(publication__story=story.pk):
        wrong += premiere_rows(world, premiere)
    return wrong


def premiere_rows(world: Any, premiere: Any) -> list[str]:
    """A mail went out once, or once at most where a process died between the mail server and the note of it."""
    title = premiere.publication.story.title
    sent = Counter(to for to, content in world.box.taken if f"{title}".encode() in content)
    states = dict(premiere.deliveries.values_list("email", "state"))
    wrong = [f"{to} got {count} mails of one premiere" for to, count in sent.items() if count > 1]
    if premiere.state == "done":
        wrong += [f"{to} is {state}" for to, state in states.items() if state not in ("sent", "uncertain")]
        wrong += [f"{to} has no mail" for to, state in states.items() if state == "sent" and not sent[to]]
        if len(states) != len(world.readers):
            wrong.append(f"{len(states)} deliveries for {len(world.readers)} readers")
    elif sent and premiere.state != "cancelled_partial":
        wrong.append(f"the premiere is {premiere.state}, but mails went out")
    return wrong


def leases() -> list[str]:
    """Rows that somebody still holds after the sweep. An uncertain mail keeps its token, without a time."""
    from django.apps import apps

    left = {}
    for model in apps.get_models():
        names = {field.name for field in model._meta.fields}
        for name in ("lease_until", "lease_token"):
            if name in names:
                left[model.__name__] = model._default_manager.exclude(**{name: None}).count()
                break
    return [f"a lease is left on {count} {name}" for name, count in left.items() if count]


def gaps(world: Any) -> list[str]:
    from accounts.events import numbering
    from accounts.models import WorkspaceEvent

    numbering.number_events(world.workspace.pk)
    rows = WorkspaceEvent.objects.filter(workspace=world.workspace).order_by("sequence")
    numbers = list(rows.values_list("sequence", flat=True))
    return [] if numbers == list(range(1, len(numbers) + 1)) else [f"gaps: {numbers}"]


def fetched(application: Any, path: str) -> tuple[str, str]:
    """Status and body of a page by a WSGI application."""
    from wsgiref.util import setup_testing_defaults

    environ: dict[str, Any] = {"PATH_INFO": path, "QUERY_STRING": "", "HTTP_HOST": "localhost"}
    setup_testing_defaults(environ)
    environ["wsgi.input"] = io.BytesIO()
    told: list[str] = []
    body = application(environ, lambda status, headers, *rest: told.append(status))
    try:
        return told[0], b"".join(body).decode()
    finally:
        getattr(body, "close", lambda: None)()
