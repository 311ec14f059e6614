"""Addresses as others need them: with our host in front, and one for each language."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.http.request import split_domain_port, validate_host


def absolute(url: str) -> str:
    """One of our paths with the host in front; addresses elsewhere (blobs in an object store) as they are."""
    return f"{settings.APP_URL}{url}" if url.startswith("/") else url


def is_our_host(host: str) -> bool:
    """Whether Django would accept this Host header."""
    domain, _ = split_domain_port(host)
    return bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)


def by_language(default: str, addresses: Iterable[tuple[str, str]]) -> dict[str, str]:
    """For hreflang: the first address of each language, and `default` as x-default; {} where there is one language.

    `addresses`: pairs of language and address.
    """
    first: dict[str, str] = {}
    for language, address in addresses:
        first.setdefault(language, address)
    return {**first, "x-default": default} if len(first) > 1 else {}
