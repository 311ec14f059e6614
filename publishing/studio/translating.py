"""An edition beside its original: what moved on there, and the edition's texts, which one form saves together."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext

from accounts.actors import Actor
from accounts.pages.base import actor_in
from capsules.actions import drafts, editions, scenes
from capsules.models import Scene, Story
from config.errors import CapsulesError, Invalid, Stale
from config.ids import number_of, uuid_of
from config.texts import unix_breaks
from publishing.studio.base import put_back, show_refusal
from publishing.studio.editor import TEXTS_OF_SCENE

TEXTS_AT_ITS_HEAD = ("title", "summary")
STORY = "story"  # the key of its own fields


@dataclass(frozen=True)
class Pair:
    """A scene of an edition beside its original; one of them may be missing.

    `was`: the digest of its own texts, taken before what was typed is put into them.
    """

    original: Scene | None
    own: Scene | None
    was: str = ""

    @property
    def is_behind(self) -> bool:
        """Whether the original was changed since the edition last took note of it."""
        return bool(self.original and self.own and self.own.copied_version != self.original.version)


def pairs_of(edition: Story) -> list[Pair]:
    """The edition's scenes in its order, then those of the capsule that it does not have."""
    originals = {scene.pk: scene for scene in Scene.objects.filter(story=edition.capsule_id)}
    own = list(edition.scenes.select_related("edited_by"))
    pairs = [
        Pair(originals.get(scene.copied_from_id or 0), scene, digest_of(scene, TEXTS_OF_SCENE))
        for scene in own
    ]
    known = {scene.copied_from_id for scene in own}
    return pairs + [Pair(scene, None) for pk, scene in originals.items() if pk not in known]


def digest_of(row: Scene | Story, names: Sequence[str]) -> str:
    return digest([getattr(row, name) for name in names])


def digest(texts: Sequence[str]) -> str:
    return sha256("\0".join(texts).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Part:
    """What the form has of one scene, or of the edition itself under the key "story"."""

    key: str
    typed: dict[str, str]
    was: str  # the digest of the texts that the form began with
    version: int
    seen: int  # the version of the original that stood beside it
    is_done: bool

    @property
    def is_changed(self) -> bool:
        return digest(list(self.typed.values())) != self.was


#: A part that was not taken, and why.
Refused = tuple[Part, CapsulesError]


def parts_in(request: HttpRequest) -> list[Part]:
    """Raises Invalid for a form that nobody made."""
    return [part_in(request, name.partition("-")[2]) for name in request.POST if name.startswith("version-")]


def part_in(request: HttpRequest, key: str) -> Part:
    posted = request.POST
    names = TEXTS_AT_ITS_HEAD if key == STORY else TEXTS_OF_SCENE
    version, seen = (number_of(posted.get(f"{name}-{key}", "0")) for name in ("version", "seen"))
    known = key == STORY or uuid_of(key) is not None
    if not known or version is None or seen is None or any(f"{name}-{key}" not in posted for name in names):
        raise Invalid(gettext("This form is broken. Open the page again."))
    typed = {name: unix_breaks(posted[f"{name}-{key}"]) for name in names}
    is_done = posted.get("done") == key or f"is_done-{key}" in posted
    return Part(key, typed, posted.get(f"was-{key}", ""), version, seen, is_done)


def pressed(request: HttpRequest) -> str:
    """The key of the part whose button was pressed."""
    return request.POST.get("done") or request.POST.get("save", "")


def save_texts(request: HttpRequest, edition: Story) -> list[Refused]:
    """Saves whatever was changed in the form, and takes note of the originals that its author is done with.

    Returns what was not taken. What somebody else saved meanwhile stays, and what was typed is in the history.
    """
    here, by = pressed(request), actor_in(request)
    parts = [part for part in parts_in(request) if part.is_changed or part.key == here]
    taken, refused = [], []
    for part in parts:
        try:
            save_part(edition, part, by=by)
            taken.append(part)
        except Stale as error:
            show_refusal(request, error)
        except CapsulesError as error:
            refused.append((part, error))
    if any(part.is_changed for part in taken):
        messages.success(request, gettext("Saved."))
    if any(part.is_done for part in taken):
        messages.success(request, gettext("Marked as done."))
    return refused


def save_part(edition: Story, part: Part, *, by: Actor) -> None:
    if part.key == STORY:
        drafts.update_story(edition, part.typed, by=by, expected=[part.version])
        return
    key = uuid.UUID(part.key)
    if part.is_changed:
        scenes.update_scene(edition, key, part.typed, by=by, expected=[part.version])
    if part.is_done:
        editions.take_note(edition, key, seen=part.seen, by=by)


def put_texts_back(
    request: HttpRequest, refused: Sequence[Refused], edition: Story, pairs: Sequence[Pair]
) -> None:
    """Gives `edition` and the scenes of `pairs` what was typed and not taken, and the page the reasons."""
    rows: dict[str, Scene | Story] = {STORY: edition}
    rows |= {str(pair.own.key): pair.own for pair in pairs if pair.own}
    sentences = []
    for part, error in refused:
        if row := rows.get(part.key):
            sentences += put_back(row, {**part.typed, "version": part.version}, error)
        else:
            words = gettext("A scene that you changed was deleted meanwhile. You had typed: %(text)s")
            sentences.append(words % {"text": " ".join(part.typed.values())})
    for sentence in dict.fromkeys(sentences):
        messages.error(request, sentence)
