"""The deeds of authoring."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import transaction
from django.db.models import Max

from accounts.models import User, Workspace
from capsules import encodes, media, storage, tasks
from capsules.models import Asset, Encode, Preview, Scene, Story
from config.errors import Fault, Invalid


@dataclass(frozen=True)
class SceneDraft:
    """What an author gives for one scene. `animation` is "" (none), "auto", or "film" with the clip in `film`."""

    text: str = ""
    title: str = ""
    alt: str = ""
    still: Asset | None = None
    focus: tuple[float, float] = (0.5, 0.5)
    animation: str = ""
    film: Asset | None = None
    finale: bool = False


def upload(workspace: Workspace, source: Path, *, kind: str, filename: str = "") -> Asset:
    """Takes a file in after a look inside it: `kind` "picture" or "film". Raises Invalid in words for the author."""
    facts = media.inspect(source, kind)
    name = storage.put(storage.originals(), source, facts.extension)
    asset, _ = Asset.objects.get_or_create(
        workspace=workspace,
        kind=kind,
        name=name,
        defaults={
            "filename": (filename or source.name)[:200],
            "media_type": facts.media_type,
            "width": facts.width,
            "height": facts.height,
            "duration": facts.duration,
        },
    )
    return asset


def save_story(story: Story) -> None:
    """Saves a new or edited story. Raises Invalid with a fault for every field that breaks a rule."""
    try:
        story.full_clean()
    except ValidationError as error:
        raise Invalid(
            "The story cannot be saved.",
            faults=[
                Fault("" if name == NON_FIELD_ERRORS else name, message)
                for name, messages in error.message_dict.items()
                for message in messages
            ],
        ) from error
    story.save()


@transaction.atomic
def add_scene(story: Story, draft: SceneDraft, *, priority: int = 0) -> Scene:
    """Appends a scene and asks for its encodes. Raises Invalid for a scene after the finale."""
    last = story.scenes.order_by("position").last()
    if last is not None and last.finale:
        raise Invalid("Nothing comes after the finale.")
    scene = Scene(
        story=story,
        position=0 if last is None else last.position + 1,
        title=draft.title,
        text=draft.text,
        alt=draft.alt,
        still=draft.still,
        focus_x=draft.focus[0],
        focus_y=draft.focus[1],
        animation=draft.animation,
        film=draft.film,
        finale=draft.finale,
    )
    request_encodes(scene, priority=priority)
    scene.save()
    return scene


def request_encodes(scene: Scene, *, priority: int = 0) -> None:
    """Points an unsaved or changed scene at the encodes of its files, queueing what is new."""
    still = scene.still and [["default", scene.still.name]]
    scene.still_encode = scene.animation_encode = None
    if still:
        scene.still_encode = encodes.request(Encode.Kind.STILL, still, focus=scene.focus, priority=priority)
    if scene.animation == Scene.Animation.AUTO and still:
        scene.animation_encode = encodes.request(
            Encode.Kind.MOVE, still, focus=scene.focus, priority=priority + 1
        )
    elif scene.animation == Scene.Animation.FILM and scene.film:
        film = [["default", scene.film.name]]
        scene.animation_encode = encodes.request(Encode.Kind.FILM, film, priority=priority + 1)
    wake_encoders()


@transaction.atomic
def build_preview(story: Story, *, by: User | None = None) -> Preview:
    """A frozen copy of the story as it is now. Its rendering goes on in the background where encodes still run.

    Raises Invalid for a story without scenes.
    """
    Story.objects.select_for_update().get(pk=story.pk)  # numbers previews one at a time
    scenes = list(story.scenes.select_related("still", "film", "still_encode", "animation_encode"))
    if not scenes:
        raise Invalid("There is nothing to preview: the story has no scene yet.")
    cover = next((i for i, scene in enumerate(scenes) if scene.pk == story.cover_id), 0)
    card = card_encode(scenes[cover])
    number = (story.previews.aggregate(Max("number"))["number__max"] or 0) + 1
    preview = Preview.objects.create(
        story=story,
        number=number,
        created_by=by,
        content={
            "title": story.title,
            "summary": story.summary,
            "author": story.author_name,
            "language": story.language,
            "cover": cover,
            "card": card and card.pk,
            "scenes": [frozen(scene) for scene in scenes],
        },
    )
    used = [encode for scene in scenes for encode in (scene.still_encode, scene.animation_encode) if encode]
    preview.encodes.set({*used, *([card] if card else [])})
    wake_encoders()
    return preview


def card_encode(scene: Scene) -> Encode | None:
    """The encode of the link-preview picture, from the still of the chosen scene."""
    if scene.still is None:
        return None
    return encodes.request(Encode.Kind.CARD, [["default", scene.still.name]], focus=scene.focus)


def frozen(scene: Scene) -> dict[str, object]:
    return {
        "title": scene.title,
        "text": scene.text,
        "alt": scene.alt,
        "focus": list(scene.focus),
        "finale": scene.finale,
        "still": scene.still_encode_id,
        "animation": scene.animation_encode_id,
    }


def retry_encode(encode: Encode) -> None:
    """Queues a failed encode again."""
    Encode.objects.filter(pk=encode.pk, state=Encode.State.FAILED).update(
        state=Encode.State.QUEUED, attempts=0, progress=0, error="", detail="", finished_at=None
    )
    wake_encoders()


def wake_encoders() -> None:
    """Tells the workers after commit that rows are due; without a broker the sweep finds them."""
    transaction.on_commit(
        tasks.run_encodes.delay, robust=True
    )  # no partial: Django cannot log one that fails
