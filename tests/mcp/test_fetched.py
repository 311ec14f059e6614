"""Pictures and films that a tool names by their address, fetched from a server of the test by the worker's own code."""

from __future__ import annotations

import threading
import uuid
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler

import pytest
from django.utils import timezone

from accounts.actors import Actor
from accounts.mcp import tools
from accounts.mcp.tools import acting
from accounts.models import User
from capsules.actions import drafts
from capsules.mcp.fetched import AT_ONCE, Fetching, Wanted
from capsules.models import Asset, Scene, Upload
from capsules.uploads import fetching
from config.errors import Forbidden
from tests.support import factories
from tests.support.checking import check_uploads
from tests.support.factories import draw_picture

pytestmark = pytest.mark.django_db(transaction=True)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def album(tmp_path, monkeypatch):
    """The address of a folder with one picture and one text; addresses of this machine are allowed for once."""
    draw_picture(tmp_path / "moon.png")
    (tmp_path / "words.png").write_text("no picture")
    server = HTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    real = fetching.fetch
    monkeypatch.setattr(
        fetching, "fetch", lambda *a, **k: real(*a, **k, allowed=lambda ip: ip == "127.0.0.1")
    )
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def story(north_shore, owner):
    token = acting.set(Actor.by_token(owner))
    yield drafts.create_story(
        north_shore, {"title": "Fetched"}, [{"text": f"Scene {n}."} for n in range(3)], by=None
    )
    acting.reset(token)


def wanted_by(story, *urls, **more):
    return [Wanted(scene.key, url, **more) for scene, url in zip(story.scenes.all(), urls, strict=False)]


def asset_of(workspace, kind):
    return Asset.objects.create(
        workspace=workspace, kind=kind, name=f"ab/{kind}-{uuid.uuid4()}", width=1, height=1
    )


def test_a_scene_shows_a_picture_as_soon_as_it_has_come(story, album):
    fetching_all = Fetching(story, wanted_by(story, f"{album}/moon.png", f"{album}/words.png"))
    assert not fetching_all.step()  # both are under way
    check_uploads()
    assert fetching_all.step()
    good, bad = fetching_all.wanted
    first, second, _ = story.scenes.all()
    assert (good.state, bad.state) == ("ready", "refused")
    assert "picture" in bad.error
    assert first.still.filename == "moon.png" and first.animation == "auto"
    assert second.still is None


def test_an_address_that_is_none_is_refused_at_once(story):
    fetching_all = Fetching(story, wanted_by(story, "ftp://example.com/a.png"))
    assert fetching_all.step()
    assert fetching_all.wanted[0].state == "refused" and "https" in fetching_all.wanted[0].error


def test_only_some_are_fetched_at_once(story, album):
    scene = story.scenes.first()
    fetching_all = Fetching(story, [Wanted(scene.key, f"{album}/words.png") for _ in range(AT_ONCE + 1)])
    fetching_all.step()
    assert Upload.objects.count() == AT_ONCE
    for _ in range(2):  # and the others once those have come
        check_uploads()
        fetching_all.step()
    assert {each.state for each in fetching_all.wanted} == {"refused"}


def came(wanted, asset=None, **fields):
    """The file of an address has come, as a worker writes it down."""
    state = {"state": "ready", "asset": asset, **fields}
    Upload.objects.filter(pk=wanted.upload.pk).update(**state)


def test_a_film_comes_with_the_part_and_the_movement_that_were_said_with_its_address(story, north_shore):
    film = factories.shared_film(north_shore)
    first, second, _ = story.scenes.all()
    Scene.objects.filter(pk__in=[first.pk, second.pk]).update(trim_start=0.5, trim_length=1)
    Scene.objects.filter(pk=second.pk).update(film=asset_of(north_shore, "film"))
    urls = [f"https://films.example/{n}.mp4" for n in range(3)]
    fetching_all = Fetching(story, wanted_by(story, *urls))
    fetching_all.wanted[2].animation = "none"
    fetching_all.step()
    for each in fetching_all.wanted:
        came(each, film)
    assert fetching_all.step()
    shown = [(row.film, row.trim, row.animation) for row in story.scenes.all()]
    assert shown == [(film, (0.5, 1.0), "film"), (film, None, "film"), (film, None, "")]
    assert {row.edited_by for row in story.scenes.all()} == {tools.me().user}


def test_a_file_is_given_to_its_scene_once(story, north_shore):
    urls = [f"https://pictures.example/{n}.png" for n in range(2)]
    fetching_all = Fetching(story, wanted_by(story, *urls))
    fetching_all.step()
    came(fetching_all.wanted[0], asset_of(north_shore, "picture"))
    fetching_all.step()
    story.scenes.filter(position=0).update(still=None)  # its author took it away again
    assert not fetching_all.step()
    assert story.scenes.get(position=0).still is None


def test_what_became_of_each_file_is_told(story, north_shore):
    urls = [f"https://pictures.example/{n}.png" for n in range(3)]
    fetching_all = Fetching(story, wanted_by(story, *urls))
    fetching_all.wanted[1].animation = "film"
    fetching_all.step()
    gone, no_film, late = fetching_all.wanted
    story.scenes.filter(key=gone.key).update(deleted_at=timezone.now())
    came(gone, asset_of(north_shore, "picture"))
    came(no_film, asset_of(north_shore, "picture"))
    came(late, state="expired", error="It took too long.")
    assert fetching_all.step()
    assert [each.told() for each in fetching_all.wanted] == [
        {"scene": str(each.key), "upload": str(each.upload.pk), "state": state, "error": error}
        for each, state, error in (
            (gone, "refused", "There is no such scene."),
            (no_film, "refused", "A picture is not a film. Say auto for a slow camera move, or none."),
            (late, "expired", "It took too long."),
        )
    ]
    assert [row.still for row in story.scenes.all()] == [None, None]


def test_whose_role_was_taken_while_a_file_came_writes_nothing_more(story, north_shore, owner):
    fetching_all = Fetching(story, wanted_by(story, "https://pictures.example/a.png"))
    fetching_all.step()
    came(fetching_all.wanted[0], asset_of(north_shore, "picture"))
    owner.memberships.update(role="viewer")
    with pytest.raises(Forbidden, match="role"):
        fetching_all.step()
    assert story.scenes.first().still is None


def test_whose_access_ended_while_a_file_came_writes_nothing_more(story, album, owner):
    fetching_all = Fetching(story, wanted_by(story, f"{album}/moon.png"))
    fetching_all.step()
    check_uploads()
    User.objects.filter(pk=owner.pk).update(is_active=False)
    with pytest.raises(Forbidden, match="access ended"):
        fetching_all.step()
    assert story.scenes.first().still is None


def test_a_finale_shows_a_still(story, album):
    last = story.scenes.all()[2]
    fetching_all = Fetching(story, [Wanted(last.key, f"{album}/moon.png", finale=True)])
    fetching_all.step()
    check_uploads()
    assert fetching_all.step()
    last.refresh_from_db()
    assert last.still is not None and last.animation == ""
