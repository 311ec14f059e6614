"""Files that are sent for a scene arrive in it, whoever closed the page meanwhile, and never over a later choice."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.actions import connections, keys
from accounts.models import Connection, Membership, User
from capsules.actions import media, scenes
from capsules.models import Asset, Revision, Scene, Story, Upload
from capsules.uploads import attaching
from tests.capsules.test_upload_links import put
from tests.capsules.test_uploads import begin, send
from tests.support import factories
from tests.support.checking import check_uploads
from tests.support.oauth import App

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def story(north_shore) -> Story:
    """A draft of two scenes without pictures."""
    return factories.make_draft(north_shore, scenes=2)


@pytest.fixture
def scene(story) -> Scene:
    return story.scenes.get(position=0)


@pytest.fixture
def film(clip) -> bytes:
    return clip.read_bytes()


def begun(api, scene: Scene, data: bytes, **body) -> str:
    """The id of an upload for this scene, whose file is sent but not yet checked."""
    body = {"storyId": str(scene.story_id), "sceneId": str(scene.key), **body}
    answer = begin(api, size=len(data), **body)
    assert answer.status_code == 201, answer.content
    assert send(api, answer.json()["id"], data).status_code == 204
    return answer.json()["id"]


def taken(api, id: str) -> Asset:
    check_uploads()
    told = api.get(f"/uploads/{id}").json()
    assert told["state"] == "ready", told
    return Asset.objects.get(pk=told["mediaId"])


def announced(api, scene: Scene) -> Upload:
    """An upload for this scene, of whose file nothing was sent."""
    answer = begin(api, size=9, storyId=str(scene.story_id), sceneId=str(scene.key))
    assert answer.status_code == 201, answer.content
    return Upload.objects.get(pk=answer.json()["id"])


def arrived(upload: Upload) -> Asset:
    """A picture in the library, after what becomes of the scene once a file of this upload was looked into."""
    facts = {"filename": "ferry.png", "media_type": "image/png", "width": 64, "height": 64}
    asset = Asset.objects.create(workspace=upload.workspace, kind="picture", name=f"{upload.pk}.png", **facts)
    ended = {"state": Upload.State.READY, "asset": asset, "finished_at": timezone.now()}
    with transaction.atomic():
        Upload.objects.filter(pk=upload.pk).update(**ended)
        attaching.attach(upload, asset)
    return asset


def choose(api, scene: Scene, **fields) -> None:
    """The author changes the scene by themselves."""
    answer = api.call("PATCH", f"/stories/{scene.story_id}/scenes/{scene.key}", fields)
    assert answer.status_code == 200, answer.content


# --- Arriving ---


def test_a_film_arrives_in_its_scene_with_its_still_as_its_sender_would_have_put_it_there(
    api, story, scene, film, owner
):
    asset = taken(api, begun(api, scene, film, kind="film"))
    scene.refresh_from_db()
    assert (scene.film, scene.animation, scene.still) == (asset, "film", asset.posters.get())
    assert (scene.version, scene.edited_by) == (2, owner)
    assert scene.settle_at is not None, "its encodes are asked for"
    revision = story.revision
    story.refresh_from_db()
    assert story.revision == revision + 1, "open editors hear of it"
    last = Revision.objects.filter(story=story).order_by("-number").first()
    assert (last.by, last.via) == (owner, "api")


def test_a_file_that_was_sent_in_the_studio_is_a_change_of_the_studio(
    client, api, story, scene, picture, owner
):
    client.force_login(owner)
    token = client.post("/studio/token").json()["token"]
    body = {"kind": "picture", "filename": "a.png", "size": len(picture)}
    body |= {"storyId": str(story.pk), "sceneId": str(scene.key)}
    answer = api.call("POST", "/uploads", body, headers={"Authorization": f"Bearer {token}"})
    assert send(api, answer.json()["id"], picture).status_code == 204
    check_uploads()
    assert story.revisions.latest("number").via == "studio"


def test_a_picture_arrives_in_its_scene_and_replaces_what_it_was_sent_to_replace(api, scene):
    first, second = arrived(announced(api, scene)), arrived(announced(api, scene))
    scene.refresh_from_db()
    assert first != second
    assert scene.still == second


def test_a_film_brings_the_still_of_the_part_that_is_shown_of_it_or_its_own(scene, clip):
    """A part that another film showed is none of this one; nor is one that begins behind its end."""
    workspace = scene.story.workspace
    asset = media.upload(workspace, clip, kind="film")
    for has_film, start, begins in ((False, 0.25, 0.25), (False, 0.75, None), (True, 0.25, None)):
        scene.film = factories.shared_film(workspace) if has_film else None
        scene.trim_start, scene.trim_length = start, 0.25
        fields = attaching.fields_for(scene, asset)
        assert (fields["film"], fields["animation"]) == (asset, "film")
        assert fields["still"].poster_of == asset and fields["still"].begins_at == [begins]
    scene.still = asset.posters.first()
    assert "still" not in attaching.fields_for(scene, asset)


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_of_two_files_for_one_scene_the_one_that_was_sent_last_stays(order, api, scene):
    uploads = [announced(api, scene), announced(api, scene)]
    seen = {}
    for place in order:
        seen[place] = arrived(uploads[place])
        scene.refresh_from_db()
        assert scene.still == seen[max(seen)]


# --- What came between ---


@pytest.mark.parametrize("sent_for", [0, 1])
def test_a_choice_wins_though_another_file_arrived_in_the_scene_or_its_own_for_another_scene_meanwhile(
    sent_for, api, story, scene
):
    """The file that is chosen was in the library before, or was sent for the second scene and came in the meantime."""
    chosen = arrived(announced(api, story.scenes.get(position=1))) if sent_for == 0 else None
    earlier = announced(api, story.scenes.get(position=sent_for))
    waiting = announced(api, scene)
    sent = arrived(earlier)
    choose(api, scene, still=str((chosen or sent).pk))
    arrived(waiting)
    scene.refresh_from_db()
    assert scene.still == (chosen or sent)


def test_an_earlier_file_that_the_author_put_back_meanwhile_stays(api, scene):
    earlier = arrived(announced(api, scene))
    arrived(announced(api, scene))
    upload = announced(api, scene)
    choose(api, scene, still=str(earlier.pk))
    arrived(upload)
    scene.refresh_from_db()
    assert scene.still == earlier


def test_whoever_took_a_picture_away_meanwhile_still_gets_the_one_that_was_sent(api, scene):
    arrived(announced(api, scene))
    upload = announced(api, scene)
    choose(api, scene, still=None)
    asset = arrived(upload)
    scene.refresh_from_db()
    assert scene.still == asset


def without_scene(story: Story, scene: Scene) -> None:
    scenes.delete_scene(story, scene.key, by=None)


def gone_for_ever(story: Story, scene: Scene) -> None:
    story.delete()


def role_taken(story: Story, scene: Scene) -> None:
    Membership.objects.filter(workspace=story.workspace).update(role="viewer")


def left(story: Story, scene: Scene) -> None:
    user = Membership.objects.get(workspace=story.workspace, role="owner").user
    user.is_active = False
    user.save()


@pytest.mark.parametrize(
    "happens", [without_scene, gone_for_ever, role_taken, left], ids=lambda f: f.__name__
)
def test_a_file_whose_scene_or_permission_is_gone_stays_in_the_library(happens, api, story, scene, caplog):
    caplog.set_level("INFO", "capsules.uploads.attaching")
    upload = announced(api, scene)
    happens(story, scene)
    arrived(upload)
    why = f"The file of upload {upload.pk} stays in the library: "
    assert (why in caplog.text) is (happens is not gone_for_ever)
    if happens is left:
        assert f"{why}Whoever sent this file may not write here any more." in caplog.text
    assert not Scene.every.filter(still__isnull=False).exists()


# --- Killed ---


def test_a_checker_that_is_killed_before_it_is_done_leaves_neither_or_both(
    api, scene, picture, monkeypatch, settings
):
    id = begun(api, scene, picture)
    real, killed = attaching.attach, []

    def dies(upload, asset):
        real(upload, asset)
        killed.append(upload)
        raise SystemExit

    monkeypatch.setattr(attaching, "attach", dies)
    with pytest.raises(SystemExit):
        check_uploads()
    scene.refresh_from_db()
    assert killed
    assert (Upload.objects.get(pk=id).state, scene.still) == ("checking", None)
    monkeypatch.setattr(attaching, "attach", real)
    Upload.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    asset = taken(api, id)
    scene.refresh_from_db()
    assert (scene.still, scene.version) == (asset, 2)


# --- Who may, and for what ---


def test_only_who_writes_a_story_sends_files_for_its_scenes(api, person, scene):
    body = {"storyId": str(scene.story_id), "sceneId": str(scene.key)}
    for who, status in (("viewer", 403), ("stranger", 404)):
        assert begin(api.as_(person(who)), size=10, **body).status_code == status


def test_a_scene_that_is_not_of_this_story_is_refused(api, story, scene, north_shore, harbour, person):
    own, foreign = str(story.pk), factories.make_draft(harbour)
    second = factories.make_draft(north_shore, title="Another")
    elsewhere = {"storyId": str(second.pk), "sceneId": str(scene.key)}
    cases = [
        ({"storyId": own, "sceneId": str(uuid.uuid4())}, 404, None),
        (elsewhere, 404, None),
        ({"storyId": str(foreign.pk), "sceneId": str(foreign.scenes.get().key)}, 404, None),
        ({"sceneId": str(scene.key)}, 400, "storyId"),
        ({"storyId": own, "sceneId": None}, 400, "sceneId"),
        ({"storyId": own, "sceneId": 7}, 400, "sceneId"),
        ({"storyId": own.replace("-", ""), "sceneId": str(scene.key)}, 400, "storyId"),
        ({"storyId": own, "sceneId": "x"}, 400, "sceneId"),
        ({"storyId": own, "scene": str(scene.key)}, 400, "scene"),
    ]
    for body, status, path in cases:
        answer = begin(api, size=10, **body)
        assert answer.status_code == status, (body, answer.content)
        if path:
            assert path in [detail["path"] for detail in answer.json()["details"]], body
    without_scene(story, scene)
    assert begin(api, size=10, storyId=own, sceneId=str(scene.key)).status_code == 404
    assert not Upload.objects.exists()


def shows_it(upload: Upload, end: Callable[[], object], via: str) -> bool:
    """Whether the scene of an upload shows its file after `end`, of which nothing stays."""
    with transaction.atomic():
        end()
        upload.via = via
        arrived(upload)
        shown = Scene.objects.get(pk=upload.scene_id).still is not None
        transaction.set_rollback(True)
    return shown


def test_what_an_app_sent_arrives_only_while_it_is_connected(scene, owner):
    upload = announced(App(owner).connect("stories:read stories:write"), scene)
    because = {"because": Connection.Ended.REVOKED, "by": owner}
    for via in ("app", ""):  # nobody noted it of old ones
        assert shows_it(upload, lambda: None, via)
        assert not shows_it(upload, lambda: connections.end(Connection.objects.get(), **because), via)
        assert not shows_it(upload, lambda: Connection.objects.update(scopes=["stories:read"]), via)


def test_what_a_key_sent_arrives_only_while_it_works(api, scene, owner, north_shore):
    made, secret = keys.create_api_key(north_shore, by=owner, scopes=["stories:read", "stories:write"])
    upload = announced(api.with_key(secret), scene)
    for via in ("key", ""):  # nobody noted it of old ones
        assert shows_it(upload, lambda: None, via)
        assert not shows_it(upload, lambda: keys.revoke_api_key(made, by=owner), via)


def erased(upload: Upload) -> None:
    upload.created_by = None


def of_nobody_knows_whom(upload: Upload) -> None:
    upload.credential = upload.via = ""


def by_staff(upload: Upload) -> None:
    upload.created_by = User.objects.create_user("staff@capsules.example", is_staff=True)
    upload.credential, upload.via = f"staff:{upload.created_by.pk}", ""


def by_former_staff(upload: Upload) -> None:
    by_staff(upload)
    User.objects.filter(pk=upload.created_by.pk).update(is_staff=False)


def from_before_it_was_noted_how(upload: Upload) -> None:
    upload.via = ""


@pytest.mark.parametrize("sender, arrives", [
    (erased, False), (of_nobody_knows_whom, False), (by_staff, True), (by_former_staff, False),
    (from_before_it_was_noted_how, True),
])  # fmt: skip
def test_a_file_arrives_where_its_sender_is_known_and_may_write(sender, arrives, api, scene):
    upload = announced(api, scene)
    sender(upload)
    asset = arrived(upload)
    scene.refresh_from_db()
    assert scene.still == (asset if arrives else None)


# --- Links ---


def test_a_link_for_a_scene_names_its_story(api, story):
    assert api.call("POST", "/uploads/links", {"sceneId": 3}).status_code == 400
    unknown = {"storyId": str(story.pk), "sceneId": str(uuid.uuid4())}
    assert api.call("POST", "/uploads/links", unknown).status_code == 404


def test_a_file_that_came_by_a_link_in_time_arrives_after_its_end_but_not_for_who_may_no_more(
    api, scene, client, picture, person, settings
):
    body = {"storyId": str(scene.story_id), "sceneId": str(scene.key)}
    assert (
        api.as_(person("admin")).call("POST", "/uploads/links", body).status_code == 201
    )  # nobody's concern
    link = api.call("POST", "/uploads/links", body).json()["url"].removeprefix(settings.APP_URL)
    first = put(client, link, picture).json()["id"]
    upload = Upload.objects.get(pk=first)
    type(upload.link).objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    asset = taken(api, first)
    scene.refresh_from_db()
    assert scene.still == asset
    Scene.objects.update(still=None)
    person("owner").memberships.update(role="viewer")
    attaching.attach(upload, asset)
    scene.refresh_from_db()
    assert scene.still is None


def test_what_is_being_checked_is_not_cancelled_though_nobody_has_it_at_the_moment(api):
    id = begin(api, size=1000).json()["id"]
    Upload.objects.update(state=Upload.State.CHECKING)
    assert api.call("DELETE", f"/uploads/{id}/content").status_code == 423
    assert Upload.objects.filter(pk=id).exists()
