"""Redirect addresses: which ones a client may register, and when a requested one is a registered one."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

MAX_LENGTH = 500
LOOPBACK = re.compile(r"http://(127\.0\.0\.1|\[::1\]|localhost)(?::([0-9]{1,5}))?(/[!-~]*)?", re.ASCII)
PRIVATE_USE = re.compile(r"([a-z][a-z0-9+.-]*):(//?)[!-~]+", re.ASCII)

#: Schemes that a browser runs, reads or hands on by itself; none of them belongs to an app.
FOREIGN_SCHEMES = frozenset(
    """
    about blob chrome chrome-extension data file filesystem ftp ftps http https intent jar javascript mailto
    market ms-appx resource sms ssh tel vbscript view-source ws wss
    """.split()  # noqa: SIM905 (a list would be one word a line)
)


def fault(uri: str) -> str:
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
    if uri.startswith("https://"):
        return "" if parts.hostname and port != 0 else "must name a host"
    if LOOPBACK.fullmatch(uri):
        return ""
    if uri.lower().startswith(("http:", "https:")):
        return "must be https; plain http is for loopback addresses only"
    private = PRIVATE_USE.fullmatch(uri)
    if private and private[1] not in FOREIGN_SCHEMES:
        return ""
    return "must be https, a loopback address, or the private scheme of an app"


def same(requested: str, registered: str) -> bool:
    """Exact string comparison, but for the port of a loopback address, which the system chooses (RFC 8252)."""
    if fault(requested):
        return False
    if requested == registered:
        return True
    one, other = LOOPBACK.fullmatch(requested), LOOPBACK.fullmatch(registered)
    return bool(one and other and one.group(1, 3) == other.group(1, 3))
