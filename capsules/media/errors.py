"""How media work ends badly: the source is not good, or the encoder failed."""

from __future__ import annotations

from config.errors import CapsulesError, Invalid, Unavailable


class MediaRefused(Invalid):
    """The source file is not one we take. `str(error)` is one sentence for its author."""

    default = "This file cannot be used."


class EncodeFailed(CapsulesError):
    """The source looked good, but the encoder did not finish. `detail` is the end of its log, for staff."""

    default = "The encoder failed on this file."

    def __init__(self, message: str = "", *, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


class Interrupted(EncodeFailed, Unavailable):
    """Says nothing about the source: what read or encoded it was killed from outside, or had no room. Worth another
    try.
    """

    default = "The encoder was stopped from outside, most likely because memory ran out."


class NoRoom(Interrupted):
    default = "There was no room for the encoder's files."
