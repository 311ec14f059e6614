"""Capsules as folders: what goes out as a .zip, what comes back, and which archives are refused."""

from __future__ import annotations

import io
import unicodedata
import zipfile

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from accounts.models import Workspace
from capsules.models import Asset, Story
from config.errors import Invalid
from tests.support import media_files
from tests.support.messages import messages_of


def test_a_capsule_goes_out_as_a_zip_and_comes_back_as_another_capsule(sign_in, north_shore, ready_story):
    client = sign_in("owner")
    answer = client.get(reverse("studio_export", kwargs={"story": ready_story.pk}))
    assert answer["Content-Disposition"] == 'attachment; filename="small-voyages.zip"'
    packed = io.BytesIO(b"".join(answer.streaming_content))
    [still] = {scene.still.filename for scene in ready_story.scenes.all()}
    names = ["small-voyages/capsule.toml", f"small-voyages/{still}"]
    assert zipfile.ZipFile(packed).namelist() == names
    packed.seek(0)
    packed.name = "capsule.zip"
    url = reverse("studio_from_folder", kwargs={"workspace": north_shore.pk})
    answer = client.post(url, {"folder": packed})
    back = Story.objects.exclude(pk=ready_story.pk).get(title=ready_story.title)
    assert answer["Location"] == reverse("studio_editor", kwargs={"story": back.pk})
    assert (back.workspace, back.created_by.email) == (north_shore, "owner@north-shore.example")
    assert [scene.text for scene in back.scenes.all()] == [scene.text for scene in ready_story.scenes.all()]
    assert back.visibility == Story.Visibility.PRIVATE


@pytest.mark.parametrize("forms", [("NFC", "NFD"), ("NFD", "NFC")])
def test_a_file_is_found_whether_its_accent_is_a_character_of_its_own_or_not(
    forms, sign_in, north_shore, tmp_path
):
    """As archives that were packed on a Mac have it, or texts that were typed there."""
    picture = media_files.saved(tmp_path, "a.png", media_files.photo(64, 64))
    in_text, in_archive = (unicodedata.normalize(form, "Fähre am Café.png") for form in forms)
    scene = f"[[scenes]]\ntext = 'One.'\nanimation = 'auto'\nstill = '{in_text}'\n"
    upload = packed(content=f"title = 'A'\n{scene}".encode())
    with zipfile.ZipFile(upload, "a") as archive:
        archive.writestr(in_archive, picture.read_bytes())
    upload.seek(0)
    url = reverse("studio_from_folder", kwargs={"workspace": north_shore.pk})
    answer = sign_in("owner").post(url, {"folder": upload}, follow=True)
    story = Story.objects.filter(title="A").first()
    assert story, messages_of(answer)
    assert story.scenes.get().still.filename == in_archive


def test_a_capsule_without_a_title_goes_out_under_another_name(sign_in, ready_story):
    Story.objects.filter(pk=ready_story.pk).update(title="")
    answer = sign_in("viewer").get(reverse("studio_export", kwargs={"story": ready_story.pk}))
    assert answer["Content-Disposition"] == 'attachment; filename="capsule.zip"'
    packed = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    assert "capsule/capsule.toml" in packed.namelist()


@pytest.mark.parametrize("content, words", [(b"no archive", "not a .zip"), (b"", "Choose a .zip")])
def test_what_is_no_folder_is_refused_in_words(content, words, sign_in, north_shore):
    upload = io.BytesIO(content)
    upload.name = "capsule.zip"
    url = reverse("studio_from_folder", kwargs={"workspace": north_shore.pk})
    answer = sign_in("owner").post(url, {"folder": upload} if content else {}, follow=True)
    assert words in messages_of(answer)
    assert answer.redirect_chain == [(reverse("studio_capsules", kwargs={"workspace": north_shore.pk}), 302)]


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


