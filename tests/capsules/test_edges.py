"""What is kept how long, who sees what, and what a field may be: the rules of rows and values, each with its edges."""

from __future__ import annotations

import errno
from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import Membership, User, Workspace
from capsules import folder, garbage, housekeeping, putting_off, rules
from capsules.media import Interrupted, NoRoom
from capsules.models import (
    Asset,
    EditingSession,
    Encode,
    HiddenBlob,
    Preview,
    Revision,
    Scene,
    Story,
    Upload,
    UploadLink,
)
from capsules.models.putting_off import CanBePutOff
from capsules.views import range_of
from config.errors import Conflict, Invalid
from tests.support import factories

SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)


# --- What is forgotten when ----------------------------------------------------------------------------------------


def encode(**fields) -> Encode:
    return Encode.objects.create(kind="still", recipe=uuid4().hex, sources=[], **fields)


def asset(workspace: Workspace, **fields) -> Asset:
    name = f"aa/{uuid4().hex}.png"
    return factories.make_asset(workspace, name=name, filename="a.png", media_type="image/png", **fields)


def upload(workspace: Workspace, **fields) -> Upload:
    fields = {"state": "receiving", "expires_at": timezone.now() + HOUR} | fields
    return Upload.objects.create(workspace=workspace, kind="picture", filename="a.png", **fields)


@pytest.mark.django_db
@pytest.mark.parametrize("age, shown_by, stays", [
    (-HOUR, None, True), (HOUR, None, False), (None, None, True), (HOUR, "still", True), (HOUR, "animation", True),
    (HOUR, "trashed scene", True), (HOUR, "thumbnail", True), (HOUR, "preview", True),
])  # fmt: skip
def test_an_encode_is_forgotten_a_day_after_its_end_where_nothing_names_it(age, shown_by, stays, north_shore):
    finished = None if age is None else timezone.now() - settings.BLOB_RETENTION - age
    made = encode(finished_at=finished, state="done")
    story = factories.make_draft(north_shore)
    if shown_by in ("still", "animation"):
        story.scenes.update(**{f"{shown_by}_encode": made})
    elif shown_by == "trashed scene":
        story.scenes.update(still_encode=made, deleted_at=timezone.now())
    elif shown_by == "thumbnail":
        asset(north_shore, still_encode=made)
    elif shown_by == "preview":
        Preview.objects.create(story=story, number=1, content={"scenes": []}).encodes.add(made)
    garbage.forget_encodes()
    assert Encode.objects.filter(pk=made.pk).exists() is stays


@pytest.mark.django_db
@pytest.mark.parametrize("age, left", [(-HOUR, 2), (HOUR, 0)])
def test_an_upload_and_a_link_are_known_a_week_after_their_end(age, left, north_shore, owner):
    ended = timezone.now() - settings.UPLOAD_MEMORY - age
    upload(north_shore, state="ready", finished_at=ended)
    upload(north_shore, state="receiving")
    UploadLink.objects.create(workspace=north_shore, created_by=owner, digest="x", expires_at=ended)
    garbage.forget_uploads()
    assert Upload.objects.filter(state="ready").count() + UploadLink.objects.count() == left
    assert Upload.objects.filter(state="receiving").exists()


@pytest.mark.django_db
@pytest.mark.parametrize("age, named_by, stays", [
    (HOUR, None, False), (-HOUR, None, True), (None, None, True), (HOUR, "scene", True), (HOUR, "trashed scene", True),
    (HOUR, "film", True), (HOUR, "revision", True), (HOUR, "revision elsewhere", False),
])  # fmt: skip
def test_a_file_goes_a_month_after_its_end_where_no_scene_and_no_history_names_it(
    age, named_by, stays, north_shore, harbour
):
    gone = None if age is None else timezone.now() - settings.TRASH_RETENTION - age
    file = asset(north_shore, deleted_at=gone)
    story = factories.make_draft(harbour if named_by == "revision elsewhere" else north_shore)
    if named_by in ("scene", "trashed scene"):
        story.scenes.update(still=file, deleted_at=timezone.now() if "trashed" in named_by else None)
    elif named_by == "film":
        story.scenes.update(film=file)
    elif named_by:
        Revision.objects.create(story=story, number=99, content={"scenes": [{"still": str(file.pk)}]})
    garbage.forget_media()
    assert Asset.objects.filter(pk=file.pk).exists() is stays


