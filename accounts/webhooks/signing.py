"""Secrets and signatures of webhooks, by the Standard Webhooks specification: `v1` is an HMAC, `v1a` ed25519."""

from __future__ import annotations

import base64
import secrets
from datetime import datetime, timedelta

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.utils import timezone
from standardwebhooks import Webhook as Signer

from accounts.models import Webhook
from accounts.people.sealing import opened, seal

PURPOSE = b"capsules webhooks 1"
OVERLAP = timedelta(hours=24)  # for which a replaced secret still signs


def new_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def give_keys(webhook: Webhook) -> str:
    """Gives an unsaved webhook its keys; returns its secret, which is never shown again."""
    key, secret = Ed25519PrivateKey.generate(), new_secret()
    webhook.private_key = seal(base64.b64encode(key.private_bytes_raw()).decode(), PURPOSE)
    webhook.public_key = "whpk_" + base64.b64encode(key.public_key().public_bytes_raw()).decode()
    webhook.secret = seal(secret, PURPOSE)
    return secret


def replace_secret(webhook: Webhook) -> str:
    """Gives a webhook another secret; the one that it has signs, too, for OVERLAP. Saves nothing."""
    secret = new_secret()
    webhook.old_secret, webhook.old_secret_until = webhook.secret, timezone.now() + OVERLAP
    webhook.secret = seal(secret, PURPOSE)
    return secret


def headers(webhook: Webhook, id: str, body: bytes, *, at: datetime) -> dict[str, str]:
    """What goes with one try, made at `at`: signed by every secret that is valid now, and by the private key."""
    sealed = [webhook.secret]
    if webhook.old_secret_until is not None and webhook.old_secret_until > at:
        sealed.append(webhook.old_secret)
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
