"""Pictures and films of scenes that a tool names by their address: fetched by a worker while the tool waits."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import anyio

from accounts.mcp.tools import PATIENCE, in_thread, me, still_me
from accounts.models import Workspace
from capsules.actions import scenes as scene_actions
from capsules.actions.writing import check_may_change, check_may_write
from capsules.mcp.inputs import Animation, media_fields
from capsules.models import Asset, Scene, Story, Upload
from capsules.uploads import creating
from capsules.uploads.links import kind_of
from config.errors import CapsulesError

AT_ONCE = 10  # uploads of one call under way
POLL = 0.5  # seconds
LATER = "Some media are still being fetched. Ask get_media for each upload, then give its media_id to update_scene."
FAILED = "Some media were refused: see their errors, and give the scenes others by update_scene."


@dataclass
class Wanted:
    """The file at `url`, which the scene `key` is to show."""

    key: uuid.UUID
    url: str
    animation: Animation | None = None
    finale: bool = False
    upload: Upload | None = None
    state: str = "waiting"
    error: str | None = None

    @property
    def is_over(self) -> bool:
        return self.state in ("ready", "refused", "expired")

    def told(self) -> dict[str, str | None]:
        upload = str(self.upload.pk) if self.upload else None
        return {"scene": str(self.key), "upload": upload, "state": self.state, "error": self.error}


@dataclass
class Fetching:
    """All files that one call wants for a story."""

    story: Story
    wanted: list[Wanted] = field(default_factory=list)

    def step(self) -> bool:
        """Begins fetches, at most AT_ONCE, and gives arrived files to their scenes; True when all are over."""
        check_may_write(still_me(), self.story.workspace)
        for each in self.wanted:
            if each.upload is not None and not each.is_over:
                self.look(each)
        free = AT_ONCE - sum(1 for each in self.wanted if each.upload and not each.is_over)
        for each in [each for each in self.wanted if each.upload is None and not each.is_over][:free]:
            self.begin(each)
        return all(each.is_over for each in self.wanted)

    def begin(self, each: Wanted) -> None:
        try:
            each.upload = begin_fetch(self.story.workspace, each.url)
            each.state = each.upload.state
        except CapsulesError as error:
            each.state = "refused"
            each.error = error.in_words()

    def look(self, each: Wanted) -> None:
        assert each.upload is not None  # noqa: S101
        each.upload.refresh_from_db()
        each.state = each.upload.state
        each.error = each.upload.error or None
        if each.state == Upload.State.READY and each.upload.asset is not None:
            self.show(each, each.upload.asset)

    def show(self, each: Wanted, asset: Asset) -> None:
        try:
            row = scene_actions.scene_of(self.story, each.key)
            trim = None if row.film else row.trim  # what was said with the address of this film
            fields = media_fields(asset, animation=each.animation, finale=each.finale, trim=trim)
            scene_actions.update_scene(self.story, each.key, fields, by=me())
        except CapsulesError as error:
            each.state, each.error = "refused", error.in_words()


def begin_fetch(workspace: Workspace, url: str, kind: str | None = None) -> Upload:
    """Has a worker fetch a file. Raises what `creating.begin_upload` raises."""
    check_may_change(me(), workspace)
    creating.check_address(url)
    return creating.begin_upload(
        workspace,
        kind=kind or kind_of(urlsplit(url).path),
        source_url=url,
        by=me().user,
        credential=me().credential,
    )


async def wait_for_files(story: Story, wanted: list[Wanted]) -> dict[str, object]:
    """Waits for every file, at most PATIENCE, and returns what the answer says of them. It holds no thread."""
    if not wanted:
        return {}
    fetching = Fetching(story, wanted)
    deadline = time.monotonic() + PATIENCE
    while not await in_thread("author", fetching.step) and time.monotonic() < deadline:
        await anyio.sleep(POLL)
    told: dict[str, object] = {"media": [each.told() for each in wanted]}
    if any(not each.is_over for each in wanted):
        told["next"] = LATER
    elif any(each.error for each in wanted):
        told["next"] = FAILED
    return told


def wanted_files(scenes: list[Scene], inputs: list[Any]) -> list[Wanted]:
    """The files that new scenes name by their address."""
    return [
        Wanted(scene.key, given.media_url, given.animation, given.finale)
        for scene, given in zip(scenes, inputs, strict=True)
        if given.media_url
    ]