@pytest.mark.django_db
@pytest.mark.parametrize("kind, age, same_day, stays", [
    ("auto", -HOUR, True, True), ("auto", DAY, True, False), ("auto", DAY, False, True), ("named", DAY, True, True),
    ("published", DAY, True, True), ("conflict", DAY, False, False), ("restored", DAY, False, False),
    ("conflict", -HOUR, False, True), ("restored", -HOUR, False, True),
])  # fmt: skip
def test_which_revisions_are_thinned_out(kind, age, same_day, stays, north_shore):
    story = factories.make_draft(north_shore)
    at = (timezone.now() - settings.REVISION_RETENTION - age).replace(hour=12, minute=0)
    if age < timedelta():
        at += DAY
    one = Revision.objects.create(story=story, number=50, kind=kind, content={}, updated_at=at)
    later = at + HOUR if same_day else at + DAY
    Revision.objects.create(story=story, number=51, kind="auto", content={}, updated_at=later)
    elsewhere = factories.make_draft(north_shore)
    Revision.objects.create(story=elsewhere, number=52, kind="auto", content={}, updated_at=at)
    housekeeping.thin_revisions(timezone.now())
    assert Revision.objects.filter(pk=one.pk).exists() is stays
    assert Revision.objects.filter(number=51).exists() and Revision.objects.filter(number=52).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("age, number, stays", [(HOUR, 1, False), (-HOUR, 1, True), (HOUR, 2, True)])
def test_a_preview_goes_after_a_week_but_for_the_latest(age, number, stays, north_shore):
    story = factories.make_draft(north_shore)
    for each in (1, 2):
        Preview.objects.create(story=story, number=each, content={"scenes": []})
    old = timezone.now() - settings.PREVIEW_RETENTION - age
    Preview.objects.filter(number=number).update(created_at=old)
    assert housekeeping.forget_previews(timezone.now()) == (not stays)
    assert Preview.objects.filter(number=number).exists() is stays


@pytest.mark.django_db
def test_a_preview_that_readers_get_is_kept(live_story):
    first = live_story.previews.get()
    Preview.objects.create(story=live_story, number=first.number + 1, content={"scenes": []})
    Preview.objects.filter(pk=first.pk).update(created_at=timezone.now() - 2 * settings.PREVIEW_RETENTION)
    assert housekeeping.forget_previews(timezone.now()) == 0


@pytest.mark.django_db
@pytest.mark.parametrize("age, stays", [(-HOUR, True), (HOUR, False), (None, True)])
def test_the_trash_is_emptied_after_a_month(age, stays, north_shore):
    gone = None if age is None else timezone.now() - settings.TRASH_RETENTION - age
    story, other = factories.make_draft(north_shore, scenes=2), factories.make_draft(north_shore)
    Story.objects.filter(pk=story.pk).update(deleted_at=gone)
    Scene.objects.filter(pk=other.scenes.get().pk).update(deleted_at=gone)
    housekeeping.forget_what_is_old()
    assert Story.objects.filter(pk=story.pk).exists() is stays
    assert Scene.every.filter(story=other).exists() is stays and Story.objects.filter(pk=other.pk).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("age, left", [(59, 1), (61, 0)])
def test_an_editor_is_there_for_a_minute_after_its_last_sign_of_life(age, left, north_shore, owner):
    story = factories.make_draft(north_shore)
    EditingSession.objects.create(story=story, user=owner, seen_at=timezone.now() - age * SECOND)
    housekeeping.forget_what_is_old()
    assert EditingSession.objects.count() == left


# --- Uploads, links and encodes ------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("role, change", [
    ("owner", ""), ("admin", ""), ("editor", ""), ("viewer", ""), (None, ""), ("editor", "late"), ("editor", "full"),
    ("editor", "inactive"), ("editor", "suspended"), ("editor", "elsewhere"),
])  # fmt: skip
def test_a_link_takes_files_while_its_maker_may_write_and_it_has_room_and_time(
    role, change, north_shore, harbour
):
    maker = User.objects.create_user("maker@north-shore.example", "x", is_active=change != "inactive")
    if role:
        where = harbour if change == "elsewhere" else north_shore
        Membership.objects.create(workspace=where, user=maker, role=role)
    late, full = change == "late", change == "full"
    link = UploadLink.objects.create(
        workspace=north_shore, created_by=maker, digest="x", files=settings.UPLOAD_LINK_FILES - (not full),
        expires_at=timezone.now() + (-SECOND if late else HOUR),
    )  # fmt: skip
    if change == "suspended":
        Workspace.objects.filter(pk=north_shore.pk).update(suspended_at=timezone.now())
    allowed = role in ("owner", "admin", "editor") and change not in ("inactive", "suspended", "elsewhere")
    rows = UploadLink.objects
    assert rows.allowed().exists() is allowed
    assert rows.alive().exists() is (allowed and not late)
    assert rows.open().exists() is link.is_open is (allowed and not late and not full)


