"""Staff at work: the same actions as the API, and why something was refused."""

from __future__ import annotations

import pytest
from django.urls import reverse

from accounts.models import ApiKey, User
from capsules.models import Asset, Scene, Story
from publishing.models import Publication
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


def change_form(staff, story: Story) -> dict:
    """The data of the story's change form as a browser would send it back."""
    page = staff.get(reverse("admin:capsules_story_change", args=[story.pk]))
    data = {}
    for form in [page.context["adminform"].form, *page.context["inline_admin_formsets"][0].formset.forms]:
        for field in form:
            value = field.value()
            if value is not None and value is not False:
                data[field.html_name] = value
    management = page.context["inline_admin_formsets"][0].formset.management_form
    return data | {field.html_name: field.value() for field in management}


def test_choosing_private_in_the_editor_unpublishes(staff, live_story, client):
    data = change_form(staff, live_story) | {"visibility": "private"}
    answer = staff.post(reverse("admin:capsules_story_change", args=[live_story.pk]), data)
    assert answer.status_code == 302, answer.context["errors"]
    live_story.refresh_from_db()
    assert live_story.visibility == "private"
    assert client.get("/north-shore/small-voyages").status_code == 404


def test_another_focus_asks_for_other_crops(staff, ready_story):
    before = ready_story.scenes.get(position=0).still_encode
    data = change_form(staff, ready_story) | {"scenes-0-focus_x": "0.2"}
    answer = staff.post(reverse("admin:capsules_story_change", args=[ready_story.pk]), data)
    assert answer.status_code == 302, answer.context["errors"]
    after = ready_story.scenes.get(position=0).still_encode
    assert after != before
    assert after.state == "queued"


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
    assert Asset.objects.get().filename == "good.png"


@pytest.mark.parametrize(
    "model", ["story", "asset", "encode", "preview", "publication", "bake", "workspace", "user", "apikey"]
)
def test_every_list_opens_can_be_searched_and_asks_a_fixed_number_of_queries(
    staff, live_story, rendered, model, django_assert_max_num_queries
):
    app = {"publication": "publishing", "bake": "publishing"}.get(model, "capsules")
    app = "accounts" if model in ("workspace", "user", "apikey") else app
    for number in range(12):
        factories.make_story(live_story.workspace, rendered, title=f"Another {number}")
    with django_assert_max_num_queries(25):
        assert staff.get(reverse(f"admin:{app}_{model}_changelist"), {"q": "small"}).status_code == 200
        assert staff.get(reverse(f"admin:{app}_{model}_changelist")).status_code == 200


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
