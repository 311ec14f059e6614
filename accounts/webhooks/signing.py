"""Secrets and signatures of webhooks, by the Standard Webhooks specification: `v1` is an HMAC, `v1a` ed25519."""

from __future__ import annotations

import base64
import secrets
from datetime import datetime, timedelta

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.utils import timezone
from django.utils.translation import gettext
from standardwebhooks import Webhook as Signer

from accounts.models import Webhook
from accounts.people.sealing import opened, seal
from config.errors import Conflict

PURPOSE = b"capsules webhooks 1"
OVERLAP = timedelta(hours=24)  # for which a replaced secret still signs
MOST_OLD = 5  # secrets that sign beside the present one


def new_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def give_keys(webhook: Webhook) -> str:
    """Gives an unsaved webhook its keys; returns its secret, which is never shown again."""
    key, secret = Ed25519PrivateKey.generate(), new_secret()
    webhook.private_key = seal(base64.b64encode(key.private_bytes_raw()).decode(), PURPOSE)
    webhook.public_key = "whpk_" + base64.b64encode(key.public_key().public_bytes_raw()).decode()
    webhook.secret = seal(secret, PURPOSE)
    return secret


def replace_secret(webhook: Webhook) -> tuple[str, datetime]:
    """Gives a webhook another secret; the one that it has signs, too, until the returned moment. Saves nothing.

    Raises Conflict where MOST_OLD were replaced within OVERLAP: each of them still signs.
    """
    secret, now = new_secret(), timezone.now()
    signing = still_signing(webhook, now)
    if len(signing) >= MOST_OLD:
        raise Conflict(
            gettext(
                "%(number)d secrets were replaced within a day, and each still signs. Try again tomorrow."
            )
            % {"number": MOST_OLD}
        )
    until = now + OVERLAP
    webhook.old_secrets = [*signing, {"secret": webhook.secret, "until": until.isoformat()}]
    webhook.secret = seal(secret, PURPOSE)
    return secret, until


def still_signing(webhook: Webhook, at: datetime) -> list[dict[str, str]]:
    return [old for old in webhook.old_secrets if datetime.fromisoformat(old["until"]) > at]


def headers(webhook: Webhook, id: str, body: bytes, *, at: datetime) -> dict[str, str]:
    """What goes with one try, made at `at`: signed by every secret that is valid now, and by the private key."""
    sealed = [webhook.secret, *(old["secret"] for old in still_signing(webhook, at))]
    signatures = [Signer(opened(each, PURPOSE)).sign(id, at, body.decode()) for each in sealed]
    stamp = str(int(at.timestamp()))
    key = Ed25519PrivateKey.from_private_bytes(base64.b64decode(opened(webhook.private_key, PURPOSE)))
    signed = key.sign(f"{id}.{stamp}.".encode() + body)
    signatures.append("v1a," + base64.b64encode(signed).decode())
    return {
        "webhook-id": id,
        "webhook-timestamp": stamp,
        "webhook-signature": " ".join(signatures),
        "Content-Type": "application/json",
    }
