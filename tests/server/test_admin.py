"""Staff at work: the same actions as the API, and why something was refused."""

from __future__ import annotations

import unicodedata
from itertools import product

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import ApiKey, Membership, User, Workspace
from capsules.actions import revisions
from capsules.models import Asset, Scene, Story
from publishing.models import Publication, Subscriber
from tests.support import factories

pytestmark = pytest.mark.django_db


QUIETLY = {"confirmed": "yes", "choice": "OFF"}


@pytest.fixture
def staff(client):
    client.force_login(User.objects.create_superuser("staff@capsules.example", "demo-only"))
    return client


def act(staff, action: str, story: Story, **more: str) -> str:
    """What the page says after an action on one story."""
    data = {"action": action, "_selected_action": [str(story.pk)], **more}
    return staff.post(reverse("admin:capsules_story_changelist"), data, follow=True).content.decode()


def test_the_admin_speaks_as_our_other_pages_do(staff):
    page = staff.get("/admin/").content.decode()
    assert "Sign out" in page and "Log out" not in page


def test_staff_publish_and_unpublish_as_the_api_does(staff, ready_story, client):
    assert "/north-shore/small-voyages" in act(staff, "publish", ready_story, **QUIETLY)
    assert client.get("/north-shore/small-voyages").status_code == 200
    act(staff, "unpublish", ready_story)
    assert Publication.objects.get().slug == "small-voyages"
    act(staff, "unpublish_and_release", ready_story)
    assert Publication.objects.get().slug is None


def test_staff_see_why_a_publish_was_refused(staff, ready_story):
    Scene.objects.filter(story=ready_story, position=2).update(text="")
    page = act(staff, "publish", ready_story, **QUIETLY)
    assert "This capsule is not ready to be published." in page
    assert "scenes.2.text: This scene has no text." in page
    change = staff.get(reverse("admin:capsules_story_change", args=[ready_story.pk])).content.decode()
    assert "scenes.2.text: This scene has no text." in change


def test_staff_build_a_preview(staff, ready_story):
    assert "Preview 2 of Small voyages: ready 100 %" in act(staff, "build_preview", ready_story).replace(
        "&nbsp;", " "
    )


def change_page(staff, story: Story):
    return staff.get(reverse("admin:capsules_story_change", args=[story.pk]))


def test_a_form_that_staff_send_writes_nothing_of_a_draft(staff, live_story):
    """Nobody's words are lost to a form that was opened before they were saved."""
    before = list(live_story.scenes.values())
    assert "<textarea" not in change_page(staff, live_story).content.decode()
    first = live_story.scenes.first()
    data = {
        "title": "Mine",
        "workspace": live_story.workspace_id,
        "visibility": "private",
        "language": "en",
        "scenes-TOTAL_FORMS": "1",
        "scenes-INITIAL_FORMS": "1",
        "scenes-0-id": first.pk,
        "scenes-0-story": live_story.pk,
        "scenes-0-text": "Old words.",
        "scenes-0-DELETE": "on",
    }
    answer = staff.post(reverse("admin:capsules_story_change", args=[live_story.pk]), data)
    assert answer.status_code == 403
    assert list(Scene.every.filter(story=live_story).order_by("position").values()) == before
    kept = Story.objects.get(pk=live_story.pk)
    assert (kept.title, kept.visibility, kept.revision) == (
        live_story.title,
        "public",
        live_story.revision,
    )
    for page in ("add", "delete"):
        args = [live_story.pk] if page == "delete" else []
        address = reverse(f"admin:capsules_story_{page}", args=args)
        assert staff.post(address, {"post": "yes"}).status_code == 403


def test_staff_are_led_into_the_studio_where_they_are_members(staff, ready_story):
    link = f'href="/studio/stories/{ready_story.pk}"'
    assert link not in change_page(staff, ready_story).content.decode()
    user = User.objects.get(email="staff@capsules.example")
    Membership.objects.create(workspace=ready_story.workspace, user=user, role="editor")
    assert link in change_page(staff, ready_story).content.decode()


def test_staff_choose_who_can_see_a_capsule(staff, live_story, client):
    asked = act(staff, "choose_visibility", live_story)
    assert asked.count('name="choice"') == 4 and " checked" not in asked
    assert "Please choose." in act(staff, "choose_visibility", live_story, confirmed="yes", choice="loud")
    act(staff, "choose_visibility", live_story, confirmed="yes", choice="private")
    live_story.refresh_from_db()
    assert live_story.visibility == "private"
    assert client.get("/north-shore/small-voyages").status_code == 404


