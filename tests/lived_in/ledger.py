"""Fills the instance, and keeps what the walk needs of it: rows for addresses, cookies, tokens."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlencode

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.hashers import make_password
from django.contrib.contenttypes.models import ContentType
from django.db import connection

from accounts.actions import workspaces
from accounts.actors import Actor
from accounts.models import Connection, User, Workspace
from capsules.models import Story
from publishing.by_apps import notices
from publishing.models import (
    MailServer,
    Publication,
    PublishAsk,
    PublishNotice,
    Subscriber,
    SubscriptionRequest,
)
from publishing.subscribers import actions as subscribing
from tests.lived_in import crowd, people, states
from tests.lived_in.rows import Ledger, Row
from tests.support import factories


@dataclass
class Told:
    rows: Ledger = field(default_factory=dict)
    cookies: dict[str, people.Cookies] = field(default_factory=dict)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)


def live_in(subscribers: int, capsules: int) -> Told:
    """Fills an empty instance as a year of use does, and tells what is in it."""
    told = Told(facts={"password": factories.PASSWORD})
    rendered = factories.render_media()
    press = factories.make_workspace("north-shore", title="North Shore Press", plan="pro")
    harbour = factories.make_workspace("harbour", title="Harbour Letters", roles=["owner"])
    everybody = User.objects.filter(workspaces__in=[press, harbour])
    everybody.update(password=make_password(factories.PASSWORD))  # hashed once: it takes its time
    cast = {member.role: member.user for member in press.memberships.select_related("user")}
    by = Actor.by_token(cast["owner"])
    staff = people.staff()

    shelf = filled(states.Shelf(press, rendered, by))
    closed = people.suspended_workspace(cast["owner"], staff["staff"])
    behind = states.Shelf(closed, rendered, Actor.by_token(cast["owner"]))
    behind.put("suspended")
    behind.publish("suspended")
    behind.put("suspended draft", preview=False)
    workspaces.suspend(closed, by=staff["staff"])
    next_door = factories.make_story(harbour, rendered, title="Next door")

    media = states.pictures(press, 40)
    crowd.revisions_of(shelf.stories["changed"], 150)
    crowd.capsules_like(shelf.stories["live"], capsules)
    crowd.subscribers_of(press, subscribers)
    premieres = shelf.premieres()
    crowd.deliveries_of(premieres["done"], 2000)
    factories.make_heroes(rendered)
    factories.finish_clips(rendered)
    MailServer.objects.get_or_create(pk=1)
    subscribing.request_subscription(press, "perhaps@readers.example")

    stories = [*shelf.stories.values(), *behind.stories.values(), next_door]
    note_stories(told, stories)
    told.rows["taken down stories"] = [{"story": str(one.pk)} for one in behind.stories.values()]
    told.rows["suspended workspaces"] = [{"workspace": str(closed.pk)}]
    note_people(told, press, closed, cast, staff, by)
    note_files(told, media, states.uploads(press, by), shelf.stories["live"], by)
    note_public(told, press, list(premieres.values()))
    note_apps(told, press, cast["owner"])
    note_admin(told)
    note_queries(told, press)
    told.facts["live"] = str(shelf.stories["live"].pk)
    analyze()
    return told


def filled(shelf: states.Shelf) -> states.Shelf:
    """With a capsule in every state."""
    shelf.live()
    shelf.changed_since()
    shelf.away()
    shelf.half_made()
    shelf.rendering()
    shelf.editions()
    return shelf


def analyze() -> None:
    """Does what autovacuum does within a minute."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def note_stories(told: Told, stories: list[Story]) -> None:
    """Stories, and what belongs to each: at most two of a kind."""
    rows = told.rows
    rows["stories"] = [{"id": str(one.pk), "story": str(one.pk)} for one in stories]
    rows["scenes"] = [
        {"id": str(one.pk), "scene": str(scene.key)} for one in stories for scene in one.scenes.all()[:2]
    ]
    for kind, name in (("previews", "previews"), ("revisions", "revisions"), ("versions", "bakes")):
        rows[kind] = [
            {"id": str(one.pk), "story": str(one.pk), "number": str(each.number), "mode": mode}
            for one in stories
            for each, mode in zip(getattr(one, name).all()[:2], ("FULL", "TEASER"), strict=False)
        ]


