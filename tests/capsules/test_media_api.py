"""The media of a workspace over the API: lists, stills of films, and what may be deleted."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from capsules import garbage, media
from capsules.actions import media as assets
from capsules.models import Asset, Encode, Revision
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


def test_what_was_deleted_makes_room_at_once(api, film, north_shore, settings):
    settings.MEDIA_QUOTA = {"pro": sum(asset.bytes for asset in Asset.objects.all())}
    begin = {"kind": "picture", "filename": "a.png", "size": film.bytes}
    assert api.call("POST", "/uploads", begin).status_code == 409
    assert api.call("DELETE", f"/media/{film.pk}").status_code == 200
    assert api.call("POST", "/uploads", begin).status_code == 201


def test_a_film_shows_the_thumbnail_of_its_still(api, film, rendered):
    told = api.get(f"/media/{film.pk}").json()
    poster = film.posters.get()
    assert (told["kind"], told["duration"], told["posterId"]) == ("film", 2.0, str(poster.pk))
    assert told["thumbnailUrl"] is None
    Encode.objects.update(state="done", outputs=rendered["still"])
    told = api.get(f"/media/{film.pk}").json()
    assert told["thumbnailUrl"].startswith(f"{settings.APP_URL}/media/")
    assert told["thumbnailUrl"] == api.get(f"/media/{poster.pk}").json()["thumbnailUrl"]


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


@pytest.mark.parametrize("at", ["1", pytest.param(10**400, id="huge")])
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
