"""The media pipeline: pure functions from files to files. It knows no models, no database and no HTTP."""

from capsules.media.clips import make_clip
from capsules.media.errors import EncodeFailed, MediaRefused
from capsules.media.facts import Facts, Focus, Progress, Rendition, Result
from capsules.media.ffmpeg import ffmpeg_build
from capsules.media.films import make_film
from capsules.media.inspection import inspect
from capsules.media.moves import make_move
from capsules.media.stills import make_card, make_still

RECIPE_VERSION = 1
"""Raise it when the same source would give other bytes, so that outputs are made anew."""

__all__ = [
    "RECIPE_VERSION",
    "EncodeFailed",
    "Facts",
    "Focus",
    "MediaRefused",
    "Progress",
    "Rendition",
    "Result",
    "ffmpeg_build",
    "inspect",
    "make_card",
    "make_clip",
    "make_film",
    "make_move",
    "make_still",
]
