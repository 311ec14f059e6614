"""Plain functions that make what tests need, by the code that the service itself uses."""

from __future__ import annotations

import fcntl
import json
import os
import pickle
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.test import Client

from accounts import tokens
from accounts.models import Membership, User, Workspace
from capsules import media, storage, worker
from capsules.actions import drafts, encodes, previews
from capsules.actions.scenes import insert
from capsules.models import Asset, Encode, Story
from capsules.signals import encode_done
from publishing import clips
from tests.support import media_files
from tests.support.drawing import draw_picture

PASSWORD = "demo-only"
SEEDED = (640, 360)  # the size of the shared still: the least that fills a screen
ROLES = ("owner", "admin", "editor", "viewer")


def make_workspace(
    name: str, *, title: str = "", plan: str = "free", roles: list[str] | tuple[str, ...] = ROLES
) -> Workspace:
    """A workspace with one member for each role, `<role>@<name>.example`."""
    workspace = Workspace.objects.create(name=name, title=title or name.title(), plan=plan)
    for role in roles:
        user = User.objects.create_user(
            f"{role}@{name}.example", default_workspace=workspace, name=role.title()
        )
        Membership.objects.create(workspace=workspace, user=user, role=role)
    return workspace


def render_media() -> dict[str, dict[str, Any]]:
    """Outputs by encode kind, made by the real encoders from one small picture, stored as blobs.

    They take seconds and always come out the same: the processes of one test run encode them once, in SHARED_FOLDER.
    """
    shared = os.environ.get("SHARED_FOLDER")
    with ExitStack() as stack:
        folder = Path(shared or stack.enter_context(tempfile.TemporaryDirectory()))
        fcntl.flock(stack.enter_context((folder / "lock").open("w")), fcntl.LOCK_EX)
        if not (folder / "results").exists():
            (folder / "results").write_bytes(pickle.dumps(encode_all(folder)))
        still, facts, results = pickle.loads((folder / "results").read_bytes())  # noqa: S301  # our own, of this run
        outputs = {
            kind: {
                "colour": result.colour,
                "renditions": [worker.store_rendition(r) for r in result.renditions],
            }
            for kind, result in results.items()
        }
        name = storage.put(storage.originals(), still, facts.extension)
    size = {"width": facts.width, "height": facts.height}
    return outputs | {"source": {"name": name, "media_type": facts.media_type, **size}}


def encode_all(folder: Path) -> tuple[Path, media.Facts, dict[str, media.Result]]:
    """A picture, what is known of it, and what the encoders make of it and of a film."""
    still = draw_picture(folder / "still.png", SEEDED)
    film = media_files.film(folder, size="320x180", seconds=2)
    out = folder / "film"
    out.mkdir()
    results = {Encode.Kind.FILM: media.make_film(film, out, progress=lambda percent: None)}
    for kind in (Encode.Kind.STILL, Encode.Kind.MOVE, Encode.Kind.CARD):
        out = folder / kind
        out.mkdir()
        encode = Encode(kind=kind, focus=[0.5, 0.5])
        results[kind] = worker.render(encode, [still], out, lambda percent: None)
    return still, media.inspect(still, "picture"), results


def shared_still(workspace: Workspace, rendered: dict[str, dict[str, Any]]) -> Asset:
    """The still of `render_media` as the workspace's own, without another look inside the file."""
    source = dict(rendered["source"])
    asset, _ = Asset.objects.get_or_create(
        workspace=workspace,
        kind="picture",
        name=source.pop("name"),
        defaults={"filename": "still.png", **source},
    )
    return asset


def smallest_jpeg(rendered: dict[str, Any]) -> Any:
    """Of the pictures of a still, what lists show of it."""
    jpegs = [r for r in rendered["still"]["renditions"] if (r["role"], r["format"]) == ("landscape", "jpeg")]
    return min(jpegs, key=lambda jpeg: jpeg["width"])


def make_asset(workspace: Workspace, **fields: Any) -> Asset:
    """The row of a file, a picture unless said otherwise, of which nobody looks for the bytes."""
    usual = {"kind": "picture", "name": f"ab/{uuid4().hex}.png", "filename": "a.png", "width": 9, "height": 9}
    return Asset.objects.create(workspace=workspace, **usual | fields)


def shared_film(workspace: Workspace) -> Asset:
    """A film that is the workspace's own. Nobody looks for its file: `render_media` has made what is shown of it."""
    asset, _ = Asset.objects.get_or_create(
        workspace=workspace,
        kind="film",
        name="ab/film.mp4",
        defaults={
            "filename": "film.mp4",
            "media_type": "video/mp4",
            "width": 320,
            "height": 180,
            "duration": 2,
        },
    )
    return asset


