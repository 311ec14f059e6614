"""Where pages tell what was read: POST by their script, and GET by an image where there is no script.

Whatever is told counts at most as one reader of this network and day, for what is live and in the bake that is named.
"""

from __future__ import annotations

import base64
import re
import time
import uuid
from collections.abc import Collection, Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from config.ids import number_of
from publishing.models import Bake, Publication, SceneOrder, Surface
from publishing.pages.serving import EDITION
from publishing.statistics.counting import Page
from publishing.statistics.notebook import Told, notebook
from publishing.statistics.robots import is_robot
from publishing.statistics.sums import FINISHED, OPENED, READ

LONGEST = 2048  # bytes
MOST_BAKES = 2000  # whose scenes are remembered
MOST_LIVE = 2000  # publications that are known to be live, or not, for a second
HOST = re.compile(r"(?=[a-z0-9.-]{4,253}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]")
#: A picture of one clear dot.
NOTHING = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
UNKEPT = {"Cache-Control": "no-store"}


@csrf_exempt
@require_http_methods(["GET", "POST"])
def told(request: HttpRequest, publication: int) -> HttpResponse:
    """204, or the picture; 400 for what no page of ours says; 403 for a page of another site; 404 for nothing live."""
    if request.method == "GET":
        return told_by_image(request, publication)
    body = request.read(LONGEST + 1)
    if len(body) > LONGEST:
        return refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    fields = QueryDict(body.decode(errors="replace"))
    if not is_our_page(request, fields):
        return refused(HTTPStatus.FORBIDDEN)
    return note(request, publication, fields) or HttpResponse(status=HTTPStatus.NO_CONTENT, headers=UNKEPT)


def told_by_image(request: HttpRequest, publication: int) -> HttpResponse:
    """What a page or an embed tells without script: that it was opened."""
    if not is_image_of_ours(request):
        return refused(HTTPStatus.FORBIDDEN)
    answer = HttpResponse(NOTHING, content_type="image/gif", headers=UNKEPT)
    if "prefetch" in request.headers.get("Sec-Purpose", request.headers.get("Purpose", "")):
        return answer
    fields = {name: request.GET.get(name, "") for name in ("b", "e")}
    is_embed = request.GET.get("s") == Surface.EMBED.label
    fields |= {"s": Surface.EMBED.label if is_embed else Surface.PAGE.label, "o": "1"}
    return note(request, publication, fields) or answer


def note(request: HttpRequest, publication: int, fields: Mapping[str, str]) -> HttpResponse | None:
    """Notes what the fields tell; what is refused where they are none of ours. Raises Http404."""
    if is_robot(request.headers.get("User-Agent", "")):  # before anything is asked of the database
        return None
    live = live_in(int(time.monotonic()), publication)
    if live is None:
        raise Http404
    number, surface = number_of(fields.get("b", "")), surface_of(fields.get("s", ""))
    edition = edition_told(live, fields.get("e", ""))
    places = places_of(edition.pk, edition.story, number) if edition and number else None
    if edition is None or surface is None or places is None:
        return refused(HTTPStatus.BAD_REQUEST)
    facts = facts_of(places, fields)
    if facts:
        host = "" if "1" in request.headers.get("Sec-GPC", "") else source_host(fields.get("h", ""))
        notebook.saw(Told(Page(live.pk, edition.pk), live.time_zone, surface, facts, host), request.META)
    return None


def is_our_page(request: HttpRequest, fields: Mapping[str, str]) -> bool:
    """Whether a browser does not say that another site sends it. A frame that its site holds tight has no origin."""
    origin = request.headers.get("Origin")
    if origin == "null":
        return fields.get("s") == Surface.EMBED.label
    return origin is None or origin in own_origins(request)


def is_image_of_ours(request: HttpRequest) -> bool:
    """Whether the browser says that a page of ours shows the image: any page may name its address. Browsers that are
    older than the header name the page itself, so who names none is not counted.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin"
    return "/".join(request.headers.get("Referer", "").split("/")[:3]) in own_origins(request)


def own_origins(request: HttpRequest) -> tuple[str, ...]:
    return settings.APP_URL, f"{request.scheme}://{request.get_host()}"


def surface_of(label: str) -> int | None:
    return next((surface.value for surface in Surface if surface.label == label), None)


class Live(NamedTuple):
    """A publication that readers can open; `time_zone` is its workspace's."""

    pk: int
    story: uuid.UUID
    time_zone: str


@lru_cache(MOST_LIVE)
def live_in(second: int, publication: int) -> Live | None:
    """What was live when it was first asked in this second, so that a flood asks the database once."""
    found = Publication.objects.live().filter(pk=publication)
    told = found.values_list("pk", "story_id", "story__workspace__time_zone").first()
    return Live(*told) if told else None


def edition_told(live: Live, name: str) -> Live | None:
    """The edition that is read through a publication; "" is the default one."""
    if not name:
        return live
    if not EDITION.fullmatch(name):  # the body is our own to check
        return None
    shown = Publication.objects.shown_editions_of([live.story]).filter(story__edition_name=name)
    told = shown.values_list("pk", "story_id").first()
    return Live(*told, live.time_zone) if told else None


@lru_cache(MOST_BAKES)
def scenes_told(edition: int, story: uuid.UUID, number: int) -> tuple[int, ...]:
    """Where each scene of a bake is in the edition's `SceneOrder`, which learns of new ones.

    Raises Bake.DoesNotExist.
    """
    keys = Bake.objects.select_related("preview").get(story=story, number=number).scene_keys()
    with transaction.atomic():
        order, _ = SceneOrder.objects.select_for_update().get_or_create(edition_id=edition)
        new = [key for key in keys if key not in order.keys]
        if new:
            order.keys = [*order.keys, *new]
            order.save(update_fields=["keys"])
    return tuple(order.keys.index(key) for key in keys)


def places_of(edition: int, story: uuid.UUID, number: int) -> tuple[int, ...] | None:
    try:
        return scenes_told(edition, story, number)
    except Bake.DoesNotExist:
        return None


def facts_of(places: Collection[int], fields: Mapping[str, str]) -> frozenset[str]:
    """What a reader did, as facts. Scenes that the bake does not have are left out.

    Who reaches a scene has it open: who reads on after midnight is a reader of the new day too, and no day has
    more readers who finished than who opened.
    """
    by_number = dict(enumerate(places, start=1))
    numbers = {
        int(number) for number in fields.get("k", "").split(",") if number_of(number)
    } & by_number.keys()
    if not numbers and fields.get("o") != "1":
        return frozenset()
    numbers |= {1} & by_number.keys()
    facts = {OPENED, *(str(by_number[number]) for number in numbers)}
    facts |= {READ} if 2 in numbers else set()
    facts |= {FINISHED} if len(by_number) in numbers else set()
    return frozenset(facts)


def source_host(told: str) -> str:
    """The site that a reader came from, without a port; "" for none, our own, and what is no name on the internet."""
    host = told.lower().partition(":")[0].removeprefix("www.")
    if not HOST.fullmatch(host) or host in own_hosts():
        return ""
    return host


def own_hosts() -> set[str]:
    ours = {settings.APP_URL.partition("://")[2].partition(":")[0].removeprefix("www.")}
    return ours | {host.lstrip(".").removeprefix("www.") for host in settings.ALLOWED_HOSTS}


def refused(status: HTTPStatus) -> HttpResponse:
    words = "Pages of capsules tell here what is read of them. This was none of what they tell.\n"
    return HttpResponse(words, "text/plain; charset=utf-8", status, headers=UNKEPT)
