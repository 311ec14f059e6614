"""An app as a test drives it: it registers, sends a person to the consent page, exchanges and refreshes."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from django.test import Client

from accounts.models import User

REDIRECT = "https://ink.example/callback"
ALL = "publications:read publications:write connections:read connections:write"


def pkce() -> tuple[str, str]:
    """A verifier and its S256 challenge."""
    verifier = secrets.token_urlsafe(48)
    digest = hashlib.sha256(verifier.encode()).digest()
    return verifier, base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def register(client: Client, **metadata: Any) -> dict[str, Any]:
    body = {"client_name": "Ink", "redirect_uris": [REDIRECT], **metadata}
    answer = client.post("/oauth/register", json.dumps(body), content_type="application/json")
    assert answer.status_code == 201, answer.content
    return answer.json()


def one_line(page: Any) -> str:
    """The HTML of a page with single spaces, as a browser shows it, however its template is wrapped."""
    return " ".join(page.content.decode().split())


def query_of(response: Any) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(response["Location"]).query).items()}


@dataclass
class App:
    """One registered app and the person who is asked; `browser` is logged in as them."""

    user: User
    browser: Client = field(default_factory=Client)
    http: Client = field(default_factory=Client)
    client_id: str = ""
    redirect: str = REDIRECT
    verifier: str = ""
    tokens: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.browser.force_login(self.user)
        self.client_id = self.client_id or register(self.http)["client_id"]

    def authorize_url(self, scope: str = ALL, **changes: Any) -> str:
        self.verifier, challenge = pkce()
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect,
            "scope": scope,
            "state": "s1",
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            **changes,
        }
        return (
            f"/oauth/authorize?{urlencode({key: value for key, value in asked.items() if value is not None})}"
        )

    def consent(
        self, scope: str = ALL, *, grant: str | None = None, workspaces: Any = None, **changes: Any
    ) -> Any:
        """The person's answer: everything that was asked for, or `grant`; in every workspace, or `workspaces`."""
        memberships = self.user.memberships.order_by("workspace__title")
        if workspaces is not None:
            memberships = memberships.filter(workspace__in=workspaces)
        ticked = [membership.pk for membership in memberships]
        granted = [
            *(grant if grant is not None else scope).split(),
            "",
        ]  # whether it may publish: No, if nothing else
        answer = {"answer": "allow", "workspaces": ticked, "default": ticked[0], "scopes": granted}
        return self.browser.post(self.authorize_url(scope, **changes), answer)

    def code(self, scope: str = ALL, **kwargs: Any) -> str:
        answer = self.consent(scope, **kwargs)
        assert answer.status_code == 302, answer.content
        return query_of(answer)["code"]

    def post_token(self, **data: Any) -> Any:
        return self.http.post("/oauth/token", {"client_id": self.client_id, **data})

    def exchange(self, code: str, **changes: Any) -> Any:
        data = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect,
            "code_verifier": self.verifier,
            **changes,
        }
        return self.post_token(**{key: value for key, value in data.items() if value is not None})

    def connect(self, scope: str = ALL, **kwargs: Any) -> App:
        answer = self.exchange(self.code(scope, **kwargs))
        assert answer.status_code == 200, answer.content
        self.tokens = answer.json()
        return self

    def refresh(self, token: str | None = None, **changes: Any) -> Any:
        token = self.tokens["refresh_token"] if token is None else token
        return self.post_token(grant_type="refresh_token", refresh_token=token, **changes)

    def call(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        token = self.tokens["access_token"] if token is None else token
        return self.http.generic(
            method,
            f"/api/v2{path}",
            b"" if body is None else json.dumps(body),
            content_type="application/json",
            headers={"Authorization": f"Bearer {token}"},
        )

    def me(self, token: str | None = None) -> int:
        return self.call("GET", "/me", token=token).status_code
