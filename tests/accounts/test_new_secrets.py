"""A secret that was just made: its page shows it once, and loading that page again makes no second one."""

from __future__ import annotations

import re

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from accounts.models import ApiKey, Connection, Webhook
from accounts.pages import base
from tests.events.test_webhook_rules import make

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["key", "webhook", "secret of a webhook", "token"])
def made(request, north_shore, owner, client, settings):
    """The answer to a form that makes a secret, and what it made."""
    settings.FETCH_PRIVATE = ["127.0.0.0/8"]
    client.force_login(owner)
    here, own = f"/account/workspaces/{north_shore.pk}", owner.memberships.get(workspace=north_shore).pk
    token = {"name": "Desk", "days": "30", "workspaces": own, "default": own, "scopes": "stories:read"}
    path, form, rows = {
        "key": (f"{here}/keys/new", {"label": "Script", "scopes": "stories:read"}, ApiKey),
        "webhook": (f"{here}/webhooks/new", {"url": "http://127.0.0.1:8088/a"}, Webhook),
        "secret of a webhook": (f"{here}/webhooks/{{}}/secret", {}, Webhook),
        "token": ("/account/connected-apps/new-token", token, Connection),
    }[request.param]
    answer = client.post(path.format(make(north_shore).pk) if "{}" in path else path, form)
    assert answer.status_code == 302 and rows.objects.count() == 1
    return answer["Location"]


def secrets_on(client: Client, path: str) -> list[str]:
    return re.findall(r'data-copy="([^"]+)"', client.get(path).content.decode())


def test_a_new_secret_is_shown_once_and_can_be_copied(made, client):
    page = client.get(made).content.decode()
    [secret] = re.findall(r'data-copy="([^"]+)"', page)
    assert f'<code class="secret">{secret}</code>' in page and "passing-on.js" in page
    assert secrets_on(client, made) == []


def test_a_new_secret_waits_encrypted_in_its_own_browser_for_its_own_page(made, client, owner, north_shore):
    other = Client()
    other.force_login(owner)
    assert secrets_on(other, made) == []
    here = f"/account/workspaces/{north_shore.pk}"
    for page in {f"{here}/keys", f"{here}/webhooks", "/account/connected-apps/new-token"} - {made}:
        assert secrets_on(client, page) == []
    [waits] = [text for each in Session.objects.all() if made in (text := str(each.get_decoded()))]
    [secret] = secrets_on(client, made)
    assert secret not in waits


def test_a_new_secret_that_nobody_came_for_is_not_shown_later(made, client, monkeypatch):
    monkeypatch.setattr(base, "SECRET_WAITS", -1)
    assert secrets_on(client, made) == []
