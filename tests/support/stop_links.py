"""The links of a message that an app published something."""

from __future__ import annotations

import re


def links(text: str) -> dict[str, str]:
    """Their paths, by what they are for: cancel, unpublish."""
    found = re.findall(r"(Cancel that email|Unpublish the capsule): https?://[^/]+(\S+)", text)
    return {words.split()[0].lower(): path for words, path in found}
