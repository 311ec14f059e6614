"""The page that tells a person how to connect an AI app."""

from __future__ import annotations

import pytest
from django.conf import settings

from accounts.models import Connection
from tests.support.oauth import App

pytestmark = pytest.mark.django_db
PATH = "/account/connect-an-app"


def test_the_page_has_the_address_the_permissions_and_the_persons_apps(client, owner):
    App(owner).connect()
    client.force_login(owner)
    page = client.get(PATH)
    text = page.content.decode()
    assert f'<code class="secret">{settings.MCP_URL}</code>' in text
    for command in ("claude mcp add --transport http", "gemini mcp add --transport http"):
        assert f"{command} capsules {settings.MCP_URL}" in text
    assert f"codex mcp add capsules --url {settings.MCP_URL}" in text
    assert f'{{"mcpServers": {{"capsules": {{"url": "{settings.MCP_URL}"}}}}}}' in text
    assert "Publish and unpublish your capsules" in text and "Disconnect apps from your account" not in text
    assert "no-store" in page["Cache-Control"]
    client.post(f"/account/connected-apps/{Connection.objects.get().pk}/disconnect")
    assert "No app is connected yet" in client.get(PATH).content.decode()


def test_the_page_is_for_somebody_who_is_signed_in(client):
    assert client.get(PATH)["Location"].startswith("/account/login/")
