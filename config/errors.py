"""The domain's errors: what went wrong, in words for a person. They know no HTTP; `config.api` maps them to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Fault(NamedTuple):
    """One offending input: `path` is its wire name, dots between levels, list positions from 0; "" is the whole."""

    path: str
    message: str


MAX_FAULTS = 20  # told where one input could have thousands


def first(faults: Sequence[Fault]) -> list[Fault]:
    """At most MAX_FAULTS of them, each with a short path, and how many more there are."""
    shown = [Fault(path[:80], message) for path, message in faults[:MAX_FAULTS]]
    more = len(faults) - len(shown)
    return [*shown, Fault("", f"… and {more} more.")] if more else shown


class CapsulesError(Exception):
    """Base of every error that a caller may be told about. `str(error)` is one English sentence."""

    default: str | Promise = _("The request could not be carried out.")

    def __init__(
        self,
        message: str | Promise = "",
        *,
        faults: Sequence[Fault] = (),
        retry_after: int | None = None,
    ) -> None:
        super().__init__(str(message or self.default))
        self.faults = list(faults)
        self.retry_after = retry_after  # seconds after which the same call may succeed

    def in_words(self) -> str:
        """Its faults, which say more than its own sentence; that one where it has none."""
        return " ".join(fault.message for fault in self.faults) or str(self)


class Invalid(CapsulesError):
    """The input is wrong whatever the state of the service."""

    default: str | Promise = _("The request is not valid.")


class Forbidden(CapsulesError):
    """The caller may know that the thing exists, but may not do this to it."""

    default = _("You may not do this.")


class NotFound(CapsulesError):
    """There is no such thing, or none that the caller may know of. One wording for all cases."""

    default = _("Not found.")


class Conflict(CapsulesError):
    """The input is fine, but the present state does not allow it."""

    default = _("This is not possible in the present state.")


class Stale(CapsulesError):
    """Somebody else changed it since the caller read it; nothing was written."""

    default = _("This was changed meanwhile.")

    def __init__(
        self, message: str = "", *, faults: Sequence[Fault] = (), version: int, kept_as: str | None = None
    ) -> None:
        super().__init__(message, faults=faults)
        self.version = version  # the present one
        self.kept_as = kept_as  # path of the revision that has what was refused

    @property
    def headers(self) -> dict[str, str]:
        location = {"Location": self.kept_as} if self.kept_as else {}
        return {"ETag": f'"{self.version}"', **location}


class Gone(CapsulesError):
    """It existed, and has ended."""

    default: str | Promise = _("This is no longer available.")


class TooLarge(CapsulesError):
    """More than is taken at once."""

    default = _("This is too large.")


class Locked(CapsulesError):
    """Somebody else is busy with it, or it is closed for changes."""

    default = _("This is locked at the moment.")


class Throttled(CapsulesError):
    """Too much at once; try again after `retry_after` seconds."""

    default = _("Too many requests. Please slow down.")


class Unavailable(CapsulesError):
    """Something that the service needs does not answer; try again after `retry_after` seconds."""

    default: str | Promise = _(
        "The service is not available at the moment. Please try again in a few seconds."
    )


class NoSpace(CapsulesError):
    """There is no room to save anything."""

    default = _("The service has no space left.")