@pytest.mark.django_db
@pytest.mark.parametrize("fields, overdue, due, is_expired", [
    ({}, False, False, False), ({"expires_at": -HOUR}, True, False, True),
    ({"expires_at": -HOUR, "lease_until": HOUR}, False, False, True),
    ({"expires_at": -HOUR, "lease_until": -HOUR}, True, False, True), ({"state": "checking"}, False, True, False),
    ({"state": "checking", "expires_at": -HOUR}, False, True, False),
    ({"state": "checking", "lease_until": HOUR}, False, False, False),
    ({"state": "ready", "expires_at": -HOUR}, False, False, False), ({"state": "expired"}, False, False, True),
])  # fmt: skip
def test_which_upload_is_due_and_which_came_too_late(fields, overdue, due, is_expired, north_shore):
    now = timezone.now()
    row = upload(
        north_shore, **{name: now + each if name != "state" else each for name, each in fields.items()}
    )
    assert (Upload.objects.overdue().exists(), Upload.objects.due().exists()) == (overdue, due)
    assert row.is_expired is is_expired
    assert Upload.objects.under_way().exists() is (row.state in ("receiving", "checking"))


@pytest.mark.django_db
def test_for_a_workspace_one_address_is_fetched_at_a_time_and_the_oldest_first(north_shore, harbour):
    url = {"source_url": "https://ink.example/a.png", "state": "checking"}
    second, first = (upload(north_shore, **url, created_at=timezone.now() - n * HOUR) for n in (1, 2))
    elsewhere, sent = upload(harbour, **url), upload(north_shore, state="checking")
    assert set(Upload.objects.to_fetch()) == {first, second, elsewhere}
    assert set(Upload.objects.whole()) == {sent}
    assert Upload.objects.to_fetch().claim() == first
    assert Upload.objects.to_fetch().claim() == elsewhere
    assert Upload.objects.to_fetch().claim() is None
    Upload.objects.filter(pk=first.pk).update(lease_until=timezone.now() - HOUR)
    assert Upload.objects.to_fetch().claim() == first, "whoever fetched it has died"


@pytest.mark.django_db
def test_the_sooner_encode_is_taken_first_by_one_worker_and_given_back_as_it_was():
    later, sooner, done = encode(priority=5), encode(priority=1), encode(priority=0, state="done")
    held = encode(priority=0, state="running", lease_token=uuid4(), lease_until=timezone.now() + HOUR)
    lapsed = encode(priority=2, state="running", lease_token=uuid4(), lease_until=timezone.now() - HOUR)
    claimed = [Encode.objects.claim() for _ in range(4)]
    assert claimed == [sooner, lapsed, later, None]
    assert (claimed[0].state, claimed[0].attempts) == ("running", 1)
    assert claimed[0].held().give_back() == 1
    sooner.refresh_from_db()
    assert (sooner.state, sooner.attempts, sooner.lease_until) == ("queued", 0, None)
    assert Encode.objects.claim() == sooner
    assert set(Encode.objects.unfinished()) == {later, sooner, held, lapsed} and done.state == "done"


REASONS = [
    (NoRoom("x"), "NO_ROOM"), (OSError(errno.ENOSPC, "x"), "NO_ROOM"), (OSError(errno.EDQUOT, "x"), "NO_ROOM"),
    (OSError(errno.EIO, "x"), "STORAGE"), (Interrupted("x"), "KILLED"), (ValueError("x"), "OTHER"),
]  # fmt: skip


def test_why_work_is_put_off():
    for error, reason in REASONS:
        assert putting_off.reason_of(error) == CanBePutOff.Reason[reason]


def test_only_what_says_something_of_the_file_is_a_verdict():
    assert putting_off.is_verdict(Invalid("It is broken.")) and putting_off.is_verdict(
        Conflict("It is gone.")
    )
    assert not putting_off.is_verdict(Interrupted("x")) and not putting_off.is_verdict(ValueError("x"))


