"""The pulse of the editor: what it tells of renderings, files, publications and the people who are there."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from capsules.models import Encode, Scene, Upload
from capsules.uploads import creating
from publishing.models import Publication
from publishing.studio import pulse
from publishing.studio.pulse import SEEN_FOR
from tests.support import factories
from tests.support.moderation import make_staff, take_down
from tests.support.queries import asks_as_often


def test_the_pulse_says_nothing_new_with_304(sign_in, ready_story):
    client, url = sign_in("owner"), reverse("studio_pulse", kwargs={"story": ready_story.pk})
    first = client.get(url)
    assert first.json()["revision"] == ready_story.revision
    for known in (first["ETag"], f'"another", {first["ETag"]}'):
        again = client.get(url, headers={"If-None-Match": known})
        assert (again.status_code, again["ETag"]) == (304, first["ETag"])


def test_the_pulse_of_a_changed_capsule_asks_as_often_however_many_scenes_it_has(sign_in, api, live_story):
    client, page = sign_in("owner"), reverse("studio_pulse", kwargs={"story": live_story.pk})
    api.call("PATCH", f"/stories/{live_story.pk}", {"title": "Large voyages"})
    assert client.get(page).json()["publication"]["isChanged"]
    still = live_story.scenes.first().still

    def add_scenes() -> None:
        for position in range(10, 15):
            Scene.objects.create(story=live_story, position=position, text="One more.", still=still)

    assert asks_as_often(client, page, add_scenes)


def test_the_pulse_tells_of_the_preview_and_of_the_publication(
    sign_in, north_shore, live_story, rendered, api
):
    client = sign_in("viewer")

    def told(story) -> dict:
        body = client.get(reverse("studio_pulse", kwargs={"story": story.pk})).json()
        return {name: body[name] for name in ("preview", "publication", "premiere")}

    draft = factories.make_draft(north_shore)
    nothing = {"url": None, "isChanged": False, "busy": False}
    assert told(draft) == {"preview": None, "publication": nothing, "premiere": None}
    quiet = factories.make_story(north_shore, rendered, title="Quiet")
    assert api.publish(quiet, premiereEmailMode="OFF").status_code == 200
    assert told(quiet)["premiere"] is None
    live = {**nothing, "url": api.get(f"/stories/{live_story.pk}").json()["publication"]["url"]}
    preview = {"number": 1, "state": "ready", "percent": 100}
    assert told(live_story) == {"preview": preview, "publication": live, "premiere": {"state": "scheduled"}}
    scene = live_story.scenes.get(position=0)
    api.call("PATCH", f"/stories/{live_story.pk}/scenes/{scene.key}", {"focus": [0.1, 0.1]})
    assert api.call("POST", f"/stories/{live_story.pk}/previews").status_code == 201
    Encode.objects.unfinished().update(state=Encode.State.RUNNING, progress=0)
    later = told(live_story)
    assert later["publication"] == {**live, "isChanged": True}
    assert (later["preview"]["number"], later["preview"]["state"]) == (2, "building")
    assert 0 < later["preview"]["percent"] < 100
    assert api.unpublish(live_story).status_code == 200
    assert (told(live_story)["publication"], told(live_story)["premiere"]) == (
        nothing,
        {"state": "cancelled"},
    )


def test_a_pulse_reads_the_publication_once(sign_in, live_story, django_assert_num_queries):
    browser, url = sign_in("owner"), reverse("studio_pulse", kwargs={"story": live_story.pk})
    browser.get(url)  # the first notes a visit
    with django_assert_num_queries(11):
        assert browser.get(url).json()["publication"]["url"]


def test_the_pulse_says_that_it_is_being_published_as_long_as_somebody_does(sign_in, live_story, rendered):
    client = sign_in("owner")
    shown = factories.make_edition(live_story, rendered)
    for until, is_busy in ((1, True), (-1, False)):
        lease = {"lease_token": live_story.pk, "lease_until": timezone.now() + timedelta(minutes=until)}
        Publication.objects.filter(story=live_story).update(**lease)
        for story in (live_story, shown):
            url = reverse("studio_pulse", kwargs={"story": story.pk})
            assert client.get(url).json()["publication"]["busy"] is is_busy


def test_the_pulse_says_where_readers_find_an_edition_until_it_is_taken_down(
    sign_in, live_story, rendered, api
):
    client = sign_in("owner")
    shown = factories.make_edition(live_story, rendered)

    def found() -> list[str | None]:
        urls = [reverse("studio_pulse", kwargs={"story": story.pk}) for story in (live_story, shown)]
        return [client.get(url).json()["publication"]["url"] for url in urls]

    where = found()[0]
    assert where and found() == [where, None]
    assert api.publish(shown).status_code == 200
    assert found() == [where, f"{where}?edition=classroom"]
    take_down(live_story, by=make_staff())
    assert found() == [None, None]


def test_the_pulse_tells_what_is_rendered_and_what_waits_for_it(sign_in, ready_story):
    client, url = sign_in("viewer"), reverse("studio_pulse", kwargs={"story": ready_story.pk})
    scene, bare = ready_story.scenes.get(position=0), ready_story.scenes.get(position=1)
    again = {"state": Encode.State.RUNNING, "progress": 40, "error": "It is tried again."}
    Encode.objects.filter(pk=scene.still_encode_id).update(**again)
    busy = {"state": "running", "percent": 40, "error": "It is tried again."}
    assert client.get(url).json()["encodes"][str(scene.key)] == {"still": busy, "animation": busy}
    Encode.objects.update(state=Encode.State.DONE)
    ready_story.scenes.update(settle_at=timezone.now() - timedelta(seconds=1))
    ready_story.scenes.filter(pk=bare.pk).update(still=None)
    film = Encode.objects.create(kind="film", recipe="a film", sources=[], state="queued", progress=7)
    ready_story.scenes.filter(position=2).update(animation_encode=film)
    told = client.get(url).json()["encodes"]
    queued = {"state": "queued", "percent": 0, "error": None}
    assert told[str(scene.key)] == {"still": queued, "animation": queued}, "as the draft says"
    moved = told[str(ready_story.scenes.get(position=2).key)]
    assert moved == {"still": queued, "animation": {**queued, "percent": 7}}
    assert len(told) == 3 and str(bare.key) not in told
    Encode.objects.filter(pk=scene.still_encode_id).update(state=Encode.State.RUNNING, progress=60)
    still = client.get(url).json()["encodes"][str(scene.key)]["still"]
    assert (still["state"], still["percent"]) == ("running", 60), "what is rendered already is told"


def test_the_pulse_tells_every_device_of_the_files_that_are_on_their_way(sign_in, owner, ready_story):
    url = reverse("studio_pulse", kwargs={"story": ready_story.pk})
    scene = ready_story.scenes.get(position=1)
    workspace = ready_story.workspace
    about = {"kind": "film", "filename": "ferry.mov", "size": 1000, "by": owner}
    upload = creating.begin_upload(workspace, story=ready_story, scene=scene, **about)
    creating.begin_upload(workspace, **about)
    creating.begin_upload(workspace, story=ready_story, **about)
    Upload.objects.filter(pk=upload.pk).update(offset=149)
    first = sign_in("viewer").get(url)
    told = {"id": str(upload.pk), "scene": str(scene.key), "filename": "ferry.mov"}
    assert first.json()["uploads"] == [{**told, "state": "receiving", "percent": 14}]
    Upload.objects.filter(pk=upload.pk).update(offset=1000, state="checking")
    second = sign_in("owner").get(url, headers={"If-None-Match": first["ETag"]})
    assert second.json()["uploads"] == [{**told, "state": "checking", "percent": 100}]
    ready_story.scenes.filter(pk=scene.pk).update(deleted_at=timezone.now())
    assert sign_in("owner").get(url).json()["uploads"] == [], "nothing comes to a scene that is gone"
    ready_story.scenes.filter(pk=scene.pk).update(deleted_at=None)
    Upload.objects.filter(pk=upload.pk).update(state="ready")
    assert sign_in("owner").get(url).json()["uploads"] == []


def test_files_that_are_on_their_way_are_told_in_the_order_in_which_they_began(sign_in, owner, ready_story):
    about = {"kind": "picture", "filename": "ferry.jpg", "size": 1000, "by": owner, "story": ready_story}
    begun = [
        str(creating.begin_upload(ready_story.workspace, scene=scene, **about).pk)
        for scene in ready_story.scenes.order_by("-position")
    ]
    told = sign_in("viewer").get(reverse("studio_pulse", kwargs={"story": ready_story.pk})).json()
    assert [upload["id"] for upload in told["uploads"]] == begun


def test_the_pulse_tells_two_people_of_each_other(sign_in, ready_story):
    url = reverse("studio_pulse", kwargs={"story": ready_story.pk})
    scene = str(ready_story.scenes.get(position=1).key)
    sign_in("editor").get(url, {"tab": "6f1d3c5e-0000-4000-8000-000000000001", "scene": scene})
    others = sign_in("owner").get(url, {"tab": "6f1d3c5e-0000-4000-8000-000000000002"}).json()["others"]
    assert [other["scene"] for other in others] == [scene]
    moved = str(ready_story.scenes.get(position=2).key)
    sign_in("editor").get(url, {"tab": "6f1d3c5e-0000-4000-8000-000000000001", "scene": moved})
    others = sign_in("owner").get(url, {"tab": "6f1d3c5e-0000-4000-8000-000000000002"}).json()["others"]
    assert [other["scene"] for other in others] == [moved]


def test_a_persons_own_tabs_are_nobody_else(sign_in, ready_story):
    url = reverse("studio_pulse", kwargs={"story": ready_story.pk})
    sign_in("owner").get(url, {"tab": "6f1d3c5e-0000-4000-8000-000000000001"})
    answer = sign_in("owner").get(url, {"tab": "6f1d3c5e-0000-4000-8000-000000000002"})
    assert answer.json()["others"] == []


@pytest.mark.usefixtures("clock_stands")
def test_who_left_a_minute_ago_is_not_there_any_more(sign_in, ready_story):
    url = reverse("studio_pulse", kwargs={"story": ready_story.pk})
    for who, tab in (("editor", 1), ("admin", 3)):
        sign_in(who).get(url, {"tab": f"6f1d3c5e-0000-4000-8000-00000000000{tab}"})
    tab = {"tab": "6f1d3c5e-0000-4000-8000-000000000002"}
    there = [{"name": "Editor", "scene": None}, {"name": "Admin", "scene": None}]
    for seconds, others in ((59, there), (60, [])):
        ready_story.editing_sessions.update(seen_at=timezone.now() - timedelta(seconds=seconds))
        assert sign_in("owner").get(url, tab).json()["others"] == others


def test_nobody_is_at_a_scene_of_another_capsule(sign_in, ready_story, north_shore):
    other = factories.make_draft(north_shore).scenes.get()
    url = reverse("studio_pulse", kwargs={"story": ready_story.pk})
    sign_in("editor").get(url, {"tab": "6f1d3c5e-0000-4000-8000-000000000001", "scene": str(other.key)})
    assert ready_story.editing_sessions.get().scene is None


def test_who_stays_at_one_scene_goes_on_being_there(sign_in, ready_story):
    url = reverse("studio_pulse", kwargs={"story": ready_story.pk})
    tab = {"tab": "6f1d3c5e-0000-4000-8000-000000000001", "scene": str(ready_story.scenes.first().key)}
    start = timezone.now()
    for minutes in (0, 2, 4):
        with time_machine.travel(start + timedelta(minutes=minutes)):
            sign_in("editor").get(url, tab)
            answer = sign_in("owner").get(url, {"tab": "6f1d3c5e-0000-4000-8000-000000000002"})
            assert [other["scene"] for other in answer.json()["others"]] == [tab["scene"]], minutes


def test_a_tab_of_somebody_else_cannot_be_moved(sign_in, ready_story):
    url = reverse("studio_pulse", kwargs={"story": ready_story.pk})
    first, second = (str(scene.key) for scene in ready_story.scenes.order_by("position")[:2])
    tab = "6f1d3c5e-0000-4000-8000-000000000001"
    sign_in("editor").get(url, {"tab": tab, "scene": first})
    others = sign_in("owner").get(url, {"tab": tab, "scene": second}).json()["others"]
    assert [(other["name"], other["scene"]) for other in others] == [("Editor", first)]
    row = ready_story.editing_sessions.get()
    assert (row.user.email, str(row.scene.key)) == ("editor@north-shore.example", first)


def test_the_pulse_notes_a_few_tabs_of_a_person_and_reads_none_that_was_closed(
    sign_in, ready_story, monkeypatch
):
    monkeypatch.setattr(pulse, "MOST_TABS", 3)
    client, url = sign_in("viewer"), reverse("studio_pulse", kwargs={"story": ready_story.pk})
    for _ in range(5):
        assert client.get(url, {"tab": str(uuid.uuid4())}).status_code == 200
    assert ready_story.editing_sessions.count() == 3
    own = uuid.uuid4()
    assert sign_in("owner").get(url, {"tab": str(own)}).json()["others"] != []
    assert ready_story.editing_sessions.filter(tab=own).exists()
    ready_story.editing_sessions.update(seen_at=timezone.now() - SEEN_FOR * 2)
    assert sign_in("owner").get(url, {"tab": str(own)}).json()["others"] == []
    assert ready_story.editing_sessions.get(tab=own).seen_at > timezone.now() - SEEN_FOR
    assert sign_in("viewer").get(url, {"tab": str(uuid.uuid4())}).json()["others"] != []
    assert ready_story.editing_sessions.count() == 3 + 2
