"""The stories of the demo: what is live, what is ready, what the second workspace has."""

from .stories_edition import EDITION, EDITION_LABEL, EDITION_NAME
from .stories_live import LIVE
from .stories_more import HARBOUR, MORE
from .stories_ready import READY as FIRST_READY
from .words import DemoScene, DemoStory

READY: tuple[DemoStory, ...] = FIRST_READY + MORE

__all__ = ["EDITION", "EDITION_LABEL", "EDITION_NAME", "HARBOUR", "LIVE", "READY", "DemoScene", "DemoStory"]
