"""What somebody does while the housekeeping runs counts: it asks again, with the rows held, before anything goes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.utils import timezone

from accounts import housekeeping
from accounts.actions import workspaces
from accounts.models import Connection, RefreshToken, User, Workspace
from tests.support.locks import held_up
from tests.support.oauth import App

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite lets one writer in at a time"),
]


def never_confirmed(email: str) -> User:
    user = User.objects.create_user(email, "x", created_at=timezone.now() - timedelta(days=400))
    EmailAddress.objects.filter(user=user).update(verified=False)
    workspaces.make_workspace(email.partition("@")[0], by=user)
    return user


def test_who_confirms_while_other_accounts_are_deleted_keeps_theirs():
    first, second = never_confirmed("a@new.example"), never_confirmed("b@new.example")
    with held_up(lambda: housekeeping.forget_unconfirmed(timezone.now())) as (came, stall):
        Workspace.objects.select_for_update().get(members=first)
        stall()
        EmailAddress.objects.filter(user=second).update(verified=True)
    assert came == [1]
    assert list(User.objects.filter(email__endswith="@new.example")) == [second]
    assert Workspace.objects.filter(members=second).exists()


def test_who_allows_an_app_anew_while_unused_ones_are_disconnected_keeps_it(owner):
    apps = [App(owner).connect() for _ in range(2)]
    RefreshToken.objects.update(revoked=timezone.now())
    first, second = Connection.objects.order_by("created_at")
    with held_up(lambda: housekeeping.end_idle_connections(timezone.now())) as (came, stall):
        list(Connection.objects.select_for_update().order_by("pk"))
        stall()
        apps[1].consent()
    assert came == [None]
    first.refresh_from_db(), second.refresh_from_db()
    assert (first.ended_because, second.ended_because) == ("idle", "")
