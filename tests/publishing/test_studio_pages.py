"""The studio's pages: who may open them, what they show, and that nobody else can keep or frame them."""

from __future__ import annotations

import gzip
import io
import re
import zipfile

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from accounts.actors import Actor
from accounts.models import Workspace
from capsules import storage
from capsules.actions import trash
from capsules.models import Encode, Story
from config.errors import Conflict, Invalid
from tests.support import factories
from tests.support.messages import messages_of

NEVER_KEPT = "no-store"


def editor_of(story: Story) -> str:
    return reverse("studio_editor", kwargs={"story": story.pk})


@pytest.mark.parametrize("who, status", [("owner", 200), ("editor", 200), ("viewer", 200), ("stranger", 404)])
@pytest.mark.parametrize("name", ["studio_editor", "studio_frame", "studio_pulse", "studio_export"])
def test_members_open_the_pages_of_a_story_and_strangers_get_the_same_404_as_for_none(
    who, status, name, sign_in, ready_story
):
    answer = sign_in(who).get(reverse(name, kwargs={"story": ready_story.pk}))
    assert answer.status_code == status
    if status == 200:
        assert answer["Referrer-Policy"] == "same-origin"


def test_nobody_signed_in_is_led_to_sign_in_and_back(client, ready_story):
    answer = client.get(editor_of(ready_story))
    assert answer.status_code == 302
    assert answer["Location"].endswith(f"?next={editor_of(ready_story)}")


def test_the_editor_gives_its_script_the_same_draft_as_the_api(sign_in, api, ready_story):
    page = sign_in("owner").get(editor_of(ready_story))
    assert page.context["boot"]["draft"] == api.get(f"/stories/{ready_story.pk}/draft").json()


def test_a_viewer_is_told_why_nothing_can_be_changed(sign_in, ready_story):
    boot = sign_in("viewer").get(editor_of(ready_story)).context["boot"]
    assert boot["writes"] is False
    assert "ask an owner" in boot["whyNot"]


def test_the_draft_frame_can_be_framed_by_the_studio_only_and_is_kept_by_nobody(sign_in, ready_story):
    answer = sign_in("owner").get(reverse("studio_frame", kwargs={"story": ready_story.pk}))
    assert "frame-ancestors 'self'" in answer["Content-Security-Policy"]
    assert answer["X-Frame-Options"] == "SAMEORIGIN"
    assert NEVER_KEPT in answer["Cache-Control"]
    assert answer["X-Robots-Tag"] == "noindex"


def test_the_frame_shows_the_draft_and_not_what_is_live(sign_in, api, live_story):
    scene = live_story.scenes.get(position=0)
    change = api.call("PATCH", f"/stories/{live_story.pk}/scenes/{scene.key}", {"text": "Only in the draft."})
    assert change.status_code == 200, change.content
    frame = sign_in("owner").get(reverse("studio_frame", kwargs={"story": live_story.pk}))
    assert b"Only in the draft." in frame.content
    assert str(scene.key) in frame.content.decode()


@pytest.mark.parametrize("name, number", [("studio_frame", {}), ("studio_preview_frame", {"number": 1})])
def test_a_frame_shows_the_page_or_the_embed(name, number, sign_in, ready_story):
    client, url = sign_in("viewer"), reverse(name, kwargs={"story": ready_story.pk, **number})
    assert [b"embed.css" in client.get(url, query).content for query in ({}, {"as": "embed"})] == [
        False,
        True,
    ]


def test_the_latest_preview_is_opened_and_says_whether_it_is_the_draft_as_it_is_now(
    sign_in, api, ready_story, north_shore
):
    client = sign_in("viewer")
    page = client.get(reverse("studio_previews", kwargs={"story": ready_story.pk}), follow=True)
    [(address, _)] = page.redirect_chain
    assert address == reverse("studio_preview", kwargs={"story": ready_story.pk, "number": 1})
    assert b"The draft has changed" not in page.content and b"Chat apps show the link" not in page.content
    api.call("PATCH", f"/stories/{ready_story.pk}", {"title": "Renamed"})
    page = client.get(address, {"as": "card"})
    assert b"The draft has changed" in page.content and b"Chat apps show the link" in page.content
    assert page.content.count(ready_story.title.encode()) > 2, "the cards name it, besides the page itself"
    draft = factories.make_draft(north_shore)
    none = client.get(reverse("studio_previews", kwargs={"story": draft.pk}))
    assert none["Location"] == editor_of(draft)


