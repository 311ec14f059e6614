"""What tools tell of pictures and films, and how they show them to a model; all in this process."""

from __future__ import annotations

import base64
import io
import random
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone
from PIL import Image

from accounts.actors import Actor
from accounts.mcp.tools import QUOTED
from accounts.models import Workspace
from accounts.models.digests import digest_of
from capsules import storage
from capsules.mcp import media
from capsules.mcp.media import add_media_from_url, create_upload_link, get_media, view_picture
from capsules.models import Asset, Encode, Scene, Story, Upload, UploadLink
from config.errors import Conflict, Locked
from tests.support import factories
from tests.support.tools import ask, call, refusal

pytestmark = pytest.mark.django_db(transaction=True)

NO_ASSET = {
    "error": "There is no such picture or film.",
    "next": "get_media tells the media_id of an upload, and lists the newest files.",
}


def asset(workspace: Workspace, name: str, **fields: Any) -> Asset:
    facts = {"kind": "picture", "width": 640, "height": 480, "filename": f"{name}.png", **fields}
    return Asset.objects.create(workspace=workspace, name=f"ab/{name}", **facts)


def upload(by: Actor, workspace: Workspace, **fields: Any) -> Upload:
    facts = {"kind": "picture", "filename": "a.png", "state": "receiving", **fields}
    expires_at = timezone.now() + timedelta(hours=1)
    return Upload.objects.create(workspace=workspace, created_by=by.user, expires_at=expires_at, **facts)


# --- Sending ---------------------------------------------------------------------------------------------------


def test_a_file_is_fetched_as_what_the_app_says_it_is(annexe, north_shore, by):
    url = "https://pictures.example/album/moon.png?size=1"
    told = call(add_media_from_url, by, url=url, kind="film", workspace=str(annexe.pk))
    found = Upload.objects.get()
    assert told == {"upload": str(found.pk), "state": "checking", "retry_after": 2}
    assert (found.kind, found.filename, found.source_url, found.workspace) == (
        "film",
        "moon.png",
        url,
        annexe,
    )
    call(add_media_from_url, by, url=url, kind="picture")
    assert Upload.objects.latest("created_at").workspace == north_shore
    for address in ("ftp://pictures.example/a.png", "http://[::1/a.png"):
        refused = refusal(add_media_from_url, by, url=address, kind="picture")
        assert [each["path"] for each in refused["details"]] == ["url"] and Upload.objects.count() == 2


@pytest.mark.parametrize("tool, given", [
    (add_media_from_url, {"url": "https://a.example/a.png", "kind": "picture"}),
    (create_upload_link, {}),
])  # fmt: skip
def test_nothing_is_sent_by_a_viewer_or_to_a_suspended_workspace(tool, given, person, by, north_shore):
    viewer = Actor.by_token(person("viewer"))
    assert refusal(tool, viewer, **given)["error"] == "Your role in this workspace does not allow writing."
    Workspace.objects.filter(pk=north_shore.pk).update(suspended_at=timezone.now())
    assert refusal(tool, by, **given) == {
        "error": "This workspace is suspended. Nothing can be changed in it.",
        "next": "Tell the person; trying again soon changes nothing.",
    }
    assert not Upload.objects.exists() and not UploadLink.objects.exists()


def test_an_upload_link_is_for_an_hour_and_for_a_workspace_or_a_capsule(annexe, north_shore, by):
    began = timezone.now()
    told = call(create_upload_link, by)
    link = UploadLink.objects.get()
    secret = told["url"].removeprefix(f"{settings.APP_URL}/studio/up/")
    assert link.digest == digest_of(secret)
    assert told == {
        "url": told["url"],
        "curl": f"curl -T FILE {told['url']}/FILE",
        "expires_at": link.expires_at.isoformat(timespec="seconds"),
    }
    assert timedelta(minutes=59) < link.expires_at - began < timedelta(minutes=61)
    assert (link.workspace, link.story, link.created_by) == (north_shore, None, by.user)
    story = factories.make_draft(annexe)
    call(create_upload_link, by, story=str(story.pk))
    link = UploadLink.objects.latest("created_at")
    assert (link.workspace, link.story) == (annexe, story)
    assert refusal(create_upload_link, by, story="x")["error"] == "There is no such story."
    call(create_upload_link, by, workspace=str(annexe.pk))
    assert UploadLink.objects.filter(workspace=annexe).count() == 2