def note_people(
    told: Told, press: Workspace, closed: Workspace, cast: dict[str, User], staff: dict[str, User], by: Actor
) -> None:
    """Everybody's cookies, fresh and aged, tokens and keys; and the rows that belong to people."""
    owner, rows = cast["owner"], told.rows
    people.spent_sessions(owner, 100)
    tokens = people.keys_of(press, owner)
    app = people.connected(owner)
    secrets = people.invitations(press, owner)
    key = people.security_key(staff["staff"])
    for who, user in {**cast, **staff}.items():
        for aged in (False, True):
            told.cookies[f"{who}, signed in last week" if aged else who] = people.signed_in(user, aged=aged)
    told.headers = {
        who: {"Authorization": f"Bearer {token}"} for who, token in people.bearer_tokens(cast).items()
    }
    told.headers["app"] = {"Authorization": f"Bearer {app.tokens['access_token']}"}
    told.headers |= {who: {"x-api-key": key} for who, key in tokens.items()}

    elsewhere = Workspace.objects.exclude(pk__in=[press.pk, closed.pk]).first()
    assert elsewhere
    rows["workspaces"] = [{"workspace": str(pk)} for pk in (press.pk, closed.pk, elsewhere.pk)]
    rows["examples"] = [{"workspace": str(press.pk), "name": "announcement"}]
    members = press.memberships.order_by("pk")  # first the owner, who walks through every row
    rows["members"] = [{"workspace": str(press.pk), "id": str(one.pk)} for one in members]
    rows["invitations"] = [{"workspace": str(press.pk), "id": str(one.pk)} for one in press.invitations.all()]
    rows["keys"] = [{"workspace": str(press.pk), "id": str(one.pk)} for one in press.api_keys.all()]
    rows["webhooks"] = [{"workspace": str(press.pk), "webhook": str(people.webhook(press, by).pk)}]
    rows["connections"] = [{"id": str(one.pk)} for one in Connection.objects.all()]
    rows["invitation links"] = [{"secret": secret} for secret in secrets]
    rows["people"] = [{"id": str(user.pk)} for user in [owner, staff["staff"]]]
    rows["security keys"] = [{"pk": str(key.pk)}]
    reset = {"uidb36": user_pk_to_url_str(owner), "key": default_token_generator.make_token(owner)}
    rows["reset links"] = [reset]
    told.facts["authorize"] = app.authorize_url().partition("?")[2]


def note_files(told: Told, media: list, uploads: list, story: Story, by: Actor) -> None:
    rows = told.rows
    rows["media"] = [{"id": str(one.pk)} for one in [media[0], media[-1]]]
    rows["uploads"] = [{"id": str(one.pk)} for one in uploads]
    rows["upload links"] = [
        {"secret": secret, "filename": "ferry at dawn.jpg"}
        for secret in states.upload_links(story.workspace, story, by)
    ]
    bake = Publication.objects.get(story=story).live_bake
    assert bake
    rows["blobs"] = [{"name": name} for name in sorted(bake.blobs())]


def note_apps(told: Told, press: Workspace, owner: User) -> None:
    """What an app made public, and what one asks for."""
    live = Publication.objects.filter(story__workspace=press, published_at__isnull=False).first()
    assert live and live.published_at
    notice = PublishNotice.objects.create(
        story=live.story, user=owner, app="Ink", published_at=live.published_at
    )
    asked = PublishAsk.objects.create(
        story=live.story, user=owner, app="Ink", credential="connection:1", wishes={"slug": "tides"}
    )
    links = [notices.stop_address(notice, stop) for stop in notices.STOPS]
    told.rows["links that stop"] = [{"signed": link.rpartition("/")[2]} for link in links]
    told.rows["notices of apps"] = [{"notice": str(notice.pk)}]
    told.rows["questions of apps"] = [{"ask": str(asked.pk)}]