def test_a_scene_without_a_picture_is_drawn_all_the_same(sign_in, north_shore):
    story = factories.make_draft(north_shore)
    frame = sign_in("owner").get(reverse("studio_frame", kwargs={"story": story.pk}))
    assert frame.status_code == 200
    assert b"being-prepared" in frame.content


def test_a_new_capsule_opens_in_the_editor(sign_in, north_shore):
    answer = sign_in("editor").post(reverse("studio_new", kwargs={"workspace": north_shore.pk}))
    story = Story.objects.get(title="Untitled")
    assert answer["Location"] == editor_of(story)
    assert story.visibility == Story.Visibility.PRIVATE


def test_a_viewer_cannot_begin_a_capsule(sign_in, north_shore):
    sign_in("viewer").post(reverse("studio_new", kwargs={"workspace": north_shore.pk}))
    assert not Story.objects.filter(title="Untitled").exists()


def test_a_viewer_copies_no_capsule(sign_in, ready_story):
    url = reverse("studio_duplicate", kwargs={"story": ready_story.pk})
    sign_in("viewer").post(url)
    assert Story.objects.count() == 1
    sign_in("editor").post(url)
    assert Story.objects.count() == 2


def test_plain_forms_save_texts_without_script_and_refuse_what_is_stale(sign_in, ready_story):
    client, scene = sign_in("owner"), ready_story.scenes.get(position=0)
    form = {"scene": str(scene.key), "version": scene.version, "title": "", "text": "By form.", "alt": ""}
    answer = client.post(editor_of(ready_story), form, follow=True)
    assert [str(message) for message in answer.context["messages"]] == ["Saved."]
    assert ready_story.scenes.get(position=0).text == "By form."
    answer = client.post(editor_of(ready_story), {**form, "text": "Too late."}, follow=True)
    assert ready_story.scenes.get(position=0).text == "By form."
    assert "kept in the history" in messages_of(answer)
    client.post(editor_of(ready_story), {**form, "text": "Of no version.", "version": ""})
    assert ready_story.scenes.get(position=0).text == "By form."
    form = {"version": ready_story.version, "title": "By form.", "summary": "", "author_name": ""}
    client.post(editor_of(ready_story), form)
    answer = client.post(editor_of(ready_story), {**form, "title": "Too late."}, follow=True)
    ready_story.refresh_from_db()
    assert ready_story.title == "By form." and "kept in the history" in messages_of(answer)


def test_the_token_of_the_studio_works_until_its_session_ends(sign_in, api):
    client = sign_in("owner")
    assert "csrfToken" in client.get(reverse("studio_token")).json()
    token = client.post(reverse("studio_token")).json()["token"]
    bearer = {"Authorization": f"Bearer {token}"}
    assert client.get("/api/v2/me", headers=bearer).status_code == 200
    client.logout()
    assert client.get("/api/v2/me", headers=bearer).status_code == 401
    assert client.post(reverse("studio_token")).status_code == 401


def test_what_the_studio_changes_is_known_as_the_studios_in_the_history(sign_in, ready_story):
    client, scene = sign_in("owner"), ready_story.scenes.get(position=0)
    token = client.post(reverse("studio_token")).json()["token"]
    answer = client.patch(
        f"/api/v2/stories/{ready_story.pk}/scenes/{scene.key}",
        {"text": "Written in the studio."},
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )
    assert answer.status_code == 200, answer.content
    assert ready_story.revisions.latest("number").via == "studio"


def test_a_capsule_goes_out_as_a_zip_and_comes_back_as_another_capsule(sign_in, north_shore, ready_story):
    client = sign_in("owner")
    answer = client.get(reverse("studio_export", kwargs={"story": ready_story.pk}))
    assert answer["Content-Disposition"] == 'attachment; filename="small-voyages.zip"'
    packed = io.BytesIO(b"".join(answer.streaming_content))
    assert any(name.endswith("/capsule.toml") for name in zipfile.ZipFile(packed).namelist())
    packed.seek(0)
    packed.name = "capsule.zip"
    client.post(reverse("studio_from_folder", kwargs={"workspace": north_shore.pk}), {"folder": packed})
    back = Story.objects.exclude(pk=ready_story.pk).get(title=ready_story.title)
    assert [scene.text for scene in back.scenes.all()] == [scene.text for scene in ready_story.scenes.all()]
    assert back.visibility == Story.Visibility.PRIVATE


