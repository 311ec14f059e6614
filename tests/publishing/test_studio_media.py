"""The media library, and the page of an upload link."""

from __future__ import annotations

import io
import re
import uuid
from datetime import timedelta

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from PIL import Image

from accounts.actors import Actor
from accounts.models import Membership
from capsules.models import Asset, Encode, Upload, UploadLink
from capsules.uploads import links
from tests.support import factories
from tests.support.messages import messages_of
from tests.support.queries import asks_as_often


@pytest.fixture
def library(north_shore):
    return reverse("studio_media", kwargs={"workspace": north_shore.pk})


@pytest.fixture
def unused(north_shore):
    return Asset.objects.create(
        workspace=north_shore, kind="picture", name="aa/unused.png", filename="unused.png", width=2, height=2
    )


def picture(colour: str = "#357") -> bytes:
    drawn = io.BytesIO()
    Image.new("RGB", (320, 180), colour).save(drawn, "PNG")
    return drawn.getvalue()


def test_members_see_the_library_and_strangers_get_404(sign_in, library, unused):
    for who, status in (("viewer", 200), ("stranger", 404)):
        assert sign_in(who).get(library).status_code == status, who


def test_a_file_is_shown_by_its_smallest_jpeg_and_a_film_by_its_still(
    sign_in, library, unused, ready_story, north_shore, rendered
):
    film = factories.shared_film(north_shore)
    Asset.objects.filter(filename="still.png").update(poster_of=film)
    smallest = factories.smallest_jpeg(rendered)
    items = sign_in("viewer").get(library).context["items"]
    shown = {asset.filename: picture for asset, picture in items}
    assert shown == {"still.png": smallest, "film.mp4": smallest, "unused.png": None}
    running = Encode.objects.create(kind="still", recipe="a still", sources=[], state="running")
    Asset.objects.filter(pk=unused.pk).update(
        poster_of=film, still_encode=running, created_at=film.created_at - timedelta(days=1)
    )
    films = sign_in("viewer").get(library, {"kind": "film"}).context["items"]
    assert films == [(film, smallest)], "its other still is not rendered yet"


def test_what_nothing_uses_is_deleted(sign_in, library, unused):
    searched = f"{library}?q=unused"
    answer = sign_in("editor").post(searched, {"media": unused.pk}, follow=True)
    assert messages_of(answer).startswith("“unused.png” is deleted.")
    assert answer.redirect_chain == [(searched, 302)]
    assert sign_in("editor").post(library, {"media": unused.pk}).status_code == 404
    assert not Asset.objects.present().filter(pk=unused.pk).exists()


def test_what_a_scene_uses_is_kept_and_the_scenes_are_named(sign_in, library, ready_story):
    still = Asset.objects.get(filename="still.png")
    answer = sign_in("owner").post(library, {"media": still.pk}, follow=True)
    assert "Scene 1 of “Small voyages” uses it." in messages_of(answer)
    assert Asset.objects.present().filter(pk=still.pk).exists()


@pytest.mark.parametrize("form", [{"media": "own"}, {"do": "link"}])
def test_a_viewer_deletes_nothing_and_makes_no_link(form, sign_in, library, unused):
    form = {"media": unused.pk} if "media" in form else form
    client = sign_in("viewer")
    client.post(library, form)
    assert b"<form method" not in client.get(library).content.split(b'id="main"')[1]
    assert Asset.objects.present().filter(pk=unused.pk).exists()
    assert not UploadLink.objects.exists()


def test_a_file_of_another_workspace_cannot_be_deleted_through_ones_own(sign_in, unused, harbour, person):
    url = reverse("studio_media", kwargs={"workspace": harbour.pk})
    Membership.objects.create(workspace=unused.workspace, user=person("stranger"), role="viewer")
    assert sign_in("stranger").post(url, {"media": unused.pk}).status_code == 404
    assert Asset.objects.present().filter(pk=unused.pk).exists()


