"""What can go wrong on the way of a file, beyond what every action can meet."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from config.errors import Conflict, Gone


class Expired(Gone):
    """The upload, or the link, has ended."""

    default = _("This upload has expired. Please start it again.")


class WrongOffset(Conflict):
    """The slice does not begin where the file so far ends."""

    def __init__(self, offset: int) -> None:
        unit = "byte" if offset == 1 else "bytes"
        super().__init__(f"The upload has {offset} {unit}. Please go on from there.")
        self.headers = {"Upload-Offset": str(offset)}