@pytest.mark.parametrize("content, words", [(b"no archive", "not a .zip"), (b"", "Choose a .zip")])
def test_what_is_no_folder_is_refused_in_words(content, words, sign_in, north_shore):
    upload = io.BytesIO(content)
    upload.name = "capsule.zip"
    url = reverse("studio_from_folder", kwargs={"workspace": north_shore.pk})
    answer = sign_in("owner").post(url, {"folder": upload} if content else {}, follow=True)
    assert words in messages_of(answer)


def test_of_many_faults_of_a_folder_the_first_are_told(sign_in, north_shore):
    scenes = b"".join(b"[[scenes]]\ntext = 'A'\nstill = '%d.png'\n" % number for number in range(9))
    url = reverse("studio_from_folder", kwargs={"workspace": north_shore.pk})
    folder = packed(content=b"title = 'A'\n" + scenes)
    answer = sign_in("owner").post(url, {"folder": folder}, follow=True)
    assert [str(message) for message in answer.context["messages"]] == [
        "capsule.toml cannot be imported.",
        *(f"scenes.{number}.still: There is no file {number}.png in the folder." for number in range(5)),
    ]


def test_a_path_in_an_archive_never_leaves_the_folder(tmp_path):
    from publishing.studio.beginnings import unpack

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../../outside.txt", "no")
    (tmp_path / "inner").mkdir()
    unpack(packed, tmp_path / "inner")
    assert [path.name for path in tmp_path.rglob("*.txt")] == ["outside.txt"]
    assert (tmp_path / "inner" / "outside.txt").exists()


