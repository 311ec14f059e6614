"""The stories of the demo: what is live, what is ready, what the second workspace has."""

from .stories_edition import EDITION
from .stories_live import LIVE
from .stories_more import HARBOUR, MORE
from .stories_ready import READY as FIRST_READY
from .stories_translated import ARABIC, GERMAN
from .story_forms import DemoScene, DemoStory

READY: tuple[DemoStory, ...] = FIRST_READY + MORE

#: Editions of the first story: name, label and words.
EDITIONS: tuple[tuple[str, str, DemoStory], ...] = (
    ("classroom", "Classroom: simpler words, with questions", EDITION),
    ("deutsch", "Deutsch", GERMAN),
    ("arabic", "العربية", ARABIC),
)

__all__ = [
    "EDITION",
    "EDITIONS",
    "HARBOUR",
    "LIVE",
    "READY",
    "DemoScene",
    "DemoStory",
]
