"""How long a web session lives, and what its cookie is called."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.utils import timezone

pytestmark = pytest.mark.django_db


def is_in(client) -> bool:
    return client.get("/account/").status_code == 200


def test_a_session_ends_after_a_week_without_use(client, owner):
    start = timezone.now()
    client.force_login(owner)
    for days in (0, 6, 12):
        with time_machine.travel(start + timedelta(days=days)):
            assert is_in(client), days
    other = type(client)()
    other.force_login(owner)
    assert is_in(other)
    with time_machine.travel(start + timedelta(days=7, minutes=1)):
        assert not is_in(other) and not is_in(other)
    assert Session.objects.count() == 1


def test_use_is_noted_once_an_hour(client, owner, django_assert_num_queries):
    client.force_login(owner)
    is_in(client)
    before = client.session["used_at"]
    with time_machine.travel(timezone.now() + timedelta(minutes=59)):
        is_in(client)
    assert client.session["used_at"] == before
    with time_machine.travel(timezone.now() + timedelta(minutes=61)):
        is_in(client)
    assert client.session["used_at"] > before


def test_signing_out_has_the_browser_delete_what_was_kept_there(client, owner):
    client.force_login(owner)
    answer = client.post("/account/logout/")
    assert answer["Clear-Site-Data"] == '"storage"'
    assert not is_in(client)
