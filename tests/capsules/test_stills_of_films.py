"""The still of a film begins where its shown part begins, unless its author chose another."""

from __future__ import annotations

import io

import pytest
from django.db import connection, transaction
from django.urls import reverse
from PIL import Image

from accounts.actors import Actor
from accounts.mcp.tools import acting
from accounts.models import Membership
from capsules import advice, storage, worker
from capsules.actions import encodes, media, revisions, stills
from capsules.folder import import_story
from capsules.mcp import inputs
from capsules.mcp import scenes as mcp_scenes
from capsules.mcp import stories as mcp_stories
from capsules.mcp.fetched import Fetching, Wanted
from capsules.media import Interrupted, strips
from capsules.models import Asset, Encode, Scene, Story
from config.errors import Locked
from config.scratch import scratch
from config.slots import Slots
from publishing import drafts
from tests.capsules.test_uploads import begin, send
from tests.support import factories, media_files
from tests.support.checking import check_uploads

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("small_slices")]


@pytest.fixture(scope="session")
def long_film(tmp_path_factory) -> bytes:
    """Fourteen seconds that grow brighter."""
    made = media_files.ffmpeg(
        tmp_path_factory.mktemp("long") / "long.mp4",
        "-f lavfi -i color=black:s=64x64:r=5:d=14,format=yuv420p,geq=lum=40+12*T:cb=128:cr=128 -g 5",
    )
    return made.read_bytes()


@pytest.fixture
def scene(api, north_shore, long_film, once) -> Scene:
    """A scene that shows the whole film with its default still."""

    def make() -> int:
        scene = factories.make_draft(north_shore).scenes.get()
        body = {"kind": "film", "sceneId": str(scene.key), "filename": "long.mp4"}
        id = begin(api, size=len(long_film), storyId=str(scene.story_id), **body).json()["id"]
        send(api, id, long_film)
        check_uploads()
        return scene.pk

    scene = Scene.objects.get(pk=once("scene", make))
    assert scene.film is not None and scene.still == scene.film.posters.get()
    return scene


def change(api, scene: Scene, status: int = 200, **fields):
    answer = api.call("PATCH", f"/stories/{scene.story_id}/scenes/{scene.key}", fields)
    assert answer.status_code == status, answer.content
    scene.refresh_from_db()
    return answer.json()


def brightness(still: Asset) -> float:
    with storage.originals().open(still.name) as file, Image.open(file) as picture:
        return picture.convert("L").resize((1, 1)).getpixel((0, 0))


def test_a_change_waits_where_too_many_stills_are_drawn(api, scene, monkeypatch):
    monkeypatch.setattr(media, "drawing", Slots(1, 1, 0.01))
    part, first = {"start": 13, "length": 1}, scene.still
    with media.drawing.slot(Locked()):
        change(api, scene, 503, trim=part)
    assert (scene.trim, scene.still) == (None, first)
    assert change(api, scene, trim=part)["still"]["takenAt"] == 13


def test_the_default_still_follows_the_part_that_is_shown_and_comes_back(api, scene):
    first = scene.still
    told = change(api, scene, trim={"start": 13, "length": 1})
    assert told["still"]["id"] == str(scene.still_id) != str(first.pk)
    assert told["still"]["takenAt"] == 13
    assert brightness(scene.still) > brightness(first) + 100, "stills may be taken behind the twelfth second"
    late = scene.still
    first.refresh_from_db()
    assert first.deleted_at is None, "that of its beginning stays with the film"
    change(api, scene, trim={"start": 5, "length": 4})
    assert brightness(first) + 40 < brightness(scene.still) < brightness(late) - 40
    late.refresh_from_db()
    assert late.deleted_at is not None, "nobody wants the still of a part that is shown no more"
    change(api, scene, trim={"start": 13, "length": 1})
    late.refresh_from_db()
    assert (scene.still, late.deleted_at, late.created_by) == (late, None, api.user)
    change(api, scene, trim={"start": 5, "length": 4})
    change(api, scene, trim={"start": 5, "length": 2})
    assert scene.still.taken_at == 5
    change(api, scene, trim=None)
    first.refresh_from_db()
    assert (scene.still, first.deleted_at) == (first, None)


def test_a_still_of_a_scene_that_was_taken_out_stays_for_its_return(api, scene):
    change(api, scene, trim={"start": 13, "length": 1})
    late = scene.still
    other = factories.make_draft(scene.story.workspace).scenes.get()
    change(api, other, film=str(scene.film_id), trim={"start": 13, "length": 1}, still=str(late.pk))
    assert other.still == late
    assert api.call("DELETE", f"/stories/{other.story_id}/scenes/{other.key}").status_code == 200
    change(api, scene, trim=None)
    late.refresh_from_db()
    assert late.deleted_at is None