@pytest.mark.django_db
@pytest.mark.parametrize("since, comes_again", [(None, True), (-HOUR, True), (HOUR, False)])
def test_work_is_put_off_for_a_day_and_a_try_does_not_count(since, comes_again):
    token = uuid4()
    first = since and timezone.now() - settings.TRIED_FOR - since
    job = encode(
        attempts=2, lease_token=token, lease_until=timezone.now() + HOUR, state="running", put_off_since=first
    )
    assert putting_off.put_off(job, OSError("x"), state="queued") is comes_again
    job.refresh_from_db()
    if comes_again:
        assert (job.state, job.attempts, job.lease_token, job.put_off) == ("queued", 1, None, "storage")
        assert job.lease_until > timezone.now() and (job.put_off_since == first or first is None)
    else:
        assert (job.state, job.lease_token) == ("running", token)


# --- Who sees what -------------------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("who", ["viewer", "stranger"])
@pytest.mark.parametrize("trashed", [False, True])
def test_rows_are_seen_by_the_people_of_their_workspace(trashed, who, north_shore, person):
    gone = timezone.now() if trashed else None
    story = factories.make_draft(north_shore)
    Story.objects.update(deleted_at=gone)
    asset(north_shore, deleted_at=gone)
    upload(north_shore)
    HiddenBlob.objects.create(name="aa/x.webp", workspace=north_shore)
    actor, is_member = Actor.by_token(person(who)), who != "stranger"
    assert Story.objects.visible_to(actor).exists() is (is_member and not trashed)
    assert Story.objects.of(actor).exists() is is_member
    assert Story.objects.trashed(actor).exists() is (is_member and trashed)
    assert Asset.objects.visible_to(actor).exists() is (is_member and not trashed)
    assert Upload.objects.visible_to(actor).exists() is is_member
    assert HiddenBlob.objects.visible_to(actor).exists() is is_member
    assert HiddenBlob.objects.visible_to(person(who)).exists() is is_member
    assert story.workspace == north_shore


@pytest.mark.django_db
def test_the_trash_lists_an_edition_that_was_deleted_by_itself(north_shore):
    capsule = factories.make_draft(north_shore)
    edition = factories.make_draft(north_shore)
    now = timezone.now()
    Story.objects.filter(pk=edition.pk).update(capsule=capsule, edition_name="short", deleted_at=now - HOUR)
    Story.objects.filter(pk=capsule.pk).update(deleted_at=now)
    assert set(Story.objects.deleted_by_themselves()) == {capsule, edition}
    Story.objects.filter(pk=edition.pk).update(deleted_at=now)
    assert set(Story.objects.deleted_by_themselves()) == {capsule}


# --- Values --------------------------------------------------------------------------------------------------------


PLACES = [
    ([0, 1], True, True), ([0, 0], True, False), ([1, 1], True, True), ([1.01, 1], False, True),
    ([-0.01, 0.5], False, False),
    ([0.5, 12], False, True), ([0.5, 12.1], False, False), ([999999, 1], False, True), ([1e6, 1], False, False),
    ([0.5], False, False), ([0.5, 0.5, 0.5], False, False), ([True, 0.5], False, False), (["0", "1"], False, False),
    ("01", False, False), (None, False, True), ({}, False, False), ([float("nan"), 0.5], False, False),
]  # fmt: skip


def test_what_a_focus_and_a_part_of_a_film_are():
    for value, focus, span in PLACES:
        assert (rules.is_focus(value), rules.is_span(value)) == (focus, span)


PARTS = [
    (None, 3.0, False), ((0, 1), None, False), ((2.5, 1), 3.0, False), ((2.6, 1), 3.0, True), ((0, 1), 0.2, False),
    ((0.1, 1), 0.2, True),
]  # fmt: skip


def test_a_part_begins_half_a_second_before_its_film_ends():
    for trim, duration, wrong in PARTS:
        assert [fault.path for fault in rules.trim_faults(trim, duration, "a.")] == ["a.trim"] * wrong


def test_how_many_scenes_there_may_be(settings):
    settings.SCENES_PER_STORY = 5
    assert not rules.count_faults(5) and [fault.path for fault in rules.count_faults(6)] == ["scenes"]


FIELDS = [
    ({"title": "A"}, []), ({"title": " \u200b"}, ["title"]), ({"title": "x" * 201}, ["title"]),
    ({"title": "x" * 200}, []),
    ({"title": "a\nb"}, ["title"]), ({"summary": "x" * 301}, ["summary"]), ({"language": "pt-BR"}, []),
    ({"language": "English!"}, ["language"]), ({"accent": "#12345"}, ["look.accent"]), ({"accent": "#b5432a"}, []),
    ({"accent": ""}, []), ({"theme": "pink"}, ["look.theme"]), ({"title": "a\0"}, ["title"]), ({"unknown": "x"}, []),
]  # fmt: skip


