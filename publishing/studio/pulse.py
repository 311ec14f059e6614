"""The pulse: what open editors of a draft ask every few seconds, in a few small queries; 304 where nothing moved."""

from __future__ import annotations

import hashlib
import json
import uuid
from datetime import timedelta

from django.db.models import Prefetch, Q
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified, JsonResponse
from django.utils import timezone
from django.utils.http import parse_etags
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.pages.base import actor_in
from capsules.models import EditingSession, Encode, Story, Upload
from config.ids import uuid_of
from config.json_types import JsonObject
from publishing import unpublished
from publishing.models import Premiere, Publication
from publishing.states import publication_target, publications_of, states_among
from publishing.studio.base import story_for, studio_page

SEEN_FOR = timedelta(seconds=60)  # how long an editor counts as open after its last beat
NOTE_EVERY = timedelta(seconds=10)  # presence is written at most this often
MOST_TABS = 20  # of one person in one story: of more none is noted
UNFINISHED = (Encode.State.QUEUED, Encode.State.RUNNING)


@studio_page
@require_safe
def pulse(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    """`{revision, encodes, uploads, preview, publication, premiere, others}`; `?tab=` and `?scene=` tell who asks from
    where.
    """
    found = story_for(request, story)
    user = actor_in(request).user
    tab = uuid_of(request.GET.get("tab"))
    open_now = Q(seen_at__gt=timezone.now() - SEEN_FOR) | Q(tab=tab)
    sessions = list(found.editing_sessions.filter(open_now).select_related("user", "scene").order_by("pk"))
    if tab:
        note_presence(found, user, tab, uuid_of(request.GET.get("scene")), sessions)
    body = {
        "revision": found.revision,
        "encodes": rendering_of(found),
        "uploads": coming_to(found),
        "preview": preview_of(found),
        **publication_news(found),
        "others": others_in(sessions, user),
    }
    etag = '"' + hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:32] + '"'
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        return HttpResponseNotModified(headers={"ETag": etag})
    return JsonResponse(body, headers={"ETag": etag})


def note_presence(
    story: Story, user: User, tab: uuid.UUID, scene_key: uuid.UUID | None, sessions: list[EditingSession]
) -> None:
    """Notes that this tab is open, and at which scene; one statement, and only where it says something new."""
    now = timezone.now()
    row = next((each for each in sessions if each.tab == tab), None)
    if row is not None and row.user_id != user.pk:
        return
    scene_before = row.scene.key if row and row.scene else None
    if row is not None and row.seen_at >= now - NOTE_EVERY and scene_before == scene_key:
        return
    if row is None and sum(each.user_id == user.pk for each in sessions) >= MOST_TABS:
        return
    scene = story.scenes.filter(key=scene_key).values_list("pk", flat=True).first() if scene_key else None
    if row is None:
        EditingSession.objects.get_or_create(
            story=story, tab=tab, defaults={"user": user, "scene_id": scene, "seen_at": now}
        )
    elif row.scene_id != scene or row.seen_at < now - NOTE_EVERY:
        EditingSession.objects.filter(pk=row.pk).update(scene=scene, seen_at=now)


def others_in(sessions: list[EditingSession], user: User) -> list[JsonObject]:
    """The other people who have this story open, and the key of the scene that they see; not one's own tabs."""
    oldest = timezone.now() - SEEN_FOR
    rows = [row for row in sessions if row.seen_at > oldest and row.user_id != user.pk]
    return [
        {"name": row.user.get_full_name(), "scene": str(row.scene.key) if row.scene else None} for row in rows
    ]


def rendering_of(story: Story) -> dict[str, JsonObject]:
    """By scene, what is being rendered or waits for it: {part: {state, percent, error}}."""
    waits = Q(still_encode__state__in=UNFINISHED) | Q(animation_encode__state__in=UNFINISHED)
    scenes = story.scenes.filter(waits | Q(settle_at__isnull=False, still__isnull=False))
    told = {}
    for scene in scenes.select_related("still_encode", "animation_encode"):
        parts = {"still": scene.still_encode, "animation": scene.animation_encode}
        busy = {
            name: {"state": encode.state, "percent": encode.progress, "error": encode.error or None}
            for name, encode in parts.items()
            if encode is not None and encode.state in UNFINISHED
        }
        if scene.settle_at is not None and scene.still_id:
            for name in parts if scene.animation else ["still"]:
                busy.setdefault(name, {"state": "queued", "percent": 0, "error": None})
        told[str(scene.key)] = busy
    return told


def coming_to(story: Story) -> list[JsonObject]:
    """The files that are on their way to its scenes, from whichever device."""
    rows = Upload.objects.under_way().filter(story=story, scene__deleted_at__isnull=True)
    return [
        {
            "id": str(upload.pk),
            "scene": str(upload.scene.key),
            "filename": upload.filename,
            "state": upload.state,
            "percent": upload.percent,
        }
        for upload in rows.select_related("scene").order_by("created_at", "pk")
        if upload.scene
    ]


def preview_of(story: Story) -> JsonObject | None:
    encodes = Prefetch("encodes", Encode.objects.only("state", "progress"))
    preview = story.previews.defer("content").prefetch_related(encodes).order_by("-number").first()
    if preview is None:
        return None
    return {"number": preview.number, "state": preview.state, "percent": preview.progress}


def publication_news(story: Story) -> JsonObject:
    """What became of its publication and premiere; `url`: where readers find it, None where they do not; `isChanged`:
    whether a publish would show them something new; `busy`: whether it is being published.
    """
    known = publications_of([story])
    own, shared = (known.get(each.pk, Publication()) for each in (story, publication_target(story)))
    premiere: Premiere | None = getattr(own, "premiere", None)
    return {
        "publication": {
            "url": states_among(known, [story])[story.pk].url,
            "isChanged": own.live_bake_id is not None and unpublished.has_changes(story),
            "busy": shared.lease_until is not None and shared.lease_until > timezone.now(),
        },
        "premiere": {"state": premiere.state} if premiere else None,
    }