# --- What became of files --------------------------------------------------------------------------------------


def test_an_upload_is_told_by_its_state(still, north_shore, by):
    def told(**fields: Any) -> dict[str, Any]:
        found = upload(by, north_shore, **fields)
        answer = call(get_media, by, upload=str(found.pk))
        assert answer.pop("upload") == str(found.pk)
        return answer

    waits = {"media_id": None, "error": None, "filename": "a.png", "retry_after": 2}
    assert told() == {"state": "receiving", **waits}
    assert told(state="checking") == {"state": "checking", **waits}
    refused = {"state": "refused", "media_id": None, "error": "No picture.", "filename": "a.png"}
    assert told(state="refused", error="No picture.") == refused
    about = {"kind": "picture", "filename": still.filename, "width": still.width, "height": still.height}
    ready = {"state": "ready", "media_id": str(still.pk), "error": None, **about}
    assert told(state="ready", asset=still) == ready
    assert told(state="ready", asset=still, note="Made smaller.") == {**ready, "note": "Made smaller."}
    assert call(get_media, by, media=str(still.pk)) == ready


def test_files_of_others_and_deleted_ones_are_none(still, harbour, by):
    theirs, sent = asset(harbour, "theirs"), upload(by, harbour)
    none = "There is no such upload."
    assert refusal(get_media, by, upload=str(sent.pk))["error"] == none
    told = refusal(get_media, by, upload="https://capsules.example/studio/up/secret")
    assert (told["error"], told["next"].endswith("goes into link.")) == (none, True)
    for each in (str(theirs.pk), "x"):
        assert refusal(get_media, by, media=each) == NO_ASSET
        assert refusal(view_picture, by, media=each) == NO_ASSET
    Asset.objects.filter(pk=still.pk).update(deleted_at=timezone.now())
    assert refusal(get_media, by, media=str(still.pk)) == NO_ASSET


@pytest.mark.parametrize("given", [{"upload": "x", "media": "x"}, {"media": "x", "link": "x"}])
def test_one_file_is_asked_about_in_one_way(given, north_shore, by):
    one = [{"path": "upload", "message": "Give one of upload, media and link."}]
    assert refusal(get_media, by, **given)["details"] == one


def test_what_came_by_a_link_is_told_the_newest_first(north_shore, annexe, by, person):
    address = call(create_upload_link, by)["url"]
    link, other = UploadLink.objects.get(), call(create_upload_link, by, workspace=str(annexe.pk))["url"]
    for number in range(22):
        upload(by, north_shore, link=link, filename=f"{number}.png")
    upload(by, north_shore, filename="by another way.png")
    told = call(get_media, by, link=f"{address}/")["newest"]
    assert [each["filename"] for each in told] == [f"{number}.png" for number in range(21, 1, -1)]
    assert set(told[0]) == {"upload", "state", "media_id", "error", "filename", "retry_after"}
    assert call(get_media, by, link=other) == {"newest": []}
    none = {"error": "There is no such upload link.", "next": "Give the url that create_upload_link told."}
    assert refusal(get_media, by, link="x") == none
    assert refusal(get_media, Actor.by_token(person("stranger")), link=address) == none


def test_the_newest_twenty_files_of_a_workspace_are_told_each_once(north_shore, annexe, by):
    began = timezone.now()

    def moment(hours: int) -> Any:
        return began - timedelta(hours=hours)

    old = asset(north_shore, "library", created_at=moment(50))
    twice = asset(north_shore, "twice", created_at=moment(9))
    for hours in (8, 3):
        upload(by, north_shore, state="ready", asset=twice, created_at=moment(hours))
    upload(by, north_shore, filename="on its way.png", created_at=moment(5))
    asset(north_shore, "alone", created_at=moment(4))
    asset(annexe, "elsewhere")
    upload(by, annexe, filename="elsewhere.png")
    told = call(get_media, by)["newest"]
    assert [each["filename"] for each in told] == ["twice.png", "alone.png", "on its way.png", "library.png"]
    assert told[-1] == {
        "state": "ready",
        "media_id": str(old.pk),
        "error": None,
        "kind": "picture",
        "filename": "library.png",
        "width": 640,
        "height": 480,
    }
    assert "upload" in told[0] and "upload" not in told[1]
    assert [each["filename"] for each in call(get_media, by, workspace=str(annexe.pk))["newest"]] == [
        "elsewhere.png",
        "elsewhere.png",
    ]
    for number in range(20):
        asset(north_shore, f"more-{number}", created_at=moment(20 + number))
    told = call(get_media, by)["newest"]
    assert len(told) == 20 and told[-1]["filename"] == "more-16.png"


