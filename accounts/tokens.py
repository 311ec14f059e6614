"""Access tokens of users and connected apps: RFC 9068 JWTs, signed ES256, verified by /.well-known/jwks.json.

The signing key is derived from SECRET_KEY, so every process has the same one and no key file exists; a key derived
from SECRET_KEY_FALLBACKS still verifies.
"""

from __future__ import annotations

import hashlib
import time
import uuid
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any

import jwt
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from jwt.algorithms import ECAlgorithm

from accounts.models import User
from accounts.resources import Audience, address
from config.json_types import JsonObject

ALGORITHM = "ES256"
TYPE = "at+jwt"
FIRST_PARTY = "first-party"  # the client id of a user's own tokens
REQUIRED = ["exp", "iat", "iss", "aud", "sub", "jti"]
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


@dataclass(frozen=True)
class SigningKey:
    id: str
    private: ec.EllipticCurvePrivateKey

    def public_jwk(self) -> dict[str, object]:
        jwk = ECAlgorithm.to_jwk(self.private.public_key(), as_dict=True)
        return {**jwk, "kid": self.id, "use": "sig", "alg": ALGORITHM}


@lru_cache(maxsize=8)
def signing_key(secret: str) -> SigningKey:
    """The P-256 key that belongs to a secret (HKDF-SHA256, RFC 5869)."""
    derived = HKDF(hashes.SHA256(), length=48, salt=None, info=b"capsules access tokens 1").derive(
        secret.encode()
    )
    number = int.from_bytes(derived, "big") % (P256_ORDER - 1) + 1
    private = ec.derive_private_key(number, ec.SECP256R1())
    point = private.public_key().public_numbers()
    return SigningKey(hashlib.sha256(f"{point.x}:{point.y}".encode()).hexdigest()[:16], private)


def keys() -> list[SigningKey]:
    """The signing key first, then the ones that only verify."""
    return [signing_key(secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]


def jwks() -> dict[str, object]:
    return {"keys": [key.public_jwk() for key in keys()]}


def issue(user: User, *, ttl: timedelta | None = None, audience: Audience = "api", **claims: object) -> str:
    """A signed access token of `user` for `audience`, valid for `ttl` (FIRST_PARTY_TOKEN_TTL by default)."""
    now = int(time.time())
    lifetime = settings.FIRST_PARTY_TOKEN_TTL if ttl is None else ttl
    payload = {
        "iss": settings.BASE_URL,
        "aud": address(audience),
        "sub": str(user.pk),
        "client_id": FIRST_PARTY,
        "generation": user.token_generation,
        "iat": now,
        "exp": now + int(lifetime.total_seconds()),
        "jti": uuid.uuid4().hex,
        **claims,
    }
    key = keys()[0]
    return jwt.encode(payload, key.private, algorithm=ALGORITHM, headers={"typ": TYPE, "kid": key.id})


def verify(token: str, *, audience: Audience = "api") -> JsonObject:
    """The claims of one of our tokens for `audience`. Raises jwt.InvalidTokenError for any other or an expired one.

    The key is chosen among our own by `kid`; nothing the token says (alg, jku, x5u, jwk) chooses another.
    """
    claims = decoded(token, audience=address(audience), options={"require": REQUIRED})
    if any(type(claims[name]) is not int for name in ("exp", "iat")):
        raise jwt.InvalidTokenError("a claim of time is not a number")
    return claims


def own_claims(token: str) -> JsonObject | None:
    """The claims of a token that we signed, also of one that has expired or is for something else; to tell what is
    wrong with it, never to act on.
    """
    try:
        return decoded(token, options={"verify_exp": False, "verify_aud": False})
    except jwt.InvalidTokenError:
        return None


def decoded(token: str, **checks: Any) -> dict[str, object]:
    header = jwt.get_unverified_header(token)
    if str(header.get("typ", "")).lower() not in (TYPE, f"application/{TYPE}"):
        raise jwt.InvalidTokenError("not an access token")
    if "zip" in header or "crit" in header:
        raise jwt.InvalidTokenError("an extension that we never use")
    key = next((key for key in keys() if key.id == header.get("kid")), None)
    if key is None:
        raise jwt.InvalidTokenError("signed by an unknown key")
    public = key.private.public_key()
    return jwt.decode(token, public, algorithms=[ALGORITHM], issuer=settings.BASE_URL, **checks)