def test_what_systems_add_to_an_archive_is_left_out(tmp_path):
    from publishing.studio.beginnings import unpack

    archived = io.BytesIO()
    with zipfile.ZipFile(archived, "w") as archive:
        archive.mkdir("capsule")
        for name in ("capsule.toml", ".DS_Store", "Thumbs.db"):
            archive.writestr(f"capsule/{name}", name)
        archive.writestr("__MACOSX/capsule.toml", "of macOS")
    assert unpack(archived, tmp_path) == len("capsule.toml")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [
        ("capsule.toml", "capsule.toml")
    ]


@pytest.mark.parametrize("name, is_taken", [("a" * 255, True), ("ä" * 127, True), ("ä" * 128, False)])
def test_a_name_in_an_archive_has_as_many_bytes_as_file_systems_take(name, is_taken, tmp_path):
    from publishing.studio.beginnings import unpack

    if is_taken:
        unpack(packed(name=name), tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == [name]
    else:
        with pytest.raises(Invalid, match="too long"):
            unpack(packed(name=name), tmp_path)


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
    content = bytearray(packed(name="ä.toml").getvalue())
    content[6] |= 1  # in the header of the file, and in that of the directory
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return named(bytes(content))


def of_a_later_version() -> io.BytesIO:
    """An archive whose directory says that its file needs version 9.9 to be unpacked."""
    content = bytearray(packed().getvalue())
    content[content.index(b"PK\x01\x02") + 6] = 99
    return named(bytes(content))


def cut_short() -> io.BytesIO:
    """An archive whose directory promises more of its file than there is."""
    content = bytearray(packed().getvalue())
    directory = content.index(b"PK\x01\x02")
    content[directory + 22] = content[directory + 26] = 1
    return named(bytes(content))


def damaged() -> io.BytesIO:
    """An archive whose compressed bytes are none."""
    content = packed(name="a", content=b"\0" * 1000, method=zipfile.ZIP_DEFLATED).getvalue()
    return named(content[:31] + b"\xff" * 4 + content[35:])


def begins_nowhere() -> io.BytesIO:
    """An archive that was damaged on its way: where its list of files begins."""
    content = bytearray(packed().getvalue())
    end = content.rfind(b"PK\x05\x06")
    content[end + 16 : end + 20] = (0xFF00).to_bytes(4, "little")
    return named(bytes(content))


BROKEN = [
    (begins_nowhere(), "not a .zip"),
    (of_a_later_version(), "not a .zip"),
    (damaged(), "not a .zip"),
    (cut_short(), "not a .zip"),
    (broken(packed(name="ä.toml").getvalue(), "ä".encode(), b"\xc3("), "not a .zip"),
    (packed(name="."), "that has none"),
    (locked_with_a_password(), "password"),
    (packed(content=b"\0" * 10**6, method=zipfile.ZIP_BZIP2), "unsupported compression"),
    (packed(content=b"\0" * 10**6, method=zipfile.ZIP_LZMA), "unsupported compression"),
    (broken(packed(content=b"some words").getvalue(), b"some words", b"some wordz"), "not a .zip"),
    (packed(name="a" * 300), "too long"),
    (two_of_one_name(), "two files named still.png"),
]


def test_an_archive_that_cannot_be_unpacked_is_refused_in_words(sign_in, north_shore, tmp_path):
    from publishing.studio.beginnings import unpack

    for number, (archive, words) in enumerate(BROKEN):
        (tmp_path / str(number)).mkdir()
        with pytest.raises(Invalid, match=words):
            unpack(archive, tmp_path / str(number))
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


def test_of_two_folders_at_once_that_fit_one_by_one_only_one_is_taken(
    sign_in, north_shore, tmp_path, settings
):
    """The second comes whole after the first was found to fit."""
    client, url = sign_in("owner"), reverse("studio_from_folder", kwargs={"workspace": north_shore.pk})
    archives, sizes = [], []
    for name in ("first", "second"):
        picture = media_files.saved(tmp_path, f"{name}.png", media_files.photo(64, 64)).read_bytes()
        archive = packed(content=f"title = '{name}'\n[[scenes]]\ntext = 'A'\nstill = '{name}.png'".encode())
        with zipfile.ZipFile(archive, "a") as opened:
            opened.writestr(f"{name}.png", picture)
        archives.append(named(archive.getvalue()))
        sizes.append(len(picture))
    present = Asset.objects.present().filter(workspace=north_shore)
    before = sum(asset.bytes for asset in present)
    settings.MEDIA_QUOTA = dict.fromkeys(settings.MEDIA_QUOTA, before + sum(sizes) - 1)

    def note(execute, sql, *rest):
        if 'INSERT INTO "capsules_asset"' in sql and len(archives) == 1:
            client.post(url, {"folder": archives.pop()})
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        answer = client.post(url, {"folder": archives.pop(0)}, follow=True)
    assert "This file does not fit" in messages_of(answer)
    assert not Story.objects.filter(title="first").exists()
    assert Story.objects.get(title="second").visibility == Story.Visibility.PRIVATE
    assert sum(asset.bytes for asset in present.all()) == before + sizes[1]


@pytest.mark.parametrize("refused", ["for a file that cannot be used", "for want of room"])
def test_what_a_refused_folder_brought_back_from_the_trash_returns_there(
    refused, sign_in, north_shore, tmp_path, settings
):
    client, url = sign_in("owner"), reverse("studio_from_folder", kwargs={"workspace": north_shore.pk})
    picture = media_files.saved(tmp_path, "a.png", media_files.photo(64, 64)).read_bytes()
    scene = "[[scenes]]\ntext = 'A'\nanimation = 'auto'\nstill = '{}.png'\n"

    def send(**files: bytes) -> None:
        archive = packed(content=f"title = 'A'\n{''.join(map(scene.format, files))}".encode())
        with zipfile.ZipFile(archive, "a") as opened:
            for name, content in files.items():
                opened.writestr(f"{name}.png", content)
        client.post(url, {"folder": named(archive.getvalue())})

    def fill(execute, sql, *rest):
        if 'UPDATE "capsules_asset"' in sql:  # it comes back, after it was found to fit
            settings.MEDIA_QUOTA = dict.fromkeys(settings.MEDIA_QUOTA, 1)
        return execute(sql, *rest)

    send(a=picture)
    Story.objects.filter(title="A").delete()
    kept = Asset.objects.filter(workspace=north_shore, filename="a.png")
    assert kept.update(deleted_at=timezone.now()) == 1
    if refused == "for want of room":
        with connection.execute_wrapper(fill):
            send(a=picture)
    else:
        send(a=picture, b=b"no picture")
    assert not Story.objects.filter(title="A").exists()
    assert not kept.present().exists()


def test_a_story_of_a_folder_is_private_from_the_first(sign_in, north_shore):
    """So that it stays so where the process is killed right after it was made."""
    made = []

    def note(execute, sql, params, *rest):
        if 'INSERT INTO "capsules_story"' in sql:
            made.extend(params)
        return execute(sql, params, *rest)

    url = reverse("studio_from_folder", kwargs={"workspace": north_shore.pk})
    folder = packed(content=b"title = 'A'\n[[scenes]]\ntext = 'A'")
    with connection.execute_wrapper(note):
        sign_in("owner").post(url, {"folder": folder})
    assert Story.Visibility.PRIVATE in made and Story.Visibility.PUBLIC not in made


@pytest.mark.parametrize("who, words", [("owner", "suspended"), ("viewer", "does not allow writing")])
def test_who_may_not_write_has_no_folder_unpacked(who, words, sign_in, north_shore, monkeypatch):
    from publishing.studio import beginnings

    if who == "owner":
        Workspace.objects.update(suspended_at=timezone.now())
    monkeypatch.setattr(beginnings, "unpack", lambda *args: pytest.fail("It was unpacked."))
    url = reverse("studio_from_folder", kwargs={"workspace": north_shore.pk})
    answer = sign_in(who).post(url, {"folder": packed()}, follow=True)
    assert words in messages_of(answer)
