"""Secrets are stored as digests, never in clear."""

from __future__ import annotations

import hashlib


def digest_of(secret: str) -> str:
    """SHA-256 in hex. Enough for secrets of 256 random bits, which nobody can guess by trying. Of whatever is sent."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