def test_the_library_takes_the_same_queries_for_one_and_for_twelve_files(
    sign_in, library, north_shore, unused
):
    def add_films() -> None:
        size = {"width": 2, "height": 2}
        for name in map(str, range(11)):
            Asset.objects.create(
                workspace=north_shore, kind="film", name=name, filename=f"{name}.mp4", **size
            )

    assert asks_as_often(sign_in("owner"), library, after=add_films)


# --- Links for a phone -----------------------------------------------------------------------------------------


@pytest.fixture
def secret(north_shore, owner):
    address = links.make_link(north_shore, by=Actor.by_token(owner), lifetime=timedelta(hours=1))[1]
    return address.removeprefix(settings.APP_URL)


@pytest.fixture
def phone():
    """A browser without a session, which would be refused where a CSRF token were asked for."""
    return Client(enforce_csrf_checks=True)


def test_the_library_makes_a_link_that_a_phone_can_open(sign_in, library, phone):
    client = sign_in("editor")
    page = client.post(library, {"do": "link"}, follow=True).content.decode()
    path = re.search(r"/studio/up/[\w-]+(?=</code></a>)", page).group()
    assert f'{path}" target="_blank"><code' in page, "who is on the phone already presses it"
    answer = phone.get(path)
    assert answer.status_code == 200
    assert b"North Shore Press" in answer.content
    assert not answer.cookies
    assert (answer["Referrer-Policy"], answer["Cache-Control"]) == ("no-referrer", "no-store")
    assert "/studio/up/" not in client.get(library).content.decode()
    assert UploadLink.objects.count() == 1, "loading the page again makes no other"


@pytest.mark.usefixtures("clock_stands")
def test_a_link_of_the_library_lasts_an_hour(sign_in, library, north_shore, person):
    sign_in("editor").post(library, {"do": "link"})
    link = UploadLink.objects.get()
    assert link.expires_at - timezone.now() == timedelta(hours=1)
    assert (link.workspace, link.created_by) == (north_shore, person("editor"))


def test_a_suspended_workspace_makes_no_link_and_deletes_nothing(sign_in, library, north_shore, unused):
    north_shore.suspended_at = timezone.now()
    north_shore.save(update_fields=["suspended_at"])
    for form in ({"do": "link"}, {"media": unused.pk}):
        answer = sign_in("owner").post(library, form, follow=True)
        assert "suspended" in messages_of(answer)
    assert not UploadLink.objects.exists()
    assert Asset.objects.present().filter(pk=unused.pk).exists()


def test_a_phone_sends_one_file_by_the_form(secret, phone, north_shore, owner):
    answer = phone.post(secret, {"file": SimpleUploadedFile("Ferry.png", picture(), "image/png")})
    assert answer.status_code == 200
    assert "9 more files." in answer.content.decode()
    upload = Upload.objects.get()
    assert (upload.workspace, upload.created_by, upload.filename) == (north_shore, owner, "Ferry.png")
    assert upload.state == Upload.State.CHECKING
    assert phone.get(f"{secret}?state").json() == {
        "files": [{"name": "Ferry.png", "state": "checking", "words": "Checking …", "error": ""}],
        "left": 9,
    }


def test_the_page_says_why_a_file_was_refused_and_what_is_left_out_of_another(secret, phone):
    for name in ("a.png", "b.png"):
        phone.post(secret, {"file": SimpleUploadedFile(name, picture(), "image/png")})
    Upload.objects.filter(filename="a.png").update(state="refused", error="It is broken.")
    Upload.objects.filter(filename="b.png").update(state="ready", note="Without sound.")
    begun = Upload.objects.get(filename="a.png")
    for name, late in (("c.png", 1), ("d.png", -1)):
        begun.pk, begun.filename, begun.state, begun.error = uuid.uuid4(), name, "receiving", ""
        begun.created_at, begun.expires_at = timezone.now(), timezone.now() - timedelta(hours=late)
        begun.save(force_insert=True)
    files = phone.get(f"{secret}?state").json()["files"]
    assert [list(file.values()) for file in files] == [
        ["a.png", "refused", "Refused", "It is broken."],
        ["b.png", "ready", "Arrived", "Without sound."],
        ["c.png", "expired", "Expired", ""],
        ["d.png", "receiving", "On its way", ""],
    ]


