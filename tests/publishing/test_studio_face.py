"""The face of a workspace: who changes it, what is refused, and everywhere it is shown."""

from __future__ import annotations

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from PIL import Image

from accounts.actions import members
from accounts.models import Workspace
from capsules import garbage, storage
from config.links import absolute
from publishing.models import Publication, SubscriptionRequest
from publishing.premieres import outlook
from publishing.subscribers import confirmations
from tests.support import media_files
from tests.support.messages import messages_of


@pytest.fixture
def page(north_shore):
    return reverse("studio_face", kwargs={"workspace": north_shore.pk})


def upload(content: bytes | None = None) -> SimpleUploadedFile:
    drawn = io.BytesIO()
    Image.new("RGB", (640, 360), "#a55a76").save(drawn, "PNG")
    return SimpleUploadedFile("face.png", drawn.getvalue() if content is None else content, "image/png")


@pytest.fixture
def with_picture(north_shore, tmp_path):
    drawn = tmp_path / "face.jpg"
    Image.new("RGB", (256, 256), "#a55a76").save(drawn)
    north_shore.picture = storage.put(storage.blobs(), drawn, "jpg")
    north_shore.save(update_fields=["picture"])
    return north_shore


def test_a_picture_becomes_a_small_square_that_is_kept(sign_in, page, north_shore):
    answer = sign_in("owner").post(page, {"do": "picture", "picture": upload()}, follow=True)
    assert messages_of(answer) == "The picture is saved. Public pages show it at once."
    north_shore.refresh_from_db()
    with storage.blobs().open(north_shore.picture) as file, Image.open(file) as drawn:
        assert (drawn.size, drawn.format) == ((256, 256), "JPEG")
    assert north_shore.picture in garbage.blobs_in_use()


def test_words_that_are_too_long_come_back_whole_and_say_how_many_they_are(sign_in, page, north_shore):
    links = "https://example.com/a\nhttps://example.com/b"
    form = {"do": "words", "about": "x" * 301, "links": links, "fediverse": "@north@shore.example"}
    answer = sign_in("owner").post(page, form, follow=True).content.decode()
    assert "x" * 301 in answer and links in answer and 'value="@north@shore.example"' in answer
    assert 'id="about-fault">At most 300 characters; this has 301.' in answer
    north_shore.refresh_from_db()
    assert north_shore.about == ""


def test_all_words_are_saved_shown_again_and_can_be_taken_back(sign_in, page, north_shore):
    links = ["https://example.com/a", "https://example.com/b"]
    form = {"do": "words", "about": "Of the coast.", "links": f" {links[0]} \r\n\r\n{links[1]}"}
    client = sign_in("owner")
    answer = client.post(page, {**form, "fediverse": "@north@shore.example"}, follow=True)
    assert messages_of(answer) == "Saved. Public pages show it at once."
    assert answer.context["section"] == "settings"
    assert answer.context["typed"] == {
        "about": "Of the coast.",
        "links": "\n".join(links),
        "fediverse": "@north@shore.example",
    }
    north_shore.refresh_from_db()
    assert north_shore.links == links
    client.post(page, {"do": "words", "about": "", "links": " \r\n", "fediverse": ""})
    north_shore.refresh_from_db()
    assert (north_shore.about, north_shore.links, north_shore.fediverse) == ("", [], "")


def test_the_account_in_the_fediverse_is_kept_or_says_how_it_is_written(sign_in, page, north_shore):
    client = sign_in("owner")
    for wrong in ("name@host.example", "@name@host", "@a b@host.example"):
        answer = client.post(page, {"do": "words", "fediverse": wrong}, follow=True).content.decode()
        assert 'id="fediverse-fault">An account in the fediverse' in answer and f'value="{wrong}"' in answer
    client.post(page, {"do": "words", "fediverse": " @north_shore@social.host.example "})
    north_shore.refresh_from_db()
    assert north_shore.fediverse == "@north_shore@social.host.example"


def test_a_form_that_nobody_made_changes_no_words(sign_in, page, north_shore):
    Workspace.objects.filter(pk=north_shore.pk).update(about="Of the coast.")
    form = {"do": "?", "about": "New."}
    assert messages_of(sign_in("owner").post(page, form, follow=True)) == "This form is not known."
    assert Workspace.objects.get(pk=north_shore.pk).about == "Of the coast."