def test_staff_move_a_capsule_to_the_trash_from_where_it_comes_back(staff, live_story, api, client):
    assert "Move to the trash?" in act(staff, "trash", live_story)
    assert client.get("/north-shore/small-voyages").status_code == 200
    act(staff, "trash", live_story, confirmed="yes")
    assert client.get("/north-shore/small-voyages").status_code == 404
    assert api.get(f"/stories/{live_story.pk}").status_code == 404
    assert "there was nothing to do" in act(staff, "trash", live_story, confirmed="yes")
    assert api.call("POST", f"/stories/{live_story.pk}/restore").status_code == 200
    assert live_story.scenes.count() == 4


def test_staff_change_nothing_of_a_capsule_in_the_trash(staff, live_story):
    """Its workspace brings it back as it was; only its slug can be freed meanwhile."""
    act(staff, "trash", live_story, confirmed="yes")
    before = Story.objects.values().get(pk=live_story.pk)
    for action, more in [
        ("build_preview", {}),
        ("publish", QUIETLY),
        *(("choose_visibility", {"confirmed": "yes", "choice": level}) for level in Story.Visibility.values),
    ]:
        assert "There is no such story." in act(staff, action, live_story, **more), action
    assert Story.objects.values().get(pk=live_story.pk) == before and live_story.previews.count() == 1
    assert "its slug is free" in act(staff, "unpublish_and_release", live_story)


def test_the_list_of_stories_reads_no_scene_and_no_language_of_others(staff, live_story):
    listed = reverse("admin:capsules_story_changelist")
    with CaptureQueriesContext(connection) as asked:
        page = staff.get(listed).content.decode()
    assert '<td class="field-scene_count">4</td>' in page
    assert not [each["sql"] for each in asked if '"capsules_scene"."text"' in each["sql"]]
    assert not [each["sql"] for each in asked if "DISTINCT" in each["sql"]]


def test_stories_are_narrowed_to_a_language_with_its_regions(staff, live_story):
    for tag in ("pt", "pt-BR"):
        Story.objects.filter(pk=factories.make_draft(live_story.workspace).pk).update(language=tag)
    for language, found in [("pt", 2), ("pt-BR", 1), ("pt-br", 1), ("p", 0), ("", 3)]:
        listed = staff.get(reverse("admin:capsules_story_changelist"), {"language": language})
        assert listed.context["cl"].result_count == found, language


@pytest.mark.parametrize("typed", ["ярослав ÅSA", '"åsa ярослав"', "Ярослав åsa"])
def test_staff_find_a_title_in_the_capitals_of_every_script(typed, staff, live_story):
    Story.objects.filter(pk=live_story.pk).update(title="Åsa Ярослав")
    other = Story.objects.create(workspace=live_story.workspace, title="Åsa")
    rows = staff.get(reverse("admin:capsules_story_changelist"), {"q": typed}).context["cl"].result_list
    assert live_story in rows and other not in rows


@pytest.mark.parametrize("stored", ["NFC", "NFD"])
def test_staff_find_an_accent_however_it_is_written(stored, staff, live_story):
    Story.objects.filter(pk=live_story.pk).update(title=unicodedata.normalize(stored, "Fähre am Café"))
    for typed, model in product(["NFC", "NFD"], ["capsules_story", "publishing_publication"]):
        words = {"q": f"{unicodedata.normalize(typed, 'Café')} small"}
        found = staff.get(reverse(f"admin:{model}_changelist"), words).context["cl"]
        assert found.result_count == 1, (model, typed)


def test_the_history_says_that_staff_changed_something(staff, ready_story, api):
    act(staff, "publish", ready_story, **QUIETLY)
    latest = api.get(f"/stories/{ready_story.pk}/revisions").json()["items"][0]
    assert (latest["kind"], latest["via"]) == ("published", "staff")


