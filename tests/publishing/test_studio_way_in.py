"""The way in: from the front page, from a sign-up and from an invitation to the first capsule."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from accounts.actions import members
from accounts.models import Membership, User, Workspace
from tests.support.smtp import code_in

PASSWORD = "a-long-secret-of-ada-1"


def capsules_of(workspace) -> str:
    return reverse("studio_capsules", kwargs={"workspace": workspace.pk})


def test_make_a_capsule_lets_a_newcomer_sign_up_and_anybody_else_into_the_studio(client, db, person):
    page = client.get("/").content.decode()
    [link] = re.findall(r'href="([^"]+)">Make a capsule', page)
    assert link == "/account/signup/?next=/studio/new"
    sign_up = client.get(link).content.decode()
    assert "Title of your workspace" in sign_up
    head = sign_up.partition("</header>")[0]
    for way in ("login", "signup"):
        assert f'href="/account/{way}/?next=/studio/new"' in head
    assert 'href="/account/login/"' in client.get("/account/login/").content.decode()
    assert client.get("/studio/new")["Location"] == "/account/login/?next=/studio/new"
    client.force_login(person("owner"))
    assert client.get(link)["Location"] == "/studio/new"


@pytest.mark.parametrize("path", ["/studio", "/studio/"])
def test_one_step_leads_into_the_studio(path, client, owner, north_shore):
    client.force_login(owner)
    assert client.get(path, follow=True).redirect_chain == [(capsules_of(north_shore), 302)]


def test_somebody_who_signs_up_lands_in_the_empty_studio_with_a_first_step(client, db, mailoutbox):
    form = {"email": "ada@example.org", "password1": PASSWORD, "name": "Ada", "workspace_title": "Almanac"}
    client.post("/account/signup/", form)
    code = code_in(mailoutbox[0].body)
    answer = client.post("/account/confirm-email/", {"code": code}, follow=True)
    assert answer.redirect_chain[-1][0] == capsules_of(Workspace.objects.get())
    for step in ("Make your first capsule", "New capsule"):
        assert step in answer.content.decode()
    assert answer.content.count(b"<h1") == 1


def test_a_new_capsule_is_offered_beside_capsules_to_who_writes(client, person, ready_story):
    for who, offered in (("owner", True), ("viewer", False)):
        client.force_login(person(who))
        page = client.get(capsules_of(ready_story.workspace)).content.decode()
        assert ("New capsule" in page) == offered
        assert page.count("<h1") == 1


@pytest.fixture
def invited(north_shore, owner, mailoutbox, django_capture_on_commit_callbacks):
    """The path that accepts an invitation of this address to North Shore."""

    def invite(email: str) -> str:
        with django_capture_on_commit_callbacks(execute=True):
            members.invite(north_shore, email, role="viewer", by=owner)
        return re.search(r"(/account/invitations/[\w-]+)", mailoutbox[-1].body).group() + "/accept"

    return invite


def test_somebody_who_was_invited_lands_in_that_workspace(client, invited, north_shore, harbour):
    guest = User.objects.get(email="owner@harbour.example")  # has a workspace of their own already
    client.force_login(guest)
    answer = client.post(invited(guest.email), follow=True)
    assert answer.redirect_chain[-1][0] == capsules_of(north_shore)
    text = answer.content.decode()
    assert "You are now viewer of North Shore Press." in text
    assert "ask an owner to make you an editor" in text


def test_an_invitation_for_another_address_is_refused_in_words(client, invited, north_shore, harbour):
    client.force_login(User.objects.get(email="owner@harbour.example"))
    answer = client.post(invited("someone@else.example"), follow=True)
    assert "This invitation is for someone@else.example" in answer.content.decode()
    assert not Membership.objects.filter(
        workspace=north_shore, user__email__endswith="harbour.example"
    ).exists()


def test_somebody_without_a_workspace_is_led_to_make_one(client, db):
    client.force_login(User.objects.create_user("new@example.org"))
    answer = client.get("/studio", follow=True)
    assert "Create your first" in re.sub(r"\s+", " ", answer.content.decode())


@pytest.mark.parametrize("path", ["/studio", "/studio/new"])
def test_somebody_with_two_workspaces_is_led_into_their_default_one(
    path, client, owner, north_shore, harbour
):
    Membership.objects.create(user=owner, workspace=harbour, role="editor")
    for default, opened in ((north_shore, north_shore), (None, harbour)):
        User.objects.filter(pk=owner.pk).update(default_workspace=default)
        client.force_login(owner)
        assert str(opened.pk) in client.get(path)["Location"]


def test_the_account_leads_into_the_studio_of_every_workspace(client, person, north_shore):
    client.force_login(person("viewer"))
    text = client.get("/account/").content.decode()
    assert f'href="{capsules_of(north_shore)}"' in text
    assert reverse("account_workspace", kwargs={"workspace": north_shore.pk}) not in text
