"""The picture of a workspace, which its readers see beside its title."""

from __future__ import annotations

import tempfile
from pathlib import Path

from django.utils.translation import gettext

from accounts.actions import workspaces
from accounts.models import User, Workspace
from capsules import media, storage
from capsules.actions.media import check_bytes
from config.errors import Invalid


def set_picture(workspace: Workspace, source: Path, *, by: User) -> None:
    """Draws a square of the file and shows it at once. Raises Forbidden (role), TooLarge, Invalid in words."""
    check_bytes("picture", source.stat().st_size)
    with tempfile.TemporaryDirectory(prefix="capsules-face-") as folder:
        try:
            media.inspect(source, "picture")
            drawn = media.make_face(source, Path(folder))
        except media.EncodeFailed as error:
            raise Invalid(gettext("This picture could not be drawn. Please try another one.")) from error
        name = storage.put(storage.blobs(), drawn.path, "jpeg")
    workspaces.change_picture(workspace, name, by=by)