def test_a_film_that_is_sent_again_after_its_still_was_deleted_brings_another(scene, tmp_path, owner):
    film = scene.film
    film.posters.update(deleted_at=film.created_at)
    with storage.local_file(storage.originals(), film.name) as source:
        media.take_in(scene.story.workspace, source, kind=Asset.Kind.FILM, by=owner)
    assert film.posters.present().count() == 1


def test_a_still_that_the_author_chose_stays(api, scene):
    chosen = api.call("POST", f"/media/{scene.film_id}/still", {"at": 13.5}).json()
    assert chosen["takenAt"] == 13.5
    change(api, scene, still=chosen["id"])
    change(api, scene, trim={"start": 5, "length": 4})
    assert str(scene.still_id) == chosen["id"]
    change(api, scene, trim={"start": 13.5, "length": 0.5})
    change(api, scene, trim={"start": 2, "length": 4})
    assert str(scene.still_id) == chosen["id"], "even where the part once began with it"


def test_no_still_is_drawn_where_nobody_may_write(scene, north_shore, owner):
    north_shore.suspended_at = north_shore.created_at
    north_shore.save(update_fields=["suspended_at"])
    before = Asset.objects.count()
    story = Story.objects.get(pk=scene.story_id)
    with pytest.raises(Locked):
        stills.follow_part(story, scene.key, {"trim": (5.0, 4.0)}, by=Actor.by_token(owner), expected=None)
    assert Asset.objects.count() == before


def test_a_still_that_comes_with_the_change_is_taken(api, scene):
    chosen = api.call("POST", f"/media/{scene.film_id}/still", {"at": 3}).json()["id"]
    change(api, scene, trim={"start": 5, "length": 4}, still=chosen)
    assert str(scene.still_id) == chosen


def test_another_film_brings_its_own_still_where_the_old_one_was_the_default(api, scene, clip):
    film = media.upload(scene.story.workspace, clip, kind="film")
    change(api, scene, film=str(film.pk))
    assert (scene.film, scene.trim, scene.still) == (film, None, film.posters.get())


def test_the_default_still_of_a_copy_in_another_workspace_follows_there(api, scene, harbour):
    change(api, scene, trim={"start": 13, "length": 1})
    Membership.objects.create(workspace=harbour, user=api.user, role="editor")
    copied = api.call("POST", f"/stories/{scene.story_id}/duplicate", {"workspaceId": str(harbour.pk)})
    copy = Scene.objects.get(story=copied.json()["id"])
    late = copy.still
    assert (late.workspace, late.poster_of, late.taken_at) == (harbour, copy.film, 13)
    told = change(api, copy, trim={"start": 5, "length": 4})
    assert (copy.still.taken_at, copy.still.poster_of) == (5, copy.film)
    assert told["still"]["id"] == str(copy.still_id)
    change(api, copy, trim={"start": 13, "length": 1})
    assert copy.still == late


def test_films_from_before_know_their_first_still(api, scene):
    Asset.objects.update(begins=None, taken_at=None)
    change(api, scene, trim={"start": 5, "length": 4})
    assert scene.still.taken_at == 5
    change(api, scene, trim=None)
    assert scene.still == scene.film.posters.order_by("created_at").first()


def test_a_part_is_saved_though_its_still_cannot_be_taken(api, scene, monkeypatch, caplog):
    def fails(*arguments: object, **options: object) -> None:
        raise Interrupted

    monkeypatch.setattr(media.media, "take_still", fails)
    still = scene.still
    change(api, scene, trim={"start": 5, "length": 4})
    assert (scene.trim, scene.still) == ((5, 4), still)
    assert f"No still of film {scene.film_id} at 5.0 could be taken" in caplog.text


def test_who_may_not_write_has_no_still_taken(api, scene, person):
    before = Asset.objects.count()
    for who, status in (("viewer", 403), ("stranger", 404)):
        path = f"/stories/{scene.story_id}/scenes/{scene.key}"
        answer = api.as_(person(who)).call("PATCH", path, {"trim": {"start": 5, "length": 4}})
        assert answer.status_code == status
    stale = api.call(
        "PATCH",
        f"/stories/{scene.story_id}/scenes/{scene.key}",
        {"trim": {"start": 5, "length": 4}},
        headers={"If-Match": '"99"'},
    )
    assert stale.status_code == 412
    assert Asset.objects.count() == before