def test_an_upload_is_looked_at_and_refused_in_words(staff, north_shore, tmp_path):
    add = reverse("admin:capsules_asset_add")
    bad = tmp_path / "picture.png"
    bad.write_text("<svg/>")
    with bad.open("rb") as file:
        page = staff.post(
            add, {"workspace": north_shore.pk, "kind": "picture", "file": file}
        ).content.decode()
    assert "errorlist" in page
    assert not Asset.objects.exists()
    with factories.draw_picture(tmp_path / "good.png").open("rb") as file:
        answer = staff.post(add, {"workspace": north_shore.pk, "kind": "picture", "file": file})
    assert answer.status_code == 302
    asset = Asset.objects.get()
    assert (asset.filename, asset.still_encode.kind) == ("good.png", "still")  # its thumbnail in the library


def on_file(staff, action: str, asset: Asset, **more: str) -> str:
    data = {"action": action, "_selected_action": [str(asset.pk)], **more}
    return staff.post(reverse("admin:capsules_asset_changelist"), data, follow=True).content.decode()


def test_a_file_that_staff_delete_comes_back_with_a_version_that_shows_it(staff, ready_story, owner):
    by, scene = Actor.by_token(owner), ready_story.scenes.get(position=0)
    still, told = scene.still, "Taken out of the library."
    kept = revisions.name_revision(ready_story, "With its picture", by=by)
    assert "This file is still used." in on_file(staff, "erase", still, confirmed="yes")
    Scene.objects.update(still=None)
    on_file(staff, "delete_selected", still, post="yes")
    staff.post(reverse("admin:capsules_asset_delete", args=[still.pk]), {"post": "yes"})
    assert told not in on_file(staff, "erase", still) and Asset.objects.present().filter(pk=still.pk)
    assert told in on_file(staff, "erase", still, confirmed="yes")
    assert "there was nothing to do" in on_file(staff, "erase", still, confirmed="yes")
    assert not Asset.objects.present().filter(pk=still.pk).exists()
    assert LogEntry.objects.filter(object_id=str(still.pk)).count() == 1
    revisions.restore_revision(ready_story, kept, by=by)
    assert Scene.objects.get(pk=scene.pk).still == still


def list_of(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


@pytest.mark.both_databases
def test_every_list_can_be_searched_and_narrowed_names_no_other_workspace_and_asks_a_fixed_number_of_queries(
    staff, live_story, rendered, django_assert_max_num_queries
):
    for number in range(12):
        factories.make_story(live_story.workspace, rendered, title=f"Another {number}")
    Workspace.objects.create(title="Far away", name="far-away")
    staff.get(reverse("admin:index"))  # the first use of a session is noted in it
    for model in admin.site._registry:
        listed = list_of(model)
        with django_assert_max_num_queries(25, info=listed):
            pages = [staff.get(listed, {"q": "small"}), staff.get(listed)]
        changes = pages[1].context["cl"]
        for spec in changes.filter_specs:
            *_, last = spec.choices(changes)
            pages.append(staff.get(listed + last["query_string"]))
        assert {page.status_code for page in pages} == {200}, listed
        assert model is Workspace or "Far away" not in pages[1].content.decode(), listed


def test_staff_who_take_a_file_in_look_for_its_workspace(staff, north_shore):
    page = staff.get(reverse("admin:capsules_asset_add")).content.decode()
    assert north_shore.title not in page and 'data-field-name="workspace"' in page
    refused = staff.post(reverse("admin:capsules_asset_add"), {"workspace": "-1", "kind": "picture"})
    assert "is not a valid UUID" in refused.content.decode()


def test_what_a_workspace_has_is_searched_for_by_its_name(staff, live_story, workspace_key):
    Subscriber.objects.create(
        workspace=live_story.workspace, email="reader@example.com", confirmed_at=timezone.now()
    )
    for model in (Asset, Publication, Story, Subscriber, ApiKey):
        listed = list_of(model)
        found = [
            staff.get(listed, {"q": name}).context["cl"].result_count for name in ("north-shore", "far-away")
        ]
        assert found[0] >= 1 and found[1] == 0, listed


def test_a_key_is_revoked_and_never_shown(staff, workspace_key, api, ready_story):
    page = staff.get(reverse("admin:accounts_apikey_changelist")).content.decode()
    assert workspace_key not in page
    assert ApiKey.objects.get().digest not in page
    data = {"action": "revoke", "_selected_action": [str(ApiKey.objects.get().pk)]}
    staff.post(reverse("admin:accounts_apikey_changelist"), data)
    assert api.with_key(workspace_key).state(ready_story).status_code == 401


def test_people_who_are_no_staff_get_no_admin(client, owner):
    client.force_login(owner)
    assert client.get("/admin/").status_code == 302
