"""Building previews."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max

from accounts.actors import Actor
from accounts.models import User
from capsules.actions import encodes
from capsules.actions.writing import check_may_change
from capsules.models import Encode, Preview, Scene, Story
from config.errors import Conflict

NO_SCENE = "There is nothing to preview: the story has no scene yet."


@transaction.atomic
def build_preview(story: Story, *, by: User | None = None) -> Preview:
    """A frozen copy of the story as it is now. Its rendering goes on in the background where encodes still run.

    Raises Conflict for a story without scenes.
    """
    # Numbers previews one at a time, and no change comes between reading the words and their revision.
    story = Story.objects.select_for_update(no_key=True).get(pk=story.pk)
    scenes = list(story.scenes.select_related("still", "film"))
    if not scenes:
        raise Conflict(NO_SCENE)
    cover = next((i for i, scene in enumerate(scenes) if scene.pk == story.cover_id), 0)
    wanted_card = encodes.card_of(scenes[cover])
    rendered = encodes.settle(scenes, also=[wanted_card] if wanted_card else [])
    card = rendered[wanted_card.recipe] if wanted_card else None
    number = (story.previews.aggregate(Max("number"))["number__max"] or 0) + 1
    preview = Preview.objects.create(
        story=story,
        number=number,
        revision=story.revision,
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
    preview.encodes.set(rendered.values())
    return preview


def request_preview(story: Story, *, by: Actor) -> Preview:
    """The preview of the draft as it is now; the latest one where nothing changed since.

    Raises Forbidden (role), Locked (suspended), Conflict (no scene).
    """
    check_may_change(by, story.workspace)
    latest = story.latest_preview
    if latest is not None and latest.revision == story.revision and latest.state != "failed":
        return latest
    return build_preview(story, by=by.user)


def retry_preview(story: Story, preview: Preview, *, by: Actor) -> None:
    """Queues what failed of a preview again. Raises Forbidden, Locked, Conflict where nothing failed."""
    check_may_change(by, story.workspace)
    failed = list(preview.encodes.filter(state=Encode.State.FAILED))
    if not failed:
        raise Conflict("Nothing of this preview failed.")
    with transaction.atomic():
        for encode in failed:
            encodes.retry_encode(encode)


def frozen(scene: Scene) -> dict[str, object]:
    return {
        "id": str(scene.key),
        "title": scene.title,
        "text": scene.text,
        "alt": scene.alt,
        "focus": list(scene.focus),
        "finale": scene.finale,
        "still": scene.still_encode_id,
        "animation": scene.animation_encode_id,
    }
