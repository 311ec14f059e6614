"""The front page of the admin: what needs attention, and one box that finds anything."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone

from accounts.actions import workspaces
from accounts.models import User
from capsules.models import Encode, Upload
from config import readiness
from publishing.models import Delivery, Premiere, Publication, ViewCount

pytestmark = pytest.mark.django_db


@pytest.fixture
def chief() -> Client:
    readiness.note_sweep()
    client = Client()
    client.force_login(User.objects.create_superuser("staff@capsules.example", "x"))
    return client


def front(client: Client, **query: str) -> str:
    return client.get("/admin/", query).content.decode()


def test_a_quiet_service_asks_for_nothing(chief):
    assert "Nothing. Everything runs by itself." in front(chief)


def failed_encode(story) -> str:
    Encode.objects.filter(pk=story.scenes.first().still_encode_id).update(state="failed")
    return "Failed encodes"


def held_premiere(story) -> str:
    publication, _ = Publication.objects.get_or_create(story=story)
    Premiere.objects.create(publication=publication, mode="TEASER", state="held", due_at=timezone.now())
    return "Held premieres"


def uncertain_delivery(story) -> str:
    held_premiere(story)
    premiere = Premiere.objects.get()
    Premiere.objects.update(state="sending")
    Delivery.objects.create(premiere=premiere, email="a@readers.example", state="uncertain")
    return "Premieres with uncertain deliveries"


def suspended_workspace(story) -> str:
    workspaces.suspend(story.workspace, by=story.workspace.memberships.get(role="owner").user)
    return "Suspended workspaces"


def refused_upload(story) -> str:
    fields = {"size": 1, "kind": "picture", "expires_at": timezone.now()}
    Upload.objects.create(
        workspace=story.workspace, filename="x.png", state="refused", error="No picture.", **fields
    )
    return "Refused uploads"


CONCERNS = [failed_encode, held_premiere, uncertain_delivery, suspended_workspace, refused_upload]


@pytest.mark.parametrize("concern", CONCERNS, ids=lambda concern: concern.__name__)
def test_what_needs_attention_is_told_with_a_way_to_exactly_these_rows(chief, ready_story, concern):
    what = concern(ready_story)
    page = front(chief)
    assert what in page and "Everything runs by itself" not in page
    link = page.split(what)[0].rsplit('<a href="', 1)[1].split('"')[0].replace("&amp;", "&")
    rows = chief.get(link)
    assert rows.status_code == 200 and rows.context["cl"].result_count == 1


def test_work_of_a_dead_process_and_a_missing_worker_are_told(chief, live_story):
    Publication.objects.update(lease_until=timezone.now() - timedelta(seconds=5))
    assert "Work whose process died" in front(chief)
    readiness.cache.delete(readiness.SWEEP)
    assert "No sweep was made yet" in front(chief)


def test_one_box_finds_by_link_address_id_and_title(chief, live_story, owner):
    path = live_story.publication.path
    story_page = f"/admin/capsules/story/{live_story.pk}/change/"
    for term in (f"https://capsules.example{path}", path, str(live_story.pk), "Small voyages"):
        assert story_page in front(chief, q=term), term
    assert f"/admin/accounts/workspace/{live_story.workspace_id}/change/" in front(chief, q=path)
    assert f"/admin/accounts/user/{owner.pk}/change/" in front(chief, q=owner.email)
    assert f"/admin/accounts/user/{owner.pk}/change/" in front(chief, q=str(owner.pk))
    assert "Nothing was found for “zebra &lt;b&gt;”" in front(chief, q="zebra <b>")


def test_staff_see_no_more_than_their_permissions_allow(chief, ready_story, owner):
    failed_encode(ready_story)
    helper = User.objects.create_user("helper@capsules.example", "x", is_staff=True)
    helper.user_permissions.set(Permission.objects.filter(codename="view_story"))
    client = Client()
    client.force_login(helper)
    page = front(client, q=owner.email)
    assert "Failed encodes" not in page and f"/user/{owner.pk}/" not in page
    assert "Capsules and editions" in page and "Accounts" not in page


def test_a_publication_shows_state_date_link_and_views(chief, live_story):
    publication = live_story.publication
    ViewCount.objects.update_or_create(publication=publication, defaults={"views": 4711})
    for page in ("", f"{publication.pk}/change/"):
        text = chief.get(f"/admin/publishing/publication/{page}").content.decode()
        assert "Live, public" in text and "4711" in text and f">{publication.path}</a>" in text
