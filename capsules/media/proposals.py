"""Proposes the focus of a picture by what is in it."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path

from capsules.media.child import Limits, Pulse
from capsules.media.errors import EncodeFailed, MediaRefused
from capsules.media.facts import Facts
from capsules.media.inspection import picture_type
from capsules.media.painting import paint
from capsules.painter.crops import Focus

logger = logging.getLogger(__name__)

LEAST_SIDE = 200  # pixels: in less there is little to choose, and the search costs a second
LIMITS = Limits(seconds=12, cpu_seconds=8, address_space=3 << 30, file_size=1 << 20, nice=0)


@dataclass(frozen=True)
class Subject:
    """What a picture is about. `focus`: what crops should keep; None where nobody could tell. `faces`: left, top, right
    and bottom of each, as fractions.
    """

    focus: Focus | None = None
    faces: list[list[float]] = field(default_factory=list)


def find_subject(source: Path, facts: Facts) -> Subject:
    """Looks for faces, else for detail. Where the search dies or hangs the log says so, and there is no proposal."""
    if facts.kind != "picture" or min(facts.width, facts.height) < LEAST_SIDE:
        return Subject()
    try:
        found = paint("subject", Pulse(), LIMITS, source=str(source), media_type=picture_type(source))
    except (EncodeFailed, MediaRefused) as error:
        detail = getattr(error, "detail", "")
        logger.warning("No focus could be proposed, so crops keep the middle: %s %s", error, detail)
        return Subject()
    x, y = found["focus"]
    return Subject((x, y), found["faces"])