def test_what_the_fields_of_a_story_may_be():
    for fields, paths in FIELDS:
        assert sorted({fault.path for fault in rules.story_faults(fields)}) == paths


RANGES = [
    ("bytes=0-0", (0, 0)), ("bytes=0-", (0, 99)), ("bytes=5-9", (5, 9)), ("bytes=-1", (99, 99)),
    ("bytes=-500", (0, 99)),
    ("bytes=90-500", (90, 99)), ("bytes=99-", (99, 99)), (" bytes=0-1 ", (0, 1)), ("bytes=-0", (100, 99)),
    ("bytes=100-", (100, 99)), ("bytes=9-5", None), ("bytes=-", None), ("bytes=0-1,3-4", None), ("items=0-1", None),
    ("bytes=a-b", None), ("", None),
]  # fmt: skip


def test_which_bytes_of_a_file_are_asked_for():
    for header, found in RANGES:
        if found is None:
            with pytest.raises(ValueError):
                range_of(header, 100)
        else:
            assert range_of(header, 100) == found


def test_files_of_a_folder_are_those_in_it_and_no_links(tmp_path):
    inside = tmp_path / "capsule"
    (inside / "deeper").mkdir(parents=True)
    (inside / "a.png").write_bytes(b"x")
    (inside / "deeper" / "b.png").write_bytes(b"x")
    (tmp_path / "outside.png").write_bytes(b"x")
    (inside / "link.png").symlink_to(tmp_path / "outside.png")
    (inside / "own-link.png").symlink_to(inside / "a.png")
    assert folder.file_fault(inside, "a.png") is None
    for name in (
        "b.png",
        "deeper/b.png",
        "deeper",
        "../outside.png",
        str(inside / "a.png"),
        "./a.png",
        "",
        "x" * 256,
    ):
        assert "no file" in folder.file_fault(inside, name), name
    for name in ("link.png", "own-link.png"):
        assert "is a link" in folder.file_fault(inside, name)


CUTS = [("abc", 2, "ab"), ("aé", 2, "a"), ("aé", 3, "aé"), ("", 3, "")]


def test_a_name_is_cut_between_characters():
    for text, limit, cut in CUTS:
        assert folder.cut_to_bytes(text, limit) == cut


def test_nothing_that_a_terminal_would_obey_is_printed():
    assert folder.printable("Ä\n\x1b[31mred\x07\u202e") == "Ä\n\\x1b[31mred\\x07\\u202e"


MANIFESTS = [
    ([], 1, ["scenes"]),
    ([{}] * 3, 3, []),
    ([{}] * 3, 4, ["cover"]),
    ([{}] * 6, 1, ["scenes"]),
    ([{}], None, []),
]


def test_a_manifest_names_its_cover_among_its_scenes(settings):
    settings.SCENES_PER_STORY = 5
    for scenes, cover, paths in MANIFESTS:
        assert [fault.path for fault in folder.scenes_faults(scenes, cover)] == paths


# --- Lists of the API -----------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_which_stories_a_list_has(api, live_story, rendered, north_shore):
    factories.make_edition(live_story, rendered)
    draft = factories.make_draft(north_shore, title="The 7.40 from Harrow")
    other = factories.make_draft(north_shore, title="In the trash")
    factories.make_edition(other, rendered)
    assert api.call("DELETE", f"/stories/{other.pk}").status_code == 200

    def titles(query: str) -> set[str]:
        return {story["title"] for story in api.get(f"/stories?{query}").json()["items"]}

    assert titles("") == {live_story.title, draft.title}, "an edition stands with its capsule"
    assert titles("state=draft") == titles("q=HARROW") == {draft.title}
    assert titles("state=live") == titles("q=voyages") == {live_story.title}
    assert titles("state=trash") == {other.title} and titles("q=none") == set()


@pytest.mark.django_db
def test_what_is_no_identifier_is_told_where_it_stands(api, live_story):
    answer = api.call("POST", "/stories", {"workspaceId": "north-shore", "title": "x"})
    assert (answer.status_code, answer.json()["details"][0]["path"]) == (400, "workspaceId")
    assert api.get(f"/stories/{live_story.pk}/scenes/first").status_code == 404


@pytest.mark.django_db
def test_a_deletion_takes_no_parameter_that_it_does_not_know(api, live_story):
    refused = api.call("DELETE", f"/stories/{live_story.pk}?unpublished=true")
    assert (refused.status_code, refused.json()["details"][0]["path"]) == (400, "unpublished")
