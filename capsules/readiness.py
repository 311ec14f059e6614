"""Whether a capsule is ready to publish, and everything that is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext, gettext_noop

from capsules.models import Encode, Preview, Scene, Story
from capsules.texts import is_blank
from config.errors import Fault

MIN_SCENES = 3
NO_STILL = {
    True: gettext_noop("The finale has no picture."),
    False: gettext_noop("This scene has no picture."),
}
NOT_ANIMATED = gettext_noop("This scene is not animated.")


def faults(story: Story, preview: Preview | None, scenes: Sequence[Scene] | None = None) -> list[Fault]:
    """One fault for every unmet condition; paths like `scenes.2.text`, `scenes.4.animation`, `preview`.

    `preview`: its latest. An encode that still runs is not a fault: publishing waits for it. `scenes`: those of the
    story with their encodes selected along, asked for where they are None.
    """
    if scenes is None:
        scenes = list(story.scenes.select_related("still_encode", "animation_encode"))
    found = []
    if len(scenes) < MIN_SCENES:
        found.append(
            Fault(
                "scenes",
                gettext("A capsule needs at least three scenes; this one has %(number)s.")
                % {"number": len(scenes)},
            )
        )
    for index, scene in enumerate(scenes):
        found += missing_in_scene(scene, f"scenes.{index}", is_last=index == len(scenes) - 1)
    if preview is None:
        found.append(Fault("preview", gettext("No preview has been built yet.")))
    elif not found:
        found += preview_faults(preview)
    return found


def to_mend(faults: list[Fault]) -> list[Fault]:
    """What an author can mend. What only a new preview mends is not their work, and a scene without a picture needs
    that alone: the camera then moves over it.
    """
    bare = {fault.path.removesuffix("still") for fault in faults if fault.path.endswith(".still")}
    implied = {Fault(f"{path}animation", gettext(NOT_ANIMATED)) for path in bare}
    return [fault for fault in faults if fault.path != "preview" and fault not in implied]


def missing_in_scene(scene: Scene, path: str, *, is_last: bool) -> Iterator[Fault]:
    if is_blank(scene.text):
        yield Fault(f"{path}.text", gettext("This scene has no text."))
    if scene.finale and not is_last:
        yield Fault(f"{path}.finale", gettext("Only the last scene may be the finale."))
    if scene.still_id is None or is_lost(scene, scene.still_encode_id):
        yield Fault(f"{path}.still", gettext(NO_STILL[scene.finale]))
    elif scene.still_encode is not None and scene.still_encode.state == Encode.State.FAILED:
        yield Fault(f"{path}.still", scene.still_encode.error)
    if not scene.finale and not is_animated(scene):
        yield Fault(f"{path}.animation", gettext(NOT_ANIMATED))
    elif (film := own_animation(scene)) is not None and film.state == Encode.State.FAILED:
        yield Fault(f"{path}.animation", film.error)


def own_animation(scene: Scene) -> Encode | None:
    """What renders its animation, where that is not its still, which a camera moves."""
    return scene.animation_encode if scene.animation_encode_id != scene.still_encode_id else None


def is_animated(scene: Scene) -> bool:
    """Whether something moves in it once it is rendered."""
    has_source = {Scene.Animation.FILM: scene.film_id, Scene.Animation.AUTO: scene.still_id}
    return has_source.get(scene.animation) is not None and not is_lost(scene, scene.animation_encode_id)  # type: ignore[call-overload]


def is_lost(scene: Scene, encode_id: int | None) -> bool:
    """A settled scene without the encode that renders it; one that still settles gets it with the next preview."""
    return encode_id is None and scene.settle_at is None


def preview_faults(preview: Preview) -> Iterator[Fault]:
    """What keeps the latest preview from being published, where the story as it is now would be ready."""
    scenes = preview.content["scenes"]
    complete = len(scenes) >= MIN_SCENES and all(
        not is_blank(scene["text"]) and scene["still"] and (scene["animation"] or scene["finale"])
        for scene in scenes
    )
    if not complete:
        yield Fault(
            "preview", gettext("The latest preview is older than the last changes. Build a new preview.")
        )
    yield from preview_encode_faults(preview)


def preview_encode_faults(preview: Preview) -> Iterator[Fault]:
    """A fault for every scene of the preview whose rendering failed."""
    errors = {e.pk: e.error for e in preview.encodes.all() if e.state == Encode.State.FAILED}
    for index, scene in enumerate(preview.content["scenes"]):
        for part in ("still", "animation"):
            if scene[part] in errors and not (part == "animation" and scene[part] == scene["still"]):
                yield Fault(f"scenes.{index}.{part}", errors[scene[part]])
    if preview.content["card"] in errors:
        yield Fault("preview", errors[preview.content["card"]])


def missing_pictures(preview: Preview) -> list[Fault]:
    """A fault for every scene of the preview that has no picture at all: nothing of it can be baked."""
    scenes = enumerate(preview.content["scenes"])
    return [
        Fault(f"scenes.{at}.still", gettext(NO_STILL[scene["finale"]]))
        for at, scene in scenes
        if not scene["still"]
    ]
