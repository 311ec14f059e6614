"""Who lives in the instance: workspaces, their people, sessions of now and of last week, credentials good and spent."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from importlib import import_module

from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY
from allauth.account.internal.userkit import user_id_to_str
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import Group
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from fido2.webauthn import (
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

from accounts import tokens
from accounts.actions import workspaces
from accounts.actions.keys import create_api_key, revoke_api_key
from accounts.actors import APP_SCOPES, KEY_SCOPES, Actor
from accounts.models import (
    ApiKey,
    Connection,
    Invitation,
    Membership,
    User,
    Webhook,
    WebhookDelivery,
    Workspace,
    WorkspaceEvent,
)
from accounts.models.digests import digest_of
from accounts.people.sessions import IdleEnd
from accounts.webhooks.actions import change_webhook, make_webhook
from tests.support.factories import PASSWORD
from tests.support.oauth import App

LAST_WEEK = timedelta(days=6)  # less than SESSION_IDLE
YESTERDAY = 24 * 3600  # seconds
WHOSE = f"{AUTHENTICATION_METHODS_SESSION_KEY}_user"
Cookies = dict[str, str]


def staff() -> dict[str, User]:
    """A member of staff who never set up a second factor, and one who has each kind."""
    bare = User.objects.create_superuser("bare@capsules.example", PASSWORD, name="Bea Bare")
    keeper = User.objects.create_superuser("keeper@capsules.example", PASSWORD, name="Kim Keeper")
    TOTP.activate(keeper, generate_totp_secret())
    RecoveryCodes.activate(keeper)
    Group.objects.get_or_create(name="Support")
    return {"staff without a factor": bare, "staff": keeper}


def security_key(user: User) -> Authenticator:
    """A security key, whose public key nobody has the other half of."""
    public = {1: 2, 3: -7, -1: 1, -2: os.urandom(32), -3: os.urandom(32)}  # COSE, ES256
    credential = AttestedCredentialData.create(bytes(16), os.urandom(32), public)
    flags = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.AT
    data = AuthenticatorData.create(os.urandom(32), flags, 0, credential)
    client = CollectedClientData.create("webauthn.create", os.urandom(32), settings.APP_URL)
    answer = {"attestationObject": AttestationObject.create("none", data, {}), "clientDataJSON": client}
    told = {
        "id": b64(credential.credential_id),
        "rawId": b64(credential.credential_id),
        "type": "public-key",
        "response": {name: b64(bytes(value)) for name, value in answer.items()},
        "clientExtensionResults": {"credProps": {"rk": False}},
    }
    return Authenticator.objects.create(
        user=user, type=Authenticator.Type.WEBAUTHN, data={"name": "Key", "credential": told}
    )


def b64(data: bytes) -> str:
    from fido2.utils import websafe_encode

    return str(websafe_encode(data))


def signed_in(user: User, *, aged: bool, agent: str = "Walker/1.0") -> Cookies:
    """The cookie of a session whose password was given again just now; or last week, and it was last used yesterday."""
    now = time.time()
    at = now - LAST_WEEK.total_seconds() if aged else now
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    records = [{"method": "password", "at": at, "email": user.email, "reauthenticated": True}]
    if Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists():
        records.append({"method": "mfa", "at": at, "type": "totp", "reauthenticated": True})
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session[AUTHENTICATION_METHODS_SESSION_KEY] = records
    session[WHOSE] = user_id_to_str(user)
    session[IdleEnd.KEY] = int(now - YESTERDAY if aged else now)
    session.save()
    if aged:
        Session.objects.filter(pk=session.session_key).update(expire_date=timezone.now() + timedelta(days=8))
    UserSession.objects.create(session_key=session.session_key, user=user, ip="203.0.113.7", user_agent=agent)
    return {settings.SESSION_COOKIE_NAME: session.session_key}


def spent_sessions(user: User, count: int) -> None:
    """Sessions whose time is over; nobody has swept them yet."""
    store = import_module(settings.SESSION_ENGINE).SessionStore()
    data = store.encode({SESSION_KEY: str(user.pk)})
    keys = [f"spent{number:027}" for number in range(count)]
    Session.objects.bulk_create(
        Session(session_key=key, session_data=data, expire_date=timezone.now() - timedelta(days=1))
        for key in keys
    )
    agent = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36"
    UserSession.objects.bulk_create(
        UserSession(session_key=key, user=user, ip="203.0.113.9", user_agent=agent) for key in keys
    )


def keys_of(workspace: Workspace, owner: User) -> dict[str, str]:
    """A working key, and the rows of one that was revoked, one that lapsed and one that nobody used for a week."""
    _, working = create_api_key(workspace, by=owner, label="Nightly build", scopes=KEY_SCOPES)
    revoked, spent = create_api_key(workspace, by=owner, label="")
    revoke_api_key(revoked, by=owner)
    create_api_key(workspace, by=owner, expires_at=timezone.now() - timedelta(days=1))
    ApiKey.objects.update(created_at=timezone.now() - LAST_WEEK, last_used_at=timezone.now() - LAST_WEEK)
    return {"key": working, "spent key": spent}


def webhook(workspace: Workspace, by: Actor) -> Webhook:
    """One that failed with everything that happened, and was turned off: nothing is ever sent from here."""
    hook, _ = make_webhook(workspace, url="https://receiver.invalid/hooks", description="Our site", by=by)
    events = WorkspaceEvent.objects.filter(workspace=workspace).order_by("-pk")[:60]
    attempt = {"at": "2026-11-18T17:04:05Z", "status": 500, "error": None, "ms": 12, "answer": "<b>No</b>"}
    WebhookDelivery.objects.bulk_create(
        WebhookDelivery(webhook=hook, event=event, type=event.type, attempts=[attempt] * 3)
        for event in events
    )
    return change_webhook(hook, {"state": "off"}, by=by)


def connected(user: User, *, name: str = "Ink") -> App:
    """An app that this person connected last week, with everything that can be granted."""
    host = settings.ALLOWED_HOSTS[0]
    app = App(user, browser=Client(SERVER_NAME=host), http=Client(SERVER_NAME=host))
    app.connect(" ".join(APP_SCOPES))
    Connection.objects.filter(user=user).update(created_at=timezone.now() - LAST_WEEK)
    return app


def bearer_tokens(people: dict[str, User]) -> dict[str, str]:
    """Tokens of the API by who has them, and one of last week."""
    issued = {role: tokens.issue(people[role]) for role in ("viewer", "editor", "owner")}
    return issued | {"token of last week": tokens.issue(people["owner"], ttl=-LAST_WEEK)}


def invitations(workspace: Workspace, owner: User) -> list[str]:
    """The secrets of an open invitation and of one that is over."""
    secrets = []
    for email, days in (("asked@north-shore.example", 3), ("late@north-shore.example", -3)):
        secrets.append(Invitation.new_secret())
        Invitation.objects.create(
            workspace=workspace,
            email=email,
            role=Membership.Role.EDITOR,
            digest=digest_of(secrets[-1]),
            invited_by=owner,
            expires_at=timezone.now() + timedelta(days=days),
        )
    return secrets


def suspended_workspace(owner: User, by: User) -> Workspace:
    """A workspace of this owner; suspend it when it is full."""
    workspace = workspaces.make_workspace("Closed Shutters", by=owner)
    workspace.name = "closed-shutters"
    workspace.save(update_fields=["name"])
    return workspace