def make_story(
    workspace: Workspace,
    rendered: dict[str, dict[str, Any]],
    *,
    title: str = "Small voyages",
    scenes: int = 4,
    finale: bool = True,
    films: int = 0,
    preview: bool = True,
    encoded: bool = True,
    **fields: Any,
) -> Story:
    """A story of `scenes` scenes over the shared still, the first of them with `films`; with `encoded`, its encodes are
    done.
    """
    story = Story(workspace=workspace, title=title, author_name="Ines Okafor", visibility="public", **fields)
    story.save()
    still = shared_still(workspace, rendered)
    drafted: list[dict[str, Any]] = [
        {
            "title": f"Scene {index + 1}",
            "text": f"This is scene {index + 1} of {title}.",
            "alt": f"Picture {index + 1}.",
            "still": still,
            "animation": "auto",
        }
        for index in range(scenes)
    ]
    if finale and drafted:
        drafted[-1] |= {"animation": "", "finale": True}
    for draft in drafted[:films]:
        draft |= {"animation": "film", "film": shared_film(workspace)}
    with transaction.atomic():
        encodes.point_at_encodes(insert(story, drafted, [], at=0, path="", by=None))
    if preview:
        previews.build_preview(story)
    if encoded:
        finish_encodes(rendered, films=bool(films))
    return story


def make_draft(workspace: Workspace, *, title: str = "A draft", scenes: int = 1) -> Story:
    """A story of texts only, without a picture."""
    texts = [{"text": f"Scene {number + 1} of {title}."} for number in range(scenes)]
    return drafts.create_story(workspace, {"title": title}, texts, by=None)


def finish_encodes(rendered: dict[str, dict[str, Any]], *, films: bool = False) -> None:
    """Gives every unfinished encode, of films too if asked, what the real encoders made of the shared still or film."""
    kinds = [kind for kind in rendered if films or kind != Encode.Kind.FILM]
    for encode in Encode.objects.unfinished().filter(kind__in=kinds):
        encode.state, encode.progress, encode.outputs = Encode.State.DONE, 100, rendered[encode.kind]
        encode.save()


def make_heroes(rendered: dict[str, dict[str, Any]]) -> None:
    """Makes the heroes of all live bakes, as a worker does some time after the publish."""
    clips.request_missing()
    finish_encodes(rendered)
    for hero in Encode.objects.filter(kind=Encode.Kind.MOVE):
        encode_done.send(Encode, encode=hero)


def finish_clips(rendered: dict[str, dict[str, Any]]) -> None:
    """Gives every unfinished social clip the shared film, which is a film like any other: to make one takes seconds."""
    film = rendered[Encode.Kind.FILM]
    renditions = [{**one, "role": "clip"} for one in film["renditions"] if one["format"] == "mp4"]
    for encode in Encode.objects.unfinished().filter(kind=Encode.Kind.CLIP):
        encode.state, encode.progress, encode.outputs = (
            Encode.State.DONE,
            100,
            {**film, "renditions": renditions},
        )
        encode.save()


def make_edition(
    capsule: Story, rendered: dict[str, dict[str, Any]], name: str = "classroom", **fields: Any
) -> Story:
    fields = {"shown": True, "edition_label": name.title(), **fields}
    return make_story(
        capsule.workspace,
        rendered,
        title=f"{capsule.title}, {name}",
        capsule=capsule,
        edition_name=name,
        **fields,
    )


@dataclass
class Api:
    """The API as one caller uses it: by a first-party token, or by a key."""

    client: Client
    user: User | None = None
    key: str | None = None

    def as_(self, user: User | None) -> Api:
        return Api(self.client, user)

    def with_key(self, key: str) -> Api:
        return Api(self.client, None, key)

    def headers(self) -> dict[str, str]:
        if self.key is not None:
            return {"x-api-key": self.key}
        return {"Authorization": f"Bearer {tokens.issue(self.user)}"} if self.user else {}

    def call(self, method: str, path: str, body: Any = None, **kwargs: Any) -> Any:
        headers = {**self.headers(), **kwargs.pop("headers", {})}
        data = kwargs.pop("data", b"" if body is None else json.dumps(body))
        return self.client.generic(
            method, f"/api/v2{path}", data, content_type="application/json", headers=headers, **kwargs
        )

    def get(self, path: str, **kwargs: Any) -> Any:
        return self.call("GET", path, **kwargs)

    def state(self, story: Story | str) -> Any:
        return self.call("GET", f"/stories/{getattr(story, 'pk', story)}/publication")

    def publish(self, story: Story | str, **body: Any) -> Any:
        return self.call("PUT", f"/stories/{getattr(story, 'pk', story)}/publication", body)

    def unpublish(self, story: Story | str, query: str = "", **kwargs: Any) -> Any:
        return self.call("DELETE", f"/stories/{getattr(story, 'pk', story)}/publication{query}", **kwargs)
