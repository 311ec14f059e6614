"""A workspace that published under a name which the service has come to need is named to the operator."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import DatabaseError
from django.utils import timezone

from accounts.checks import no_workspace_has_a_reserved_name
from accounts.models import Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def workspaces() -> None:
    for name, claimed_at in (("report", timezone.now()), ("privacy", None), ("north-shore", timezone.now())):
        Workspace.objects.create(name=name, title=name, name_claimed_at=claimed_at)


def test_a_published_name_that_is_reserved_now_is_named(workspaces):
    [warning] = no_workspace_has_a_reserved_name(databases=["default"])
    assert warning.id == "accounts.W001" and "/report " in warning.msg


def test_it_asks_no_database_unasked(workspaces, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert no_workspace_has_a_reserved_name() == []


def test_check_and_migrate_say_it_and_go_on(workspaces, capsys):
    call_command("check", databases=["default"])
    assert "accounts.W001" in capsys.readouterr().err


def test_before_the_first_migrate_it_is_silent(monkeypatch):
    def missing(**kwargs: object) -> None:
        raise DatabaseError("no such table")

    monkeypatch.setattr(Workspace.objects, "filter", missing)
    assert no_workspace_has_a_reserved_name(databases=["default"]) == []