def test_the_latest_part_can_be_rendered(api, scene):
    change(api, scene, trim={"start": 13.5, "length": 4})
    with transaction.atomic():
        encodes.point_at_encodes([scene])
    encode = Encode.objects.filter(kind=Encode.Kind.FILM)
    worker.run_due(encode)
    assert encode.get().state == Encode.State.DONE, encode.get().error


def test_no_other_part_than_its_own_is_played(api, scene, owner, rendered):
    """In a draft, nor in one that was kept. All show the still that the author chose, so that pictures alone do not
    tell them apart.
    """
    chosen = api.call("POST", f"/media/{scene.film_id}/still", {"at": 3}).json()["id"]
    by = Actor.by_token(owner)
    kept = []
    for start in (5, 7):
        change(api, scene, still=chosen, trim={"start": start, "length": 1})
        assert drafts.draft_content(scene.story)["scenes"][0]["film"] is None, "it is not rendered yet"
        kept.append(revisions.name_revision(scene.story, f"From {start}", by=by).content)
        with transaction.atomic():
            encodes.point_at_encodes([scene])
        Scene.objects.update(settle_at=None)
        factories.finish_encodes(rendered, films=True)
    early, late = (drafts.content_kept(scene.story, content)["scenes"][0]["film"] for content in kept)
    assert early is None, "the still alone, as this part is rendered no more"
    assert late == drafts.draft_content(scene.story)["scenes"][0]["film"] is not None


def test_nobody_is_told_that_a_film_is_cut_who_chose_its_part(api, scene):
    def codes() -> set[str]:
        return {hint.code for hint in advice.hints(scene.story, [scene])}

    assert "film-cut" in codes()
    change(api, scene, trim={"start": 5, "length": 4})
    assert "film-cut" not in codes()


# --- Scenes that are made with a film and its part at once ---

LATE = {"start": 13, "length": 1}


@pytest.fixture
def film(north_shore, long_film, tmp_path, once) -> Asset:
    (tmp_path / "long.mp4").write_bytes(long_film)
    made = once("film", lambda: media.upload(north_shore, tmp_path / "long.mp4", kind="film").pk)
    return Asset.objects.get(pk=made)


def with_a_story(api, story: Story, film: Asset) -> Scene:
    fields = {"text": "Late.", "film": str(film.pk), "animation": "film", "trim": LATE}
    answer = api.call("POST", "/stories", {"title": "Late", "scenes": [fields]})
    assert answer.status_code == 201
    return Scene.objects.get(story=answer.json()["id"])


@pytest.mark.parametrize(
    "path, headers",
    [
        ("/stories", {"Idempotency-Key": "k-1"}),
        ("/stories/{}/scenes", {"Idempotency-Key": "k-1"}),
    ],
)
def test_a_still_of_a_new_scene_is_drawn_without_a_transaction(
    path, headers, api, north_shore, film, monkeypatch
):
    """In a transaction of SQLite nobody else could write meanwhile."""
    draw, held = media.media.take_still, []

    def noted(*args: object, **kwargs: object) -> float:
        held.append(connection.in_atomic_block)
        return draw(*args, **kwargs)

    monkeypatch.setattr(media.media, "take_still", noted)
    path = path.format(factories.make_draft(north_shore).pk)
    scene = {"text": "Late.", "film": str(film.pk), "animation": "film", "trim": LATE}
    body = scene if path.endswith("scenes") else {"title": "Late", "scenes": [scene]}
    refused = [{**body, "text": "x" * 2001}, {**body, "scenes": [{**scene, "text": "x" * 2001}]}]
    assert api.call("POST", path, refused["title" in body], headers=headers).status_code == 400
    assert held == [], "nothing is drawn for what is refused"
    for _ in range(2):
        answer = api.call("POST", path, body, headers=headers)
        assert answer.status_code == 201, answer.content
    assert held == [False]
    assert {scene.still.taken_at for scene in Scene.objects.filter(film=film)} == {13}


def with_an_app_later(api, story: Story, film: Asset) -> Scene:
    changes = {"trim": (13.0, 1.0)}
    row = mcp_scenes.change_scene(story, str(story.scenes.get().key), changes, str(film.pk), None, None, None)
    return Scene.objects.get(pk=row.pk)


def with_an_address(api, story: Story, film: Asset) -> Scene:
    given = inputs.SceneInput.model_validate(
        {"text": "Late.", "media_url": "https://x.example", "trim": LATE}
    )
    scene = mcp_stories.make_story(None, {"title": "Late", "language": "en"}, [given]).scenes.get()
    Fetching(scene.story).show(Wanted(scene.key, "https://x.example"), film)
    scene.refresh_from_db()
    return scene