@pytest.mark.usefixtures("clock_stands")
def test_whoever_asks_a_link_too_often_is_told_to_wait(secret, phone, settings):
    settings.RATES = {**settings.RATES, "feed": 1}
    assert phone.get(secret).status_code == 200
    page, state = phone.get(secret), phone.get(f"{secret}?state")
    assert (page.status_code, state.status_code) == (429, 429)
    assert list(state.json()) == ["error"]
    assert state.json()["error"] in page.content.decode()


def test_a_script_sends_the_file_as_it_is(secret, phone):
    answer = phone.put(f"{secret}/ferry.png", picture(), content_type="image/png")
    assert answer.status_code == 201
    assert phone.get(f"{secret}?state").json()["left"] == 9


@pytest.mark.parametrize("form", [{}, {"file": SimpleUploadedFile("a.png", b"")}], ids=["none", "empty"])
def test_no_file_is_told_in_words(form, secret, phone):
    answer = phone.post(secret, form)
    assert answer.status_code == 400
    assert b"Choose a file first." in answer.content and b"10 more files." in answer.content
    assert not Upload.objects.exists()


def test_a_body_of_an_odd_length_is_no_file(secret, phone):
    for length in ("", "²", "-1"):
        answer = phone.generic("POST", secret, b"", content_type="text/plain", CONTENT_LENGTH=length)
        assert answer.status_code == 400 and b"Choose a file first." in answer.content, length


@pytest.mark.parametrize("more, words", [(0, b"Choose a file first."), (1, b"at most 1 MB")])
def test_a_form_may_have_a_film_and_a_megabyte_around_it(more, words, secret, phone, settings):
    settings.MAX_BYTES = {"picture": 10, "film": 1_000_000}
    body = b"x" * (1_000_000 + (1 << 20) + more)
    answer = phone.generic("POST", secret, body, content_type="text/plain")
    assert answer.status_code == 400 and words in answer.content


def test_a_body_that_is_too_large_is_refused_before_it_is_read(secret, phone):
    body = {"CONTENT_LENGTH": str(max(settings.MAX_BYTES.values()) * 2)}
    answer = phone.generic("POST", secret, b"", content_type="multipart/form-data; boundary=x", **body)
    assert answer.status_code == 400
    assert b"at most 500 MB" in answer.content


def test_an_unknown_secret_and_one_that_is_long_over_get_the_same_410(secret, phone):
    UploadLink.objects.update(expires_at=timezone.now() - timedelta(hours=2))
    ended, unknown = phone.get(secret), phone.get("/studio/up/nobody-made-this")
    assert ended.status_code == unknown.status_code == 410
    assert ended.content == unknown.content
    assert b'href="/"' in ended.content


@pytest.mark.parametrize("ending", ["expired", "full", "left", "suspended"])
def test_a_link_that_is_over_takes_nothing(ending, secret, phone, north_shore, owner):
    if ending == "expired":
        UploadLink.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    elif ending == "full":
        UploadLink.objects.update(files=settings.UPLOAD_LINK_FILES)
    elif ending == "left":
        Membership.objects.filter(user=owner).delete()
    else:
        north_shore.suspended_at = timezone.now()
        north_shore.save()
    assert b"takes no more files" in phone.get(secret).content
    assert phone.get(f"{secret}?state").json() == {"files": [], "left": 0}
    assert phone.post(secret, {"file": SimpleUploadedFile("a.png", picture())}).status_code == 410
    assert not Upload.objects.exists()
