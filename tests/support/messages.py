"""What a page says above its content."""

from __future__ import annotations

from typing import Any


def messages_of(answer: Any) -> str:
    return " ".join(str(message) for message in answer.context["messages"])
