"""A page in the encodings that browsers take, each ready to send."""

from __future__ import annotations

import gzip
import hashlib
from typing import NamedTuple

import brotli

Headers = list[tuple[str, str]]
NOT_IN_304 = frozenset(["content-type", "content-length", "content-encoding"])


class Body(NamedTuple):
    """A page in one encoding, ready to send."""

    etag: str
    headers: Headers
    headers_304: Headers
    content: bytes


def encoded(content: bytes, headers: Headers, quality: int) -> dict[str, Body]:
    """The page in every encoding, each with a strong ETag of its own; `quality` is Brotli's, 0 to 11."""
    digest = hashlib.sha256(content).hexdigest()[:20]
    variants = {
        "": content,
        "gzip": gzip.compress(content, 9, mtime=0),
        "br": brotli.compress(content, quality=quality),
    }
    return {name: made_ready(name, variant, digest, headers) for name, variant in variants.items()}


def made_ready(encoding: str, content: bytes, digest: str, headers: Headers) -> Body:
    etag = f'"{digest}{encoding and "-" + encoding}"'
    shared = [pair for pair in headers if pair[0].lower() not in ("content-length", "vary", "etag")]
    shared += [("ETag", etag), ("Vary", "Accept-Encoding")]
    own = [("Content-Length", str(len(content)))] + ([("Content-Encoding", encoding)] if encoding else [])
    brief = [pair for pair in shared if pair[0].lower() not in NOT_IN_304]
    return Body(etag, shared + own, brief, content)


def best_encoding(accepted: str) -> str:
    """Brotli before gzip before none, as far as an Accept-Encoding header admits them."""
    weights: dict[str, float] = {}
    for part in accepted.lower().split(","):
        name, _, parameter = part.strip().partition(";")
        try:
            weights[name.strip()] = float(parameter.partition("=")[2] or 1) if parameter else 1.0
        except ValueError:
            weights[name.strip()] = 0.0
    for name in ("br", "gzip"):
        if weights.get(name, weights.get("*", 0.0)) > 0:
            return name
    return ""
