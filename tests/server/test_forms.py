"""What every form passes before its page: files only from those who may send them, and texts without a NUL."""

from __future__ import annotations

import uuid

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.models import User
from tests.server.test_gate import Unreadable

pytestmark = pytest.mark.django_db
LARGE = settings.FORM_LIMIT + 1


def sent(client: Client, path: str, size: int = LARGE) -> int:
    """The status of a form that says how large it is; 500 where anybody read it to find out who may send it."""
    body = {"wsgi.input": Unreadable()} if size > settings.FORM_LIMIT else {}
    kind = "multipart/form-data; boundary=x"
    answer: HttpResponse = client.post(path, content_type=kind, CONTENT_LENGTH=str(size), **body)
    return answer.status_code


def is_taken(client: Client, path: str, size: int = LARGE) -> bool:
    """Whether the form gets as far as being read."""
    try:
        return sent(client, path, size) != 413
    except AssertionError as error:
        assert "The gate read the body" in str(error)
        return True


@pytest.mark.parametrize(
    "who, is_read", [("owner", True), ("editor", True), ("viewer", False), ("stranger", False)]
)
@pytest.mark.parametrize("page", ["studio_from_folder", "studio_face"])
def test_a_large_form_is_read_from_those_who_write_in_the_workspace(page, who, is_read, person, client):
    workspace = person("owner").memberships.get().workspace_id
    client.force_login(person(who))
    path = reverse(page, args=[workspace])
    assert is_taken(client, path) is is_read
    assert not is_taken(client, path, settings.FILE_FORM_LIMIT + 1)
    assert not is_taken(client, reverse(page, args=[uuid.uuid4()]))


@pytest.mark.parametrize("who, is_read", [("owner", True), ("editor", False), ("viewer", False)])
def test_a_large_list_of_subscribers_is_read_from_those_who_manage_them(
    who, is_read, north_shore, person, client
):
    client.force_login(person(who))
    assert is_taken(client, f"/subscribers/{north_shore.pk}/import") is is_read


def test_a_suspended_workspace_has_no_large_form_read(owner, north_shore, client):
    client.force_login(owner)
    type(north_shore).objects.update(suspended_at="2026-01-01T00:00Z")
    assert not is_taken(client, reverse("studio_from_folder", args=[north_shore.pk]))


@pytest.mark.parametrize("path", ["/account/", "/studio", "/nowhere/at/all", "/admin/capsules/asset/add/"])
def test_a_page_that_takes_no_files_reads_no_large_form_of_anybody(path, owner, client):
    client.force_login(owner)
    assert not is_taken(client, path)


def test_staff_send_files_in_the_admin(client):
    staff = User.objects.create_user("staff@example.org", is_staff=True)
    staff.user_permissions.add(Permission.objects.get(codename="add_asset"))
    client.force_login(staff)
    assert is_taken(client, "/admin/capsules/asset/add/")


# --- NUL -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/?after=%00", "/north-shore?q=a%00b", "/account/login/?next=%00", "/studio?%00=1"]
)
def test_a_nul_in_a_query_is_refused_in_words(path, client):
    answer = client.get(path)
    assert answer.status_code == 400
    assert "Check the link" in answer.content.decode()


def test_a_nul_in_the_search_of_the_studio_is_refused(owner, north_shore, client):
    client.force_login(owner)
    for page in ("studio_capsules", "studio_media"):
        path = reverse(page, args=[north_shore.pk])
        assert client.get(path, {"q": "a\0"}).status_code == 400
        assert client.get(path, {"q": "a"}).status_code == 200


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", None])
@pytest.mark.parametrize(
    "path", ["/account/login/", "/oauth/token", "/subscribe/north-shore", "/admin/login/"]
)
def test_a_nul_in_a_form_is_refused(kind, path, north_shore, client):
    if kind:
        answer = client.post(path, "login=a%00b&client_id=x", content_type=kind)
    else:
        answer = client.post(path, {"login": "a\0b", "client_id": "x"})
    assert answer.status_code == 400


def test_a_form_that_came_from_elsewhere_leads_back_to_itself(client):
    refused = Client(enforce_csrf_checks=True).post("/account/login/?next=/studio", {"login": "a"})
    assert refused.status_code == 403
    assert b'href="/account/login/?next=/studio">Back to the form' in refused.content


@pytest.mark.parametrize(
    ("came_from", "way_back"),
    [
        ("http://testserver/account/?a=1", "http://testserver/account/?a=1"),
        ("http://evil.example/account/", "/account/profile"),
        ("", "/account/profile"),
    ],
)
def test_a_form_whose_answer_has_an_address_of_its_own_leads_back_to_the_page_with_the_form(
    came_from, way_back
):
    headers = {"Referer": came_from} if came_from else {}
    refused = Client(enforce_csrf_checks=True).post("/account/profile", headers=headers)
    assert refused.status_code == 403
    assert f'href="{way_back}">Back to the form' in refused.content.decode()


def test_the_api_names_the_field_with_a_nul(api):
    answer = api.call("POST", "/stories", {"title": "a\0b"})
    assert answer.status_code == 400
    assert [fault["path"] for fault in answer.json()["details"]] == ["title"]
