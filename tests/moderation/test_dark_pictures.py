"""Pictures and films of what was taken down have no address any more, but for its people; then the same one again."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from django.core.files.storage import FileSystemStorage
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.actions import keys, workspaces
from accounts.models import User, Workspace
from capsules import garbage, storage, worker
from capsules.actions import encodes, scenes
from capsules.models import Encode, HiddenBlob
from publishing import clips, leases, tasks
from publishing.models import Publication
from publishing.moderation import actions as moderation
from publishing.moderation import blobs
from tests.support import factories
from tests.support.locks import noted_locks

pytestmark = [
    pytest.mark.django_db(transaction=True),
]


def names_of(story) -> list[str]:
    return sorted(Publication.objects.get(story=story).live_bake.blobs())


def status_for_the_world(client, name: str) -> int:
    client.logout()
    return client.get(f"/media/{name}").status_code


def on_disk(name: str) -> str:
    places = {"public": storage.blobs(), "hidden": storage.hidden()}
    found = [place for place, files in places.items() if files.exists(name)]
    assert len(found) == 1, found
    return found[0]


def test_they_are_gone_by_name_and_back_with_the_same_bytes_and_the_same_etag(
    live_story, freeze, staff, client
):
    name = names_of(live_story)[0]
    before = client.get(f"/media/{name}")
    stamp = storage.blobs().get_modified_time(name)
    case = freeze(live_story)
    assert {on_disk(each) for each in names_of(live_story)} == {"hidden"}
    assert status_for_the_world(client, name) == 404
    moderation.lift(case, by=staff)
    after = client.get(f"/media/{name}")
    assert (after["ETag"], b"".join(after.streaming_content)) == (
        before["ETag"],
        b"".join(before.streaming_content),
    )
    assert storage.blobs().get_modified_time(name) == stamp, "nginx makes its ETag of it"
    assert not HiddenBlob.objects.exists()


@pytest.mark.both_databases
def test_members_and_staff_see_them_by_session_token_and_key_and_nobody_else(
    live_story, freeze, staff, person, client, harbour, north_shore, owner
):
    name = names_of(live_story)[0]
    freeze(live_story)
    address = f"/media/{name}"
    for user in (staff, person("owner"), person("viewer")):
        client.force_login(user)
        answer = client.get(address)
        assert (answer.status_code, answer["Cache-Control"]) == (200, "private, no-store"), user
    client.force_login(person("stranger"))
    assert client.get(address).status_code == 404
    client.logout()
    token = factories.Api(client, person("viewer")).headers()
    strange = factories.Api(client, person("stranger")).headers()
    key = {"x-api-key": keys.create_api_key(north_shore, by=owner)[1]}
    assert (
        client.get(address, headers=token).status_code == client.get(address, headers=key).status_code == 200
    )
    for nobody in (strange, {"Authorization": "Bearer x"}, {"x-api-key": "x"}, {}):
        assert client.get(address, headers=nobody).status_code == 404
    User.objects.filter(pk=staff.pk).update(is_active=False)
    client.force_login(staff)
    assert client.get(address).status_code == 404


def test_what_another_live_capsule_shows_stays_until_that_is_gone_too(
    live_story, rendered, freeze, api, client
):
    other = factories.make_story(live_story.workspace, rendered, title="The same pictures")
    assert api.publish(other).status_code == 200
    shared = sorted(set(names_of(live_story)) & set(names_of(other)))
    freeze(live_story)
    assert {on_disk(name) for name in shared} == {"public"}
    api.unpublish(other)
    assert {on_disk(name) for name in shared} == {"hidden"}
    api.publish(other)
    assert {on_disk(name) for name in shared} == {"public"}
    assert status_for_the_world(client, shared[0]) == 200


@pytest.mark.both_databases
def test_the_picture_of_a_suspended_workspace_is_dark_too(live_story, staff, client):
    face = names_of(live_story)[-1]
    Workspace.objects.update(picture=face)
    workspace = Workspace.objects.get(pk=live_story.workspace_id)
    workspaces.suspend(workspace, by=staff)
    assert status_for_the_world(client, face) == 404
    client.force_login(User.objects.get(email="viewer@north-shore.example"))
    assert client.get(f"/media/{face}").status_code == 200
    workspaces.resume(workspace, by=staff)
    assert status_for_the_world(client, face) == 200
    assert not HiddenBlob.objects.exists()


def test_a_process_that_died_before_it_moved_them_leaves_it_to_the_sweep(live_story, freeze, monkeypatch):
    name = names_of(live_story)[0]
    with monkeypatch.context() as patch:
        patch.setattr(blobs, "move_soon", lambda: None)
        freeze(live_story)
        patch.setattr(leases, "free_lapsed_leases", lambda: 1 / 0)  # which does not keep them public
        assert on_disk(name) == "public"
        with suppress(ZeroDivisionError):
            tasks.sweep()
    assert on_disk(name) == "hidden" and blobs.move_files() == 0


def test_a_file_that_cannot_be_moved_keeps_no_other_public(live_story, freeze):
    first, *others = names_of(live_story)
    in_its_way = Path(storage.hidden().path(first))
    in_its_way.mkdir(parents=True)
    freeze(live_story)
    assert {on_disk(name) for name in others} == {"hidden"}
    assert tasks.sweep() == 0 and storage.blobs().exists(first)
    in_its_way.rmdir()
    assert tasks.sweep() == 1 and on_disk(first) == "hidden"


def once_on_the_way(monkeypatch, act) -> None:
    """Has something happen while the first file is being moved."""
    bring, waiting = storage.bring_file, [act]

    def slowly(*args, **kwargs) -> None:
        bring(*args, **kwargs)
        if waiting:
            waiting.pop()()

    monkeypatch.setattr(storage, "bring_file", slowly)


def test_a_lift_while_files_are_on_their_way_brings_all_of_them_back(live_story, freeze, staff, monkeypatch):
    names = names_of(live_story)
    with monkeypatch.context() as patch:
        patch.setattr(blobs, "move_soon", lambda: None)
        case = freeze(live_story)
    once_on_the_way(monkeypatch, lambda: moderation.lift(case, by=staff))
    blobs.move_files()
    assert {on_disk(name) for name in names} == {"public"}
    assert not HiddenBlob.objects.exists()


def test_a_freeze_while_files_are_on_their_way_back_hides_all_of_them(live_story, freeze, staff, monkeypatch):
    names = names_of(live_story)
    case = freeze(live_story)
    with monkeypatch.context() as patch:
        patch.setattr(blobs, "move_soon", lambda: None)
        moderation.lift(case, by=staff)
    once_on_the_way(monkeypatch, lambda: freeze(live_story))
    blobs.move_files()
    assert {on_disk(name) for name in names} == {"hidden"}


def test_the_files_of_all_capsules_of_a_workspace_are_looked_at_together(
    live_story, rendered, staff, api, monkeypatch
):
    monkeypatch.setattr(blobs, "move_soon", lambda: None)

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert workspaces.suspend(Workspace.objects.get(), by=staff)
        assert HiddenBlob.objects.filter(is_hidden=True).exists()
        workspaces.resume(Workspace.objects.get(), by=staff)
        return sum("capsules_hiddenblob" in query["sql"] for query in queries)

    of_one = asked()
    story = factories.make_story(live_story.workspace, rendered, title="The second")
    assert api.publish(story).status_code == 200
    assert asked() == of_one


def test_many_names_are_settled_a_part_at_a_time(live_story, freeze, staff, monkeypatch):
    monkeypatch.setattr(blobs, "NAMES", 2)
    case = freeze(live_story)
    assert {on_disk(name) for name in names_of(live_story)} == {"hidden"}
    moderation.lift(case, by=staff)
    assert {on_disk(name) for name in names_of(live_story)} == {"public"}


@pytest.mark.both_databases
def test_whoever_decides_about_pictures_holds_them_first_in_one_order(live_story, freeze):
    freeze(live_story)
    names = set(names_of(live_story))
    calls = [
        partial(blobs.settle, names),
        partial(blobs.hide_again, names),
        partial(blobs.put_in_place, min(names)),
        blobs.move_files,
    ]
    for call in calls:
        with CaptureQueriesContext(connection) as asked, noted_locks() as locked:
            call()
        assert locked[:1] == ["capsules_hiddenblob"], call
        assert any('ORDER BY "capsules_hiddenblob"."name" ASC' in query["sql"] for query in asked), call


def test_what_is_encoded_again_under_a_hidden_name_is_hidden_again(live_story, freeze):
    assert isinstance(storage.hidden(), FileSystemStorage)
    name = names_of(live_story)[0]
    freeze(live_story)
    with storage.hidden().open(name) as file:
        storage.blobs().save(name, file)
    blobs.hide_again([name])
    assert on_disk(name) == "hidden"


@pytest.mark.both_databases
def test_what_a_worker_draws_again_for_a_draft_has_no_address_either(live_story, freeze, settings):
    """Another focus is another encode, which draws the same wide pictures under the same names."""
    settings.SETTLE = 0
    freeze(live_story)
    scenes.update_scene(live_story, live_story.scenes.first().key, {"focus": (0.1, 0.2)}, by=None)
    assert encodes.settle_due() == 1 and worker.run_due() == 1
    assert {on_disk(name) for name in names_of(live_story)} == {"hidden"}


def test_whoever_unpublishes_first_keeps_no_picture_by_name_and_gets_all_back_with_the_lift(
    live_story, freeze, api, staff, client
):
    names = names_of(live_story)
    assert api.unpublish(live_story).status_code == 200
    case = freeze(live_story)
    assert {status_for_the_world(client, name) for name in names} == {404}
    moderation.lift(case, by=staff)
    assert {status_for_the_world(client, name) for name in names} == {200}


def test_what_is_unpublished_while_it_is_down_has_its_pictures_back_with_the_lift(
    live_story, freeze, api, staff, client
):
    names = names_of(live_story)
    case = freeze(live_story)
    assert api.unpublish(live_story).status_code == 200
    moderation.lift(case, by=staff)
    assert {status_for_the_world(client, name) for name in names} == {200}
    assert not HiddenBlob.objects.exists()


def test_what_is_deleted_forever_while_it_is_down_stays_hidden_until_another_capsule_shows_it(
    live_story, rendered, freeze, api, client
):
    other = factories.make_story(live_story.workspace, rendered, title="The same pictures")
    names = names_of(live_story)
    freeze(live_story)
    live_story.delete()
    assert {status_for_the_world(client, name) for name in names} == {404}
    assert api.publish(other).status_code == 200
    assert {status_for_the_world(client, name) for name in names_of(other)} == {200}
    assert not HiddenBlob.objects.filter(name__in=names_of(other)).exists()


def test_so_does_that_of_a_workspace_that_is_deleted(live_story, freeze, client, staff):
    names = names_of(live_story)
    freeze(live_story)
    live_story.workspace.delete()
    assert {status_for_the_world(client, name) for name in names} == {404}
    client.force_login(staff)
    assert client.get(f"/media/{names[0]}").status_code == 200


def test_a_draft_has_its_pictures_where_they_are_made_anew_and_what_was_down_is_deleted(
    live_story, freeze, client
):
    name = names_of(live_story)[0]
    freeze(live_story)
    live_story.delete()
    blobs.hide_again([name])
    assert on_disk(name) == "public" and not HiddenBlob.objects.filter(name=name).exists()


@pytest.mark.both_databases
def test_the_collection_forgets_what_was_hidden_once_nothing_needs_it(live_story, freeze):
    freeze(live_story)
    garbage.collect()
    assert HiddenBlob.objects.exists()
    live_story.delete()
    Encode.objects.all().delete()
    garbage.collect()
    assert not HiddenBlob.objects.exists()


def test_staff_without_the_second_factor_that_they_need_see_nothing(
    live_story, freeze, staff, client, settings
):
    name = names_of(live_story)[0]
    freeze(live_story)
    client.force_login(staff)
    for needed, status in [(False, 200), (True, 404)]:
        settings.REQUIRE_STAFF_MFA = needed
        assert client.get(f"/media/{name}").status_code == status


@pytest.mark.both_databases
def test_its_films_are_made_while_it_is_down_and_shown_once_it_is_back(
    live_story, rendered, freeze, client, staff
):
    """Else they would be tried for a day and never again: a case takes longer than that."""
    clips.request_missing()
    clip = Encode.objects.get(kind=Encode.Kind.CLIP)
    clip.kind, clip.focus = Encode.Kind.CARD, (0.1, 0.2)  # a film takes seconds to make
    clip.sources = [["blobs", rendered["still"]["renditions"][0]["name"]]]
    clip.save()
    case = freeze(live_story)
    for make in (
        lambda: worker.run_next(Encode.objects.filter(pk=clip.pk)),
        lambda: factories.make_heroes(rendered),
    ):
        make()
        bake = Publication.objects.get(story=live_story).live_bake
        made = sorted(set(blobs.blob_names(bake)) - bake.blobs())
        assert made and {on_disk(name) for name in made} == {"hidden"}
    assert set(Encode.objects.values_list("state", flat=True)) == {Encode.State.DONE}
    assert len(made) > 1 and {status_for_the_world(client, name) for name in made} == {404}
    moderation.lift(case, by=staff)
    assert {status_for_the_world(client, name) for name in made} == {200}


@pytest.mark.both_databases
def test_a_backup_from_before_does_not_bring_them_back_to_the_public(live_story, freeze, client, tmp_path):
    call_command("copy_files", "out", str(tmp_path))
    freeze(live_story)
    call_command("copy_files", "out", str(tmp_path))
    for _ in range(2):  # with the files there, and without
        call_command("copy_files", "in", str(tmp_path))
        names = names_of(live_story)
        assert {on_disk(name) for name in names} == {"hidden"}
        assert {status_for_the_world(client, name) for name in names} == {404}
        assert tasks.move_hidden_blobs() == len(names) and tasks.move_hidden_blobs() == 0
        for name in names:
            storage.hidden().delete(name)