def test_an_archive_may_be_as_large_as_a_folder_and_not_a_byte_larger(tmp_path, settings):
    from publishing.studio.beginnings import unpack

    settings.FOLDER_BYTES, settings.FOLDER_FILES = 2 << 20, 2
    for more, folder in ((0, "fits"), (1, "too large")):
        (tmp_path / folder).mkdir()
        archived = io.BytesIO()
        with zipfile.ZipFile(archived, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.txt", "x" * 5)
            archive.writestr("b.txt", "x" * (settings.FOLDER_BYTES - 5 + more))
        if more:
            with pytest.raises(Invalid, match="at most 2 MB"):
                unpack(archived, tmp_path / folder)
        else:
            assert unpack(archived, tmp_path / folder) == settings.FOLDER_BYTES
    settings.FOLDER_FILES = 1
    with pytest.raises(Invalid, match="at most 1 files"):
        unpack(archived, tmp_path)


def two_of_one_name() -> io.BytesIO:
    archived = io.BytesIO()
    with zipfile.ZipFile(archived, "w") as archive:
        for folder in ("a", "b"):
            archive.writestr(f"{folder}/still.png", folder)
    return named(archived.getvalue())


def packed(
    name: str = "capsule.toml", content: bytes = b"title = 'A'", method: int = zipfile.ZIP_STORED
) -> io.BytesIO:
    archived = io.BytesIO()
    with zipfile.ZipFile(archived, "w", method) as archive:
        archive.writestr(name, content)
    return named(archived.getvalue())


def broken(content: bytes, old: bytes, new: bytes) -> io.BytesIO:
    assert old in content
    return named(content.replace(old, new))


def named(content: bytes) -> io.BytesIO:
    archived = io.BytesIO(content)
    archived.name = "capsule.zip"
    return archived


def locked_with_a_password() -> io.BytesIO:
    content = bytearray(packed().getvalue())
    content[6] |= 1  # in the header of the file, and in that of the directory
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return named(bytes(content))


@pytest.mark.parametrize(
    "archive, words",
    [
        (locked_with_a_password(), "password"),
        (packed(content=b"\0" * 10**6, method=zipfile.ZIP_BZIP2), "unsupported compression"),
        (packed(content=b"\0" * 10**6, method=zipfile.ZIP_LZMA), "unsupported compression"),
        (broken(packed(content=b"some words").getvalue(), b"some words", b"some wordz"), "not a .zip"),
        (packed(name="a" * 300), "too long"),
        (two_of_one_name(), "two files named still.png"),
    ],
    ids=["password", "bzip2", "lzma", "checksum", "long name", "two of one name"],
)
def test_an_archive_that_cannot_be_unpacked_is_refused_in_words(archive, words, sign_in, north_shore):
    archive.seek(0)
    url = reverse("studio_from_folder", kwargs={"workspace": north_shore.pk})
    answer = sign_in("owner").post(url, {"folder": archive}, follow=True)
    assert words in messages_of(answer)


def test_a_folder_counts_against_the_room_of_a_workspace(sign_in, north_shore, ready_story, settings):
    client = sign_in("owner")
    answer = client.get(reverse("studio_export", kwargs={"story": ready_story.pk}))
    archive = io.BytesIO(b"".join(answer.streaming_content))
    archive.name = "capsule.zip"
    settings.MEDIA_QUOTA = dict.fromkeys(settings.MEDIA_QUOTA, 1000)
    url = reverse("studio_from_folder", kwargs={"workspace": north_shore.pk})
    answer = client.post(url, {"folder": archive}, follow=True)
    assert "This file does not fit" in messages_of(answer)
    assert not Story.objects.exclude(pk=ready_story.pk).exists()


@pytest.mark.parametrize("who, words", [("owner", "suspended"), ("viewer", "does not allow writing")])
def test_who_may_not_write_has_no_folder_unpacked(who, words, sign_in, north_shore, monkeypatch):
    from publishing.studio import beginnings

    if who == "owner":
        Workspace.objects.update(suspended_at=timezone.now())
    monkeypatch.setattr(beginnings, "unpack", lambda *args: pytest.fail("It was unpacked."))
    url = reverse("studio_from_folder", kwargs={"workspace": north_shore.pk})
    answer = sign_in(who).post(url, {"folder": packed()}, follow=True)
    assert words in messages_of(answer)


def test_the_list_shows_drafts_and_live_capsules_and_finds_titles(sign_in, north_shore, live_story):
    draft = factories.make_draft(north_shore, title="A quiet draft")
    client, url = sign_in("viewer"), reverse("studio_capsules", kwargs={"workspace": north_shore.pk})
    assert {card.story for card in client.get(url).context["cards"]} == {draft, live_story}
    assert [card.story for card in client.get(url, {"show": "live"}).context["cards"]] == [live_story]
    assert [card.story for card in client.get(url, {"show": "drafts"}).context["cards"]] == [draft]
    assert [card.story for card in client.get(url, {"q": "quiet"}).context["cards"]] == [draft]
    assert b"No title has" in client.get(url, {"q": "nowhere"}).content


def test_the_picture_of_a_card_is_the_one_that_was_chosen(sign_in, ready_story):
    for position in (1, 2):
        chosen = ready_story.scenes.get(position=position)
        ready_story.scenes.filter(pk=chosen.pk).update(focus_x=position / 10, focus_y=0.5)
        Story.objects.filter(pk=ready_story.pk).update(cover=chosen)
        url = reverse("studio_capsules", kwargs={"workspace": ready_story.workspace_id})
        [card] = sign_in("viewer").get(url).context["cards"]
        assert card.picture.focus == (position / 10, 0.5)


def test_a_card_tells_its_age_and_never_that_what_is_being_rendered_is_ready(sign_in, ready_story):
    client, url = (
        sign_in("viewer"),
        reverse("studio_capsules", kwargs={"workspace": ready_story.workspace_id}),
    )
    said = client.get(url).content.decode()
    assert "ready to publish" in said and "being prepared" not in said
    assert re.search(r"<span>(now|a second ago|\d+ seconds ago)</span>", said.replace("\xa0", " "))
    rendered = ready_story.scenes.values("animation_encode")
    Encode.objects.filter(pk__in=rendered).update(state=Encode.State.FAILED, progress=40)
    assert "being prepared" not in client.get(url).content.decode(), "what failed is not on its way"
    Encode.objects.filter(pk__in=rendered).update(state=Encode.State.RUNNING, progress=40)
    said = client.get(url).content.decode()
    assert "ready to publish" not in said and "being prepared" in said


def test_a_card_leads_to_the_editions_that_are_there(sign_in, ready_story, rendered):
    client = sign_in("viewer")
    url = reverse("studio_capsules", kwargs={"workspace": ready_story.workspace_id})
    edition = factories.make_edition(ready_story, rendered)
    assert editor_of(edition) in client.get(url).content.decode()
    Story.objects.filter(pk=edition.pk).update(deleted_at=timezone.now())
    assert editor_of(edition) not in client.get(url).content.decode()


def test_the_list_crops_the_smallest_picture_around_its_focus(sign_in, north_shore, ready_story, rendered):
    ready_story.scenes.filter(position=0).update(focus_x=0.45, focus_y=0.25)
    page = (
        sign_in("owner")
        .get(reverse("studio_capsules", kwargs={"workspace": north_shore.pk}))
        .content.decode()
    )
    assert '<div class="cover x45 y25">' in page
    assert storage.blobs().url(factories.smallest_jpeg(rendered)["name"]) in page


def test_the_list_takes_the_same_number_of_queries_for_one_capsule_and_for_twelve(
    sign_in, north_shore, django_assert_max_num_queries
):
    client, url = sign_in("owner"), reverse("studio_capsules", kwargs={"workspace": north_shore.pk})
    factories.make_draft(north_shore)
    with django_assert_max_num_queries(30) as one:
        client.get(url)
    for number in range(11):
        factories.make_draft(north_shore, title=f"Draft {number}")
    with django_assert_max_num_queries(len(one.captured_queries)):
        client.get(url)


def test_trash_and_back(sign_in, live_story, rendered):
    for name in ("classroom", "de"):
        factories.make_edition(live_story, rendered, name)
    factories.make_draft(live_story.workspace)
    client = sign_in("owner")
    path = live_story.publication.path
    asked = client.get(reverse("studio_trash_one", kwargs={"story": live_story.pk}))
    assert path.encode() in asked.content
    page = client.post(reverse("studio_trash_one", kwargs={"story": live_story.pk}), follow=True)
    words = " ".join(page.content.decode().split())
    assert "“Small voyages” is in the trash." in words
    assert "Trash 1" in words, "its editions go with it"
    assert client.get(path).status_code == 404
    assert client.get(editor_of(live_story)).status_code == 404
    listed = client.get(
        reverse("studio_trash", kwargs={"workspace": live_story.workspace_id})
    ).content.decode()
    assert live_story.title in listed
    live_story.refresh_from_db()
    last_day = date_format(trash.purge_time(live_story.deleted_at), "j F Y")
    assert f"deleted forever on {last_day}" in listed
    back = client.post(reverse("studio_restore", kwargs={"story": live_story.pk}), follow=True)
    assert "“Small voyages” is back. It is not published." in back.content.decode()
    assert back.redirect_chain == [(editor_of(live_story), 302)]


def test_the_trash_is_found_where_the_only_capsule_is_in_it(sign_in, ready_story):
    client, place = sign_in("owner"), {"workspace": ready_story.workspace_id}
    trashed = reverse("studio_trash", kwargs=place)
    assert trashed not in client.get(reverse("studio_capsules", kwargs=place)).content.decode()
    page = client.post(reverse("studio_trash_one", kwargs={"story": ready_story.pk}), follow=True)
    assert f'<a href="{trashed}">Trash 1</a>' in page.content.decode()


@pytest.mark.parametrize(
    "who, title, status, words",
    [
        ("owner", " Small voyages ", 302, "is deleted forever"),
        ("admin", "Small voyages", 302, "is deleted forever"),
        ("admin", "Small", 302, "Type the title"),
        ("editor", "Small voyages", 302, "Only an owner or an admin"),
        ("viewer", "Small voyages", 302, None),
        ("stranger", "Small voyages", 404, None),
    ],
)
def test_who_manages_deletes_a_capsule_of_the_trash_forever_by_its_title(
    who, title, status, words, sign_in, live_story, owner, rendered
):
    edition = factories.make_edition(live_story, rendered)
    trash.trash_story(live_story, unpublish=True, by=Actor.by_token(owner))
    client = sign_in(who)
    purge = reverse("studio_purge", kwargs={"story": live_story.pk})
    answer = client.post(purge, {"title": title})
    assert answer.status_code == status
    gone = words == "is deleted forever"
    assert Story.objects.filter(pk__in=[live_story.pk, edition.pk]).count() == (0 if gone else 2)
    if words:
        page = client.get(answer["Location"])
        assert words in page.content.decode()
        assert (purge in page.content.decode()) == (who == "admin" and not gone)


def test_what_is_not_in_the_trash_is_not_deleted_forever(sign_in, ready_story, owner):
    purge = reverse("studio_purge", kwargs={"story": ready_story.pk})
    assert sign_in("owner").post(purge, {"title": ready_story.title}).status_code == 404
    with pytest.raises(Conflict):
        trash.purge_story(ready_story, title=ready_story.title, by=Actor.by_token(owner))
    assert Story.objects.filter(pk=ready_story.pk).exists()


def test_qr_codes_are_drawn_for_our_own_links_only(sign_in, settings):
    client = sign_in("owner")
    own = client.get(reverse("studio_qr"), {"url": f"{settings.APP_URL}/studio/up/abc"})
    assert own["Content-Type"] == "image/svg+xml"
    for url in ("https://evil.example/", f"{settings.APP_URL}.evil.example/", ""):
        assert client.get(reverse("studio_qr"), {"url": url}).status_code == 404


def test_a_plain_form_that_is_too_long_comes_back_whole_with_its_reason_at_the_field(sign_in, ready_story):
    scene, text = ready_story.scenes.get(position=0), "Nearly home. " * 200
    form = {
        "scene": str(scene.key),
        "version": scene.version,
        "title": "New heading",
        "text": text,
        "alt": "",
    }
    answer = sign_in("owner").post(editor_of(ready_story), form)
    page = answer.content.decode()
    assert len(answer.context["messages"]) == 1  # what stands at its field is not said above as well
    assert ready_story.scenes.get(position=0).text == scene.text
    assert f">{text}</textarea>" in page
    assert 'value="New heading"' in page
    field = f"text-{scene.key}"
    assert (
        page.count(f'aria-invalid="true" aria-describedby="{field}-fault"') == page.count("aria-invalid") == 1
    )
    assert f'id="{field}-fault">' in page
    assert "maxlength" not in page


def test_a_title_that_is_refused_in_a_plain_form_stays_typed_and_is_not_saved(sign_in, ready_story):
    form = {"version": ready_story.version, "title": "T" * 201, "summary": "One.", "author_name": "A" * 121}
    page = sign_in("owner").post(editor_of(ready_story), form).content.decode()
    assert f'value="{"T" * 201}"' in page
    assert 'aria-describedby="author_name-story-fault"' in page
    ready_story.refresh_from_db()
    assert (ready_story.title, ready_story.summary) != ("T" * 201, "One.")


def test_a_refused_plain_form_stands_on_its_old_version_so_that_others_are_not_overwritten(
    sign_in, ready_story
):
    client, scene = sign_in("owner"), ready_story.scenes.get(position=0)
    form = {"scene": str(scene.key), "version": scene.version, "title": "", "alt": ""}
    client.post(editor_of(ready_story), {**form, "text": "By somebody else."})
    page = client.post(editor_of(ready_story), {**form, "text": "x" * 2001}).content.decode()
    hidden = rf'name="scene" value="{scene.key}">\s*<input type="hidden" name="version" value="(\d+)"'
    assert re.findall(hidden, page) == [str(scene.version)]


@pytest.mark.parametrize("key", ["7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b11", "no identifier"])
@pytest.mark.parametrize("text", ["Short.", "Much too long. " * 200])
def test_a_plain_form_for_a_scene_that_is_gone_leads_back_with_the_reason(key, text, sign_in, ready_story):
    form = {"scene": key, "version": 1, "text": text}
    answer = sign_in("owner").post(editor_of(ready_story), form, follow=True)
    assert answer.redirect_chain == [(editor_of(ready_story), 302)]
    assert [str(message) for message in answer.context["messages"]] == ["There is no such scene."]


def test_the_list_is_sent_packed_unless_a_link_chose_a_word_beside_the_titles(sign_in, ready_story):
    """The length of packed bytes tells which words are on the page twice."""
    client = sign_in("owner")
    url = reverse("studio_capsules", kwargs={"workspace": ready_story.workspace_id})
    packed = client.get(url, headers={"Accept-Encoding": "gzip"})
    assert ready_story.title in gzip.decompress(packed.content).decode()
    assert "Content-Encoding" not in client.get(f"{url}?q=Small", headers={"Accept-Encoding": "gzip"})
    others = "show=guess&sort=guess&page=guess&language=guess&other=guess"
    assert b"guess" not in client.get(f"{url}?{others}").content
