"""`manage.py setup`: the first member of staff and the first workspace."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import Membership, User, Workspace

pytestmark = pytest.mark.django_db

PASSWORD = "kelp-and-lantern-92"


@pytest.fixture
def typed(monkeypatch):
    """What comes on the input, as from a script; there is no terminal."""

    def type_in(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))

    type_in(PASSWORD + "\n")
    return type_in


def setup(**options: object) -> str:
    out = io.StringIO()
    flags = {"email": "Ada@Capsules.example", "workspace": "Small Press", "password_stdin": True, **options}
    call_command("setup", stdout=out, **{key: value for key, value in flags.items() if value is not None})
    return out.getvalue()


def test_the_first_member_of_staff_can_sign_in_and_owns_the_first_workspace(typed, settings):
    settings.REQUIRE_STAFF_MFA = False
    told = setup()
    browser = Client()
    browser.post(reverse("account_login"), {"login": "ada@capsules.example", "password": PASSWORD})
    assert browser.get("/admin/").status_code == 200
    workspace = Workspace.objects.get()
    assert (workspace.title, workspace.name, workspace.plan) == ("Small Press", "small-press", "pro")
    assert workspace.memberships.get().role == Membership.Role.OWNER
    assert User.objects.get().default_workspace == workspace
    assert "/admin/ as ada@capsules.example" in told
    assert PASSWORD not in told


def test_a_second_run_changes_nothing_not_even_the_password(typed):
    setup(workspace_name="press")
    before = User.objects.values().get(), Workspace.objects.values().get()
    typed("another-long-secret-7\n")
    told = setup(workspace_name="press")
    assert (User.objects.values().get(), Workspace.objects.values().get()) == before
    assert told.count("already") == 2


def test_an_account_that_exists_becomes_staff_and_keeps_its_password(typed):
    User.objects.create_user("ada@capsules.example", PASSWORD)
    typed("")
    setup()
    user = User.objects.get()
    assert user.is_superuser and user.is_staff and user.check_password(PASSWORD)


@pytest.mark.parametrize(
    ("input_text", "options", "word"),
    [
        ("12345678\n", {}, "too common"),
        ("\n", {}, "too short"),
        (PASSWORD, {"email": "nobody"}, "not an email address"),
        (PASSWORD, {"workspace_name": "admin"}, "reserved"),
        (PASSWORD, {"workspace_name": "No Name"}, "lowercase letters"),
        (PASSWORD, {"password_stdin": None}, "--password-stdin"),
        (PASSWORD, {"workspace": None}, "--workspace"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_made(typed, input_text, options, word):
    typed(input_text)
    with pytest.raises(CommandError, match=word):
        setup(**options)
    assert not User.objects.exists() and not Workspace.objects.exists()


def test_a_closed_account_is_not_opened_by_it(typed):
    User.objects.create_user("ada@capsules.example", PASSWORD, is_active=False)
    with pytest.raises(CommandError, match="closed"):
        setup()
    assert not User.objects.get().is_superuser
