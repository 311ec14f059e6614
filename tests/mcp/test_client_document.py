"""An app that describes itself by a document gets tokens for the MCP server, as a registered one does."""

from __future__ import annotations

import pytest
from django.conf import settings
from rest_framework.exceptions import AuthenticationFailed

from accounts.authentication import actor_of
from accounts.oauth import documents
from tests.support.oauth import REDIRECT, App

pytestmark = pytest.mark.django_db
DOCUMENT = "https://quill.example/client.json"


def test_a_client_document_leads_to_a_token_for_the_mcp_server_alone(owner, monkeypatch):
    document = {
        "client_id": DOCUMENT,
        "client_name": "Quill",
        "client_uri": "https://quill.example",
        "redirect_uris": [REDIRECT],
        "token_endpoint_auth_method": "none",
    }
    monkeypatch.setattr(documents.SafeMetadataFetcher, "fetch", lambda *args: (document, 300))
    app = App(owner, client_id=DOCUMENT).connect("stories:read stories:write", resource=settings.MCP_URL)
    token = app.tokens["access_token"]
    actor = actor_of(token, audience="mcp")
    assert (actor.via, actor.label, actor.user) == ("app", "Quill", owner)
    with pytest.raises(AuthenticationFailed):
        actor_of(token)