def note_public(told: Told, press: Workspace, premieres: list) -> None:
    """What has an address of its own without a login."""
    rows = told.rows
    live = Publication.objects.filter(slug__isnull=False).select_related("story__workspace")
    named = [one for one in live if not one.slug.startswith("crowd-")]
    named.sort(key=lambda one: one.slug != "small-voyages")
    rows["pages"] = [{"workspace": one.story.workspace.name, "slug": str(one.slug)} for one in named]
    rows["publications"] = [{"publication": str(one.pk)} for one in named]
    names = [press.name, *Workspace.objects.exclude(pk=press.pk).values_list("name", flat=True)]
    rows["names"] = [{"name": name} for name in names]
    rows["profiles"] = [{"workspace": name} for name in names]
    rows["premieres"] = [
        {"workspace": str(press.pk), "premiere": str(one.pk), "pk": str(one.pk), "mode": mode}
        for one in premieres
        for mode in ("FULL", "TEASER")
    ]
    asked = SubscriptionRequest.objects.filter(workspace=press)
    rows["subscription requests"] = [{"token": one.token} for one in asked]
    readers = Subscriber.objects.filter(workspace=press).order_by("pk")
    left = readers.filter(unsubscribed_at__isnull=False)
    rows["subscribers"] = [{"token": one.token} for one in (readers[0], left[0])]
    rows["sitemap sections"] = [{"first": "0"}]
    rows["api"] = [{"_0": "/"}, {"_0": "/v1/stories"}]


def note_admin(told: Told) -> None:
    """For each model of the admin its first and its last row."""
    rows = told.rows
    rows["nothing"] = [{"url": "nothing/of/this/name/"}]
    rows["admin apps"] = [
        {"app_label": label} for label in sorted({m._meta.app_label for m in admin.site._registry})
    ]
    for model in admin.site._registry:
        keys = model._default_manager.order_by("pk").values_list("pk", flat=True)
        ends = dict.fromkeys(str(pk) for pk in (keys.first(), keys.last()) if pk is not None)
        rows[f"admin {model._meta.label_lower}"] = [{"object_id": pk} for pk in ends]
    publication = Publication.objects.filter(published_at__isnull=False).order_by("pk").first()
    assert publication
    kind = ContentType.objects.get_for_model(Publication)
    rows["objects"] = [{"content_type_id": str(kind.pk), "object_id": str(publication.pk)}]


def note_queries(told: Told, press: Workspace) -> None:
    """Addresses that say something only with a query."""
    page = f"{settings.APP_URL}/{press.name}/small-voyages"
    found: dict[str, list[str]] = {
        "/oembed": [urlencode({"url": page}), urlencode({"url": page, "format": "xml"})],
        "/studio/qr": [urlencode({"url": page})],
        "/oauth/authorize": [told.facts["authorize"]],
        "/{workspace}/{slug}": ["edition=translated", "edition=no-such"],
        "/studio/stories/{story}/preview/{number}": ["as=card", "as=phone", "as=embed"],
        "/studio/stories/{story}/preview/{number}/frame": ["as=embed"],
        "/api/v2/feed": ["limit=50", "limit=0"],
        "/api/v2/stories/{id}/premiere/letter": ["mode=FULL", "mode=TEASER"],
        "/account/workspaces/{workspace}/name-check": ["name=north-shore"],
        "/account/login/": ["next=/admin/"],
        "/account/signup/": ["next=/studio"],
    }
    for model in admin.site._registry:
        label = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        found[label] = ["q=reader1", "o=-1", "p=1"]
    told.rows["queries"] = [Row(template=path, query=query) for path, each in found.items() for query in each]