# --- Looking ---------------------------------------------------------------------------------------------------


def looked_at(by: Actor, **arguments: Any) -> tuple[Image.Image, str, dict[str, Any]]:
    told = ask(view_picture, by, **arguments)
    assert not told.is_error, told.content
    picture, words = told.content
    assert picture.mime_type == "image/jpeg"
    return Image.open(io.BytesIO(base64.b64decode(picture.data))), words.text, told.structured_content


def test_a_picture_of_a_scene_is_shown_with_its_words_and_its_focus(ready_story, by):
    scene = ready_story.scenes.first()
    Scene.objects.filter(pk=scene.pk).update(focus_x=0.2, focus_y=0.7)
    shown, words, told = looked_at(by, scene=str(scene.key))
    size = f"{shown.width} x {shown.height} pixels."
    assert words == f"{QUOTED}\n{size} Its alt text now: Picture 1."
    assert told == {"width": shown.width, "height": shown.height, "alt": "Picture 1.", "focus": [0.2, 0.7]}
    assert shown.size == (640, 360)
    Scene.objects.filter(pk=scene.pk).update(alt="")
    _, words, told = looked_at(by, scene=str(scene.key), crop="landscape")
    assert words == f"{QUOTED}\n640 x 360 pixels. It has no alt text: write one with update_scene."
    assert told["alt"] == ""


def test_a_file_is_shown_without_a_scene(ready_story, still, by):
    Asset.objects.filter(pk=still.pk).update(still_encode=ready_story.scenes.first().still_encode)
    shown, words, told = looked_at(by, media=str(still.pk))
    assert words == f"{QUOTED}\n{shown.width} x {shown.height} pixels."
    assert (told["alt"], told["focus"]) == ("", [0.5, 0.5])
    tall, _, _ = looked_at(by, media=str(still.pk), crop="portrait")
    assert tall.size == (202, 360)


def test_a_film_is_shown_by_its_first_still(ready_story, still, by, north_shore):
    film = factories.shared_film(north_shore)
    waits = {
        "error": "The picture is still being prepared.",
        "next": "Try again in 3 seconds.",
        "retry_after": 3,
    }
    assert refusal(view_picture, by, media=str(film.pk)) == waits
    Asset.objects.filter(pk=still.pk).update(
        poster_of=film, still_encode=ready_story.scenes.first().still_encode
    )
    assert looked_at(by, media=str(film.pk))[0].size == (640, 360)
    Asset.objects.filter(pk=still.pk).update(deleted_at=timezone.now())
    assert refusal(view_picture, by, media=str(film.pk)) == waits


def test_a_scene_or_a_file_is_looked_at_and_not_both(ready_story, by, person):
    either = [{"path": "scene", "message": "Give either scene or media."}]
    scene = ready_story.scenes.first()
    assert refusal(view_picture, by)["details"] == either
    assert refusal(view_picture, by, scene=str(scene.key), media="x")["details"] == either
    none = "There is no such scene."
    assert refusal(view_picture, by, scene="x")["error"] == none
    assert refusal(view_picture, Actor.by_token(person("stranger")), scene=str(scene.key))["error"] == none
    Story.objects.filter(pk=ready_story.pk).update(deleted_at=timezone.now())
    assert refusal(view_picture, by, scene=str(scene.key))["error"] == none


def test_a_scene_without_a_picture_or_with_a_broken_one_says_what_to_do(ready_story, by):
    scene = ready_story.scenes.first()
    Encode.objects.filter(pk=scene.still_encode_id).update(state="failed", error="It is broken.")
    assert refusal(view_picture, by, scene=str(scene.key)) == {
        "error": "It is broken.",
        "next": "Give the scene another picture with update_scene.",
    }
    film = factories.shared_film(ready_story.workspace)
    Scene.objects.filter(pk=scene.pk).update(still=None, film=film)
    assert refusal(view_picture, by, scene=str(scene.key)) == {
        "error": "This scene has no picture yet.",
        "next": "Give it one with update_scene, by media_id or media_url.",
    }