def test_what_is_no_picture_is_refused_in_words_and_the_old_one_stays(sign_in, page, with_picture):
    browser = sign_in("owner")
    for content in (b"no picture", b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>"):
        assert messages_of(browser.post(page, {"do": "picture", "picture": upload(content)}, follow=True)), (
            content
        )
        assert Workspace.objects.get(pk=with_picture.pk).picture == with_picture.picture, content
    assert messages_of(browser.post(page, {"do": "picture"}, follow=True)) == "Choose a picture first."
    assert Workspace.objects.get(pk=with_picture.pk).picture == with_picture.picture


def test_a_picture_that_no_scene_could_show_is_no_face_either(sign_in, page, tmp_path):
    """What a picture of a scene may be is in tests/capsules."""
    line = media_files.saved(tmp_path, "line.png", media_files.picture(1000, 40))
    form = {"do": "picture", "picture": upload(line.read_bytes())}
    assert "too narrow" in messages_of(sign_in("owner").post(page, form, follow=True))


def test_the_picture_can_be_removed(sign_in, page, with_picture):
    answer = sign_in("admin").post(page, {"do": "remove"}, follow=True)
    assert messages_of(answer) == "The picture is removed."
    assert Workspace.objects.get(pk=with_picture.pk).picture == ""


def test_only_owners_and_admins_change_it(sign_in, page, north_shore):
    client = sign_in("editor")
    assert client.get(page).status_code == 404
    assert client.post(page, {"do": "words", "about": "Mine."}).status_code == 404
    assert Workspace.objects.get(pk=north_shore.pk).about == ""


def test_words_and_links_are_shown_in_the_profile(sign_in, page, live_story):
    client = sign_in("admin")
    form = {
        "do": "words",
        "about": "Stories\x07 of <b>the</b>\ncoast.",
        "links": "https://example.com/a\r\n\r\n",
    }
    client.post(page, form)
    text = client.get("/north-shore").content.decode()
    assert "Stories of &lt;b&gt;the&lt;/b&gt; coast." in text
    assert 'href="https://example.com/a"' in text
    assert "nofollow" in text


def test_bad_words_and_links_are_refused(sign_in, page, north_shore):
    browser = sign_in("owner")
    for form in (
        {"links": "javascript:alert(1)"},
        {"links": "https://user:secret@example.com/"},
        {"links": "https://"},
        {"links": "https://[broken"},
        {"links": "\n".join(f"https://example.com/{number}" for number in range(6))},
        {"links": "https://example.com/" + "x" * 200},
        {"about": "x" * 301},
    ):
        answer = browser.post(page, {"do": "words", **form}, follow=True)
        told = [str(message) for message in answer.context["messages"]]
        assert told and len(set(told)) == len(told), f"nothing is said twice: {form}"
        fresh = Workspace.objects.get(pk=north_shore.pk)
        assert (fresh.about, fresh.links) == ("", []), form


def test_the_picture_is_shown_wherever_the_workspace_is(with_picture, live_story, client):
    address = storage.blobs().url(with_picture.picture)
    for path in ("/", "/north-shore", live_story.publication.path):
        assert address in client.get(path).content.decode(), path
    (item,) = client.get("/api/v2/feed").json()["items"]
    assert item["author"]["avatarUrl"].endswith(address)
    assert item["author"]["avatarUrl"].startswith("http")
    assert address in outlook.preview_letter(live_story, "TEASER").html


def test_white_label_shows_its_own_picture_and_never_the_mark(with_picture, live_story, client):
    Publication.objects.filter(story=live_story).update(mode="WHITE_LABEL")
    text = client.get(live_story.publication.path).content.decode()
    assert text.count(storage.blobs().url(with_picture.picture)) == 2  # in the masthead, and as the icon
    assert "mark" not in text.split("<main>")[0].split('class="masthead"')[1]


def test_a_suspended_workspace_cannot_change_what_readers_see(sign_in, page, with_picture):
    Workspace.objects.filter(pk=with_picture.pk).update(suspended_at=with_picture.created_at)
    browser, words, picture = (
        sign_in("owner"),
        {"do": "words", "about": "Somebody else"},
        {"picture": upload()},
    )
    for form in (words, {"do": "picture", **picture}, {"do": "remove"}):
        assert "suspended" in messages_of(browser.post(page, form, follow=True)), form
    fresh = Workspace.objects.get(pk=with_picture.pk)
    assert (fresh.about, fresh.picture) == ("", with_picture.picture)


def test_the_picture_is_in_the_embed_and_in_the_mails_of_the_workspace(
    with_picture, live_story, client, owner, mailoutbox
):
    address = storage.blobs().url(with_picture.picture)
    assert address in client.get("/north-shore/small-voyages/embed").content.decode()
    request = SubscriptionRequest(workspace=with_picture, email="reader@example.com")
    assert absolute(address) in confirmations.render_confirmation(request).html
    members.invite(with_picture, "new@example.com", role="editor", by=owner)
    [(html, _)] = mailoutbox[-1].alternatives
    assert absolute(address) in html
