"""Codes and refresh tokens used by several at once, through real threads and real connections."""

from __future__ import annotations

from collections import Counter

import pytest
from django.db import connection as database

from accounts.actions import connections
from accounts.models import Connection, RefreshToken
from tests.publishing.test_races import at_once
from tests.support.oauth import App, register

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 30 if database.vendor == "postgresql" else 5  # SQLite lets one writer in at a time anyway


@pytest.fixture
def app(owner, settings):
    settings.RATES = {**settings.RATES, "token": 10_000, "registration": 10_000}
    app = App(owner)
    app.http.raise_request_exception = False
    return app


def survivors(app: App, answers: list) -> int:
    """How many of the tokens that were handed out still work, access and refresh."""
    given = [answer.json() for answer in answers if getattr(answer, "status_code", 0) == 200]
    access = sum(app.me(tokens["access_token"]) == 200 for tokens in given)
    return access + sum(app.refresh(tokens["refresh_token"]).status_code == 200 for tokens in given)


def test_of_four_concurrent_refreshes_one_succeeds_and_the_connection_dies(app):
    for _ in range(ROUNDS):
        app.connect()
        answers = at_once([app.refresh] * 4)
        assert Counter(answer.status_code for answer in answers) == {200: 1, 400: 3}
        assert survivors(app, answers) == 0
        assert Connection.objects.live().count() == 0


def test_no_token_survives_a_revocation_in_the_middle_of_a_refresh(app):
    for _ in range(ROUNDS):
        app.connect()
        row = Connection.objects.live().select_related("client").get()
        answers = at_once(
            [app.refresh, lambda row=row: connections.end(row, because=Connection.Ended.REVOKED, by=app.user)]
        )
        assert answers[0].status_code in (200, 400)
        assert survivors(app, answers) == 0 and app.me() == 401


def test_of_three_concurrent_exchanges_of_a_code_at_most_one_succeeds(app):
    for _ in range(ROUNDS):
        code = app.code()
        answers = at_once([lambda code=code: app.exchange(code)] * 3)
        counted = Counter(answer.status_code for answer in answers)
        assert counted == {200: 1, 400: 2}
        assert survivors(app, answers) == 0  # the others were replays


def test_two_consents_at_once_make_one_connection(app):
    for _ in range(ROUNDS):
        client_id = register(app.http)["client_id"]
        twins = [App(app.user, client_id=client_id) for _ in range(2)]
        answers = at_once([twin.consent for twin in twins])
        assert {answer.status_code for answer in answers} <= {302, 409}
        assert Connection.objects.live().filter(client__client_id=client_id).count() == 1
    assert not RefreshToken.objects.exists()
