"""Redirect addresses: which ones a client may register, and when a requested one is a registered one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext

MAX_LENGTH = 500
LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
#: A host as it can be registered: a name in ASCII or an IPv4 address, without wildcards.
HOST = rf"{LABEL}(?:\.{LABEL})*"
HTTPS = re.compile(rf"https://(?:{HOST}|\[[0-9a-fA-F:.]+\])(?::[0-9]{{1,5}})?(?:[/?][!-~]*)?", re.ASCII)
LOOPBACK = re.compile(r"http://(127\.0\.0\.1|\[::1\]|localhost)(?::([0-9]{1,5}))?(/[!-~]*)?", re.ASCII)
PRIVATE_USE = re.compile(r"([a-z][a-z0-9+.-]*):(//?)[!-~]+", re.ASCII)

#: Private schemes must carry a dot, as a reversed domain does (RFC 8252, 7.1), so that no two apps share one. These
#: apps have none, but too many people use them to refuse them. An operator adds others by OAUTH_PRIVATE_SCHEMES.
WELL_KNOWN_SCHEMES = {
    *("claude", "cursor", "cursor-nightly", "goose", "kiro", "raycast", "trae"),
    *("vscode", "vscode-insiders", "vscodium", "warp", "windsurf", "windsurf-next", "zed"),
}


def redirect_fault(uri: str) -> str:
    """Why `uri` cannot be registered, in words for a developer; "" if it can."""
    if len(uri) > MAX_LENGTH or not re.fullmatch(r"[!-~]+", uri):
        return "must be printable ASCII of at most 500 characters"
    if "#" in uri:
        return "must not have a fragment"
    if "\\" in uri or re.search(r"%2e|/\.{1,2}(?:[/?]|$)", uri, re.IGNORECASE):
        return "must not have dot segments or backslashes"
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return "is not a URI"
    if "@" in parts.netloc:
        return "must not have user information"
    if port == 0:
        return "must not have the port 0"
    if uri.startswith("https://"):
        return "" if HTTPS.fullmatch(uri) else "must name one host, in ASCII"
    if LOOPBACK.fullmatch(uri):
        return ""
    if uri.lower().startswith(("http:", "https:")):
        return "must be https; plain http is for loopback addresses only"
    private = PRIVATE_USE.fullmatch(uri)
    if private and is_private_scheme(private[1]):
        return ""
    return (
        "must be https, a loopback address, or the private scheme of an app, which is a domain turned round "
        "(com.example.app)"
    )


def is_private_scheme(scheme: str) -> bool:
    return "." in scheme or scheme in WELL_KNOWN_SCHEMES or scheme in settings.OAUTH_PRIVATE_SCHEMES


def are_of_one_site(uris: list[str]) -> bool:
    """Whether all https addresses have one host, or hosts below one of them."""
    hosts = {urlsplit(uri).hostname or "" for uri in uris if uri.startswith("https://")}
    top = min(hosts, key=len, default="")
    return all(host == top or host.endswith(f".{top}") for host in hosts)


@dataclass(frozen=True)
class Destination:
    """Where an answer goes, as a person is told: a site, a program on their own device, or whatever opens a scheme."""

    kind: Literal["site", "device", "scheme"]
    name: str


def destination(uri: str) -> Destination:
    parts = urlsplit(uri)
    if LOOPBACK.fullmatch(uri):
        return Destination("device", gettext("this device"))
    if parts.scheme == "https":
        return Destination("site", parts.hostname or "")
    return Destination("scheme", f"{parts.scheme}:")


def same(requested: str, registered: str) -> bool:
    """Exact string comparison, but for the port of a loopback address, which the system chooses (RFC 8252)."""
    if redirect_fault(requested):
        return False
    if requested == registered:
        return True
    one, other = LOOPBACK.fullmatch(requested), LOOPBACK.fullmatch(registered)
    return bool(one and other and one.group(1, 3) == other.group(1, 3))
