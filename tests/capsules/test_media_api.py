"""The media of a workspace over the API: lists, stills of films, and what may be deleted."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Membership
from capsules import garbage, media
from capsules.actions import encodes
from capsules.actions import media as assets
from capsules.models import Asset, Encode, Revision, Scene, Story
from tests.support import factories, media_files
from tests.support.authoring import made, scenes_of, url

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def film(north_shore, tmp_path, once) -> Asset:
    def make() -> Any:
        source = media_files.film(tmp_path, size="64x64", seconds=2)
        return assets.take_in(north_shore, source, kind="film", filename="ferry.mp4")[0].pk

    return Asset.objects.get(pk=once("film", make))


@pytest.fixture
def still(north_shore, rendered) -> Asset:
    return factories.shared_still(north_shore, rendered)


def names(answer) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [item["filename"] for item in answer.json()["items"]]


@pytest.mark.both_databases
def test_media_are_listed_newest_first_by_kind_and_by_name(api, film, still, north_shore):
    assert names(api.get("/media")) == ["still.png", "ferry, still.png", "ferry.mp4"]
    assert names(api.get("/media?kind=film")) == ["ferry.mp4"]
    assert names(api.get("/media?q=FERRY&kind=picture")) == ["ferry, still.png"]
    assert names(api.get(f"/media?workspaceId={north_shore.pk}&limit=1")) == ["still.png"]


def test_a_file_may_be_exactly_as_large_as_the_most_we_take(api, north_shore, settings):
    settings.MAX_BYTES = {"picture": 1000, "film": 1000}
    begin = {"kind": "picture", "filename": "a.png"}
    assert [api.call("POST", "/uploads", {**begin, "size": size}).status_code for size in (1000, 1001)] == [
        201,
        413,
    ]


def test_what_was_deleted_makes_room_at_once(api, film, north_shore, settings):
    settings.MEDIA_QUOTA = {"pro": sum(asset.bytes for asset in Asset.objects.all())}
    begin = {"kind": "picture", "filename": "a.png", "size": film.bytes}
    assert api.call("POST", "/uploads", begin).status_code == 409
    assert api.call("DELETE", f"/media/{film.pk}").status_code == 200
    assert api.call("POST", "/uploads", begin).status_code == 201


def test_a_long_list_of_media_is_walked_page_by_page_in_few_queries(
    api, still, north_shore, django_assert_max_num_queries
):
    moment = timezone.now()
    for number in range(25):  # all of one moment: the identifier decides
        Asset.objects.create(
            workspace=north_shore,
            kind="picture" if number % 2 else "film",
            name=f"{number}",
            filename=f"{number:02}",
            width=1,
            height=1,
            created_at=moment,
        )
    seen, cursor = [], ""
    while cursor is not None:
        with django_assert_max_num_queries(12):
            page = api.get(f"/media?limit=10{cursor and '&cursor=' + cursor}").json()
        seen += [item["id"] for item in page["items"]]
        cursor = page["nextCursor"]
    assert len(seen) == len(set(seen)) == 26
    foreign = api.get("/media?limit=1").json()["nextCursor"]
    assert api.get(f"/media?kind=film&cursor={foreign}").status_code == 400


def test_a_film_shows_the_thumbnail_of_its_still(api, film, rendered):
    told = api.get(f"/media/{film.pk}").json()
    poster = film.posters.get()
    assert (told["kind"], told["duration"], told["posterId"]) == ("film", 2.0, str(poster.pk))
    assert told["thumbnailUrl"] is None
    Encode.objects.update(state="done", outputs=rendered["still"])
    told = api.get(f"/media/{film.pk}").json()
    assert told["thumbnailUrl"].startswith(f"{settings.APP_URL}/media/")
    assert told["thumbnailUrl"] == api.get(f"/media/{poster.pk}").json()["thumbnailUrl"]


@pytest.mark.parametrize("scenes, words", [(5, "Scene 5"), (6, "Others use it too.")])
def test_who_may_not_delete_a_file_learns_where_it_is_used(scenes, words, api, still):
    made(api, scenes=[{"text": "x", "still": str(still.pk)} for _ in range(scenes)])
    refused = api.call("DELETE", f"/media/{still.pk}")
    told = [detail["message"] for detail in refused.json()["details"]]
    assert refused.status_code == 409 and len(told) == scenes and words in told[-1]


def test_a_still_is_taken_from_a_film_once_for_each_frame(api, film, still, owner):
    def take(asset: Asset, at: object, **headers: str):
        return api.call("POST", f"/media/{asset.pk}/still", {"at": at}, headers=headers)

    key = {"Idempotency-Key": "k-1"}
    taken, again = (take(film, 1.5, **key) for _ in range(2))
    assert taken.status_code == 201, taken.content
    assert (again.json(), again["Idempotency-Replayed"]) == (taken.json(), "true")
    assert Asset.objects.get(pk=taken.json()["id"]).created_by == owner
    assert api.get(f"/media/{taken.json()['id']}").json() == taken.json()
    assert taken["Location"] == f"/api/v2/media/{taken.json()['id']}"
    assert (taken.json()["kind"], taken.json()["width"]) == ("picture", 64)
    assert take(film, 1.5).json()["id"] == taken.json()["id"]
    assert take(still, 1).status_code == 409
    assert [d["path"] for d in take(film, 3).json()["details"]] == ["at"]
    assert take(film, -1).status_code == 400


def test_a_workspace_that_is_full_takes_no_more_stills(api, film, settings):
    kept = Asset.objects.count()
    settings.MEDIA_QUOTA = {"pro": sum(asset.bytes for asset in Asset.objects.all())}
    refused = api.call("POST", f"/media/{film.pk}/still", {"at": 1.5})
    assert (refused.status_code, Asset.objects.count()) == (409, kept)
    assert "This file does not fit" in refused.json()["error"]
    settings.MEDIA_QUOTA["pro"] += 1
    assert api.call("POST", f"/media/{film.pk}/still", {"at": 1.5}).status_code == 201


@pytest.mark.parametrize("at", ["1", True, [1], pytest.param(10**400, id="huge")])
def test_a_time_of_a_film_is_a_number_of_json(at, api, film):
    refused = api.call("POST", f"/media/{film.pk}/still", {"at": at})
    assert refused.status_code == 400
    assert refused.json()["details"] == [{"path": "at", "message": "Must be a number."}]


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "k-1"}])
def test_a_still_is_drawn_without_a_transaction_and_a_connection(headers, api, film, monkeypatch):
    """In a transaction of SQLite nobody else could write meanwhile."""
    draw, held = media.take_still, []

    def noted(*args: object, **kwargs: object) -> float:
        held.append((connection.in_atomic_block, connection.connection is not None))
        return draw(*args, **kwargs)

    monkeypatch.setattr(media, "take_still", noted)
    assert api.call("POST", f"/media/{film.pk}/still", {"at": 1.5}, headers=headers).status_code == 201
    assert held == [(False, False)]


def test_what_a_scene_uses_is_not_deleted_and_the_refusal_says_where(api, ready_story, still):
    refused = api.call("DELETE", f"/media/{still.pk}")
    assert refused.status_code == 409
    scene = ready_story.scenes.first()
    assert refused.json()["details"][0] == {
        "path": f"stories.{ready_story.pk}.scenes.{scene.key}",
        "message": "Scene 1 of “Small voyages” uses it.",
    }
    Scene.objects.update(still=None)
    assert api.call("DELETE", f"/media/{still.pk}").status_code == 200
    assert api.get(f"/media/{still.pk}").status_code == 404
    assert names(api.get("/media")) == []


def test_deleted_media_are_put_into_no_scene(api, still, film):
    story = made(api, scenes=[{"text": "one"}])
    (scene,) = scenes_of(api, story)
    for asset, part in ((film, "film"), (still, "still")):
        assert api.call("DELETE", f"/media/{asset.pk}").status_code == 200
        refused = api.call("PATCH", url(story, scene), {part: str(asset.pk)})
        assert refused.status_code == 400
        assert [(d["path"], d["message"]) for d in refused.json()["details"]] == [
            (part, f"This workspace has no {asset.kind} of this id.")
        ]
        refused = api.call("POST", url(story, more="/scenes"), {part: str(asset.pk)})
        assert refused.status_code == 400, refused.content
    (untouched,) = scenes_of(api, story)
    assert untouched == scene


def test_a_copy_in_another_workspace_has_files_of_its_own(
    api, ready_story, harbour, owner, north_shore, film
):
    Scene.objects.filter(story=ready_story, position=0).update(film=film)
    Membership.objects.create(workspace=harbour, user=owner, role="editor")
    copied = api.call("POST", f"/stories/{ready_story.pk}/duplicate", {"workspaceId": str(harbour.pk)})
    assert copied.status_code == 201, copied.content
    scenes = Scene.objects.filter(story=copied.json()["id"]).select_related("still", "film")
    shown = [asset for scene in scenes for asset in (scene.still, scene.film) if asset]
    assert len(shown) == 5 and {asset.workspace_id for asset in shown} == {harbour.pk}
    assert {asset.name for asset in shown} == {film.name, ready_story.scenes.first().still.name}
    assert Asset.objects.filter(workspace=north_shore, name__in=[a.name for a in shown]).count() == 2


def test_a_copy_goes_only_where_one_may_write(api, ready_story, harbour, owner):
    to_harbour = {"workspaceId": str(harbour.pk)}
    assert api.call("POST", f"/stories/{ready_story.pk}/duplicate", to_harbour).status_code == 404
    Membership.objects.create(workspace=harbour, user=owner, role="viewer")
    refused = api.call("POST", f"/stories/{ready_story.pk}/duplicate", to_harbour)
    assert (refused.status_code, harbour.stories.count()) == (403, 0)


def test_deleted_media_go_for_good_once_nothing_names_them(api, film, still, ready_story):
    Scene.objects.update(still=None)
    for asset in (film, still):
        assert api.call("DELETE", f"/media/{asset.pk}").status_code == 200
    Scene.every.filter(position=0).update(still=still, deleted_at=timezone.now())  # could be restored
    Asset.objects.exclude(deleted_at=None).update(deleted_at=timezone.now() - timedelta(days=31))
    garbage.forget_media()
    assert set(Asset.objects.values_list("filename", flat=True)) == {"still.png", "ferry, still.png"}


def test_deleted_media_that_the_history_names_stay_and_all_are_looked_for_in_one_walk(
    north_shore, ready_story
):
    about = {"workspace": north_shore, "kind": "film", "bytes": 1, "width": 1, "height": 1}
    about["deleted_at"] = timezone.now() - timedelta(days=31)
    gone = [Asset.objects.create(**about, name=str(n), filename=f"{n}.mp4") for n in range(20)]
    named = {"scenes": [{"film": str(gone[3].pk), "still": None}]}
    Revision.objects.create(story=ready_story, number=9000, kind="auto", content=named)
    with CaptureQueriesContext(connection) as asked:
        garbage.forget_media()
    assert len([query for query in asked if "capsules_revision" in query["sql"]]) == 1
    assert [asset.filename for asset in Asset.objects.exclude(deleted_at=None)] == ["3.mp4"]


def test_a_deleted_file_that_is_uploaded_again_is_the_same_media(api, film, north_shore, tmp_path):
    api.call("DELETE", f"/media/{film.pk}")
    source = media_files.film(tmp_path, "again.mp4", size="64x64", seconds=2)
    assert assets.take_in(north_shore, source, kind="film")[0].pk == film.pk
    assert api.get(f"/media/{film.pk}").status_code == 200


def test_media_belong_to_a_workspace_and_writing_to_a_role(api, person, film, still):
    stranger, viewer = api.as_(person("stranger")), api.as_(person("viewer"))
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/still")):
        assert stranger.call(method, f"/media/{film.pk}{path}").status_code == 404
    assert names(stranger.get("/media")) == []
    assert viewer.get(f"/media/{still.pk}").status_code == 200
    assert viewer.call("DELETE", f"/media/{still.pk}").status_code == 403
    assert viewer.call("POST", f"/media/{film.pk}/still", {"at": 1}).status_code == 403


@pytest.mark.both_databases
def test_a_picture_borrows_its_thumbnail_from_a_scene_that_has_one(ready_story):
    first, second = ready_story.scenes.order_by("pk")[:2]
    Scene.objects.filter(pk=first.pk).update(still_encode=None)
    Asset.objects.filter(pk=second.still_id).update(still_encode=None)
    assert assets.lend_thumbnails(ready_story.workspace) == 1
    assert Asset.objects.get(pk=second.still_id).still_encode_id == second.still_encode_id


def test_nothing_is_rendered_for_scenes_of_the_trash(ready_story):
    now = timezone.now()
    ready_story.scenes.update(settle_at=now - timedelta(seconds=1))
    Story.objects.filter(pk=ready_story.pk).update(deleted_at=now)
    assert encodes.settle_due() == 0
    Story.objects.filter(pk=ready_story.pk).update(deleted_at=None)
    assert encodes.settle_due() == 4