def with_a_folder(api, story: Story, film: Asset) -> Scene:
    with scratch("folder") as folder:
        with storage.local_file(storage.originals(), film.name) as source:
            (folder / "late.mp4").write_bytes(source.read_bytes())
        (folder / "capsule.toml").write_text(
            'title = "Late"\n[[scenes]]\ntext = "Late."\nanimation = "late.mp4"\ntrim = {start = 13, length = 1}\n'
        )
        return import_story(folder, story.workspace).scenes.get()


@pytest.mark.parametrize(
    "way",
    [with_a_story, with_an_app_later, with_an_address, with_a_folder],
    ids=lambda way: way.__name__,
)
def test_a_scene_made_with_a_part_of_a_film_has_the_still_with_which_it_begins(
    way, api, north_shore, owner, film
):
    token = acting.set(Actor.by_token(owner))
    try:
        scene = way(api, factories.make_draft(north_shore), film)
    finally:
        acting.reset(token)
    assert (scene.film, scene.trim) == (film, (13, 1))
    assert scene.still is not None and scene.still.taken_at == 13
    assert scene.still.created_by == (None if way is with_a_folder else owner)
    assert brightness(scene.still) > brightness(film.posters.get(taken_at__lt=1)) + 100
    change(api, scene, trim=None)
    assert scene.still.begins_at == [None], "it follows, as nobody chose it"


def test_no_still_of_a_new_scene_is_drawn_in_a_suspended_workspace(api, north_shore, film):
    story, before = factories.make_draft(north_shore), Asset.objects.count()
    north_shore.suspended_at = north_shore.created_at
    north_shore.save(update_fields=["suspended_at"])
    fields = {"film": str(film.pk), "trim": LATE}
    assert api.call("POST", f"/stories/{story.pk}/scenes", fields).status_code == 423
    assert Asset.objects.count() == before


def test_parts_that_begin_with_one_frame_and_are_drawn_at_once_are_both_noted(film):
    """One of them is drawn whole while the other has the row of their picture as it was before."""
    stills.default_still(film, 10.01, by=None)
    starts = [10.02, 10.03]

    def note(execute, sql, *rest):
        answer = execute(sql, *rest)
        if 'FROM "capsules_asset"' in sql and len(starts) == 1:
            stills.default_still(film, starts.pop(), by=None)
        return answer

    first = starts.pop()
    with media.storage.local_file(storage.originals(), film.name) as source, connection.execute_wrapper(note):
        still = media.draw_still(film, source, at=first, by=None, begins=True)
    still.refresh_from_db()
    assert sorted(still.begins) == [10.01, 10.02, 10.03]


# --- Frames to choose a part on ---


def frames(client, story, film: str):
    return client.get(reverse("studio_film_frames", kwargs={"story": story.pk}), {"film": film})


def test_the_editor_gets_frames_of_the_whole_film_side_by_side(client, person, scene):
    client.force_login(person("viewer"))
    answer = frames(client, scene.story, str(scene.film_id))
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/jpeg")
    assert answer["Cache-Control"].startswith("private")
    with Image.open(io.BytesIO(answer.content)) as strip:
        assert (strip.width, strip.height) == (strips.FRAMES * strips.HEIGHT, strips.HEIGHT)
        row = strip.convert("L").resize((strips.FRAMES, 1), Image.Resampling.BOX)
        seen = [row.getpixel((place, 0)) for place in range(strips.FRAMES)]
    assert seen == sorted(seen) and seen[-1] > seen[0] + 100, "they stand in the order of time"


def test_frames_are_for_members_and_for_films_of_their_workspace(client, person, scene, harbour, clip):
    foreign = media.upload(harbour, clip, kind="film")
    harbour.memberships.create(user=person("owner"), role="owner")
    client.force_login(person("owner"))
    asked = {"": 404, "x": 404, str(scene.still_id): 404, str(foreign.pk): 404, str(scene.film_id): 200}
    assert {film: frames(client, scene.story, film).status_code for film in asked} == asked
    client.force_login(person("stranger"))
    assert frames(client, scene.story, str(scene.film_id)).status_code == 404


def test_few_films_are_drawn_at_once_and_who_comes_then_is_told_to_come_again(
    api, client, person, scene, monkeypatch
):
    monkeypatch.setattr(media, "drawing", Slots(0, 0, 0))
    client.raise_request_exception = False
    still = api.call("POST", f"/media/{scene.film_id}/still", {"at": 1.5})
    client.force_login(person("owner"))
    for answer in (still, frames(client, scene.story, str(scene.film_id))):
        assert (answer.status_code, answer["Retry-After"]) == (503, "3")
