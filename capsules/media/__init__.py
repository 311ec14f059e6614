"""The media pipeline: pure functions from files to files. It knows no models, no database and no HTTP."""

from capsules.media.clips import make_clip
from capsules.media.errors import EncodeFailed, Interrupted, MediaRefused, NoRoom
from capsules.media.facts import Facts, Progress, Rendition, Result
from capsules.media.ffmpeg import MAX_SECONDS, ffmpeg_build
from capsules.media.films import make_film
from capsules.media.inspection import inspect
from capsules.media.moves import make_move
from capsules.media.posters import name_film, take_still
from capsules.media.proposals import Subject, find_subject
from capsules.media.stills import make_card, make_face, make_still
from capsules.media.strips import draw_strip
from capsules.painter.crops import Focus

RECIPE_VERSIONS = {"still": 2, "film": 3, "move": 3, "clip": 2, "card": 2}
"""By kind of encode, 1 where it is absent. Raise one when the same source would give other bytes, so that outputs are
made anew."""

__all__ = [
    "MAX_SECONDS",
    "RECIPE_VERSIONS",
    "EncodeFailed",
    "Facts",
    "Focus",
    "Interrupted",
    "MediaRefused",
    "NoRoom",
    "Progress",
    "Rendition",
    "Result",
    "Subject",
    "draw_strip",
    "ffmpeg_build",
    "find_subject",
    "inspect",
    "make_card",
    "make_clip",
    "make_face",
    "make_film",
    "make_move",
    "make_still",
    "name_film",
    "take_still",
]