def test_while_a_scene_is_drawn_the_file_itself_is_shown_but_not_as_phones_crop_it(ready_story, still, by):
    scene = ready_story.scenes.first()
    Asset.objects.filter(pk=still.pk).update(still_encode=scene.still_encode)
    drawn = Encode.objects.create(
        kind="still", recipe="new", sources=[], state="running", progress=9, outputs=None
    )
    Scene.objects.filter(pk=scene.pk).update(still_encode=drawn)
    for crop in ("whole", "landscape"):
        looked_at(by, scene=str(scene.key), crop=crop)
    waits = refusal(view_picture, by, scene=str(scene.key), crop="portrait")
    assert waits["error"] == "The picture is still being prepared."
    Scene.objects.filter(pk=scene.pk).update(still_encode=scene.still_encode)
    Asset.objects.filter(pk=still.pk).update(still_encode=drawn)
    assert looked_at(by, scene=str(scene.key))[2]["alt"] == "Picture 1.", "what was drawn is shown"


def test_the_smallest_picture_that_is_wide_enough_is_shown():
    def named(*widths: int, role: str = "landscape", form: str = "jpeg") -> list[dict[str, Any]]:
        return [{"role": role, "format": form, "width": w, "name": f"{role}-{w}.{form}"} for w in widths]

    def shown(crop: Any, *pictures: list[dict[str, Any]]) -> str:
        outputs = {"renditions": [each for every in pictures for each in every]}
        return media.rendition(Encode(state="done", outputs=outputs), crop)

    wide, tall = named(320, 960, 640, 1280), named(360, 720, 1080, role="portrait")
    others = named(640, form="webp")
    assert shown("whole", others, wide, tall) == "landscape-640.jpeg"
    assert shown("landscape", named(320, 960, 1280), others) == "landscape-960.jpeg"
    assert shown("whole", named(320, 480)) == "landscape-480.jpeg"
    assert shown("portrait", wide, tall) == "portrait-720.jpeg"
    with pytest.raises(Locked):
        shown("portrait", wide)
    with pytest.raises(Locked):
        media.rendition(None, "whole")
    with pytest.raises(Conflict):
        media.rendition(Encode(state="failed", error="Broken."), "whole")


@pytest.fixture
def small(tmp_path):
    """What a model gets of a picture: its bytes, its size, and itself."""

    def of(picture: Image.Image, crop: Any = "whole", focus: Any = (0.5, 0.5)) -> tuple[bytes, Any, Any]:
        picture.save(tmp_path / "picture.png")
        name = storage.put(storage.blobs(), tmp_path / "picture.png", "png")
        content, size = media.small_jpeg(name, crop, focus)
        return content, size, Image.open(io.BytesIO(content))

    return of


def test_a_picture_is_made_small_enough_by_its_size_and_its_quality(small):
    pixels = random.Random(1).randbytes(900 * 1200 * 3)  # no JPEG of good quality makes it small
    content, size, shown = small(Image.frombytes("RGB", (900, 1200), pixels))
    assert size == shown.size == (480, 640)
    assert len(content) <= 80_000 and shown.format == "JPEG"


def test_a_wide_screen_crops_a_picture_around_its_focus(small):
    picture = Image.new("RGB", (1200, 300), "red")
    picture.paste("blue", (600, 0, 1200, 300))
    for crop, focus, size, colours in (
        ("whole", (1, 0.5), (640, 160), ("red", "blue")),
        ("landscape", (1, 0.5), (640, 360), ("blue", "blue")),
        ("landscape", (0, 0.5), (640, 360), ("red", "red")),
        ("landscape", (0.5, 0.5), (640, 360), ("red", "blue")),
    ):
        _, told, shown = small(picture, crop, focus)
        left, right = (shown.getpixel((x, 80)) for x in (20, 620))
        assert told == shown.size == size
        assert tuple("red" if pixel[0] > pixel[2] else "blue" for pixel in (left, right)) == colours
