"""Building previews."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext, gettext_noop

from accounts.actors import Actor
from accounts.models import User
from capsules.actions import encodes
from capsules.actions.writing import NO_STORY, check_may_change
from capsules.content import scene_fields, story_fields
from capsules.models import Encode, Preview, Scene, Story
from capsules.telling import tell_settled
from config.errors import Conflict, NotFound

NO_SCENE = gettext_noop("There is nothing to preview: the story has no scene yet.")


@transaction.atomic
def build_preview(story: Story, *, by: User | None = None) -> Preview:
    """A frozen copy of the story as it is now. Its rendering goes on in the background where encodes still run.

    Raises Conflict for a story without scenes, NotFound for one in the trash.
    """
    # Numbers previews one at a time, and no change comes between reading the words and their revision.
    story = Story.objects.select_for_update(no_key=True).get(pk=story.pk)
    if story.deleted_at is not None:
        raise NotFound(gettext(NO_STORY))
    scenes = list(story.scenes.select_related("still", "film"))
    if not scenes:
        raise Conflict(gettext(NO_SCENE))
    cover = cover_among(scenes, story)
    wanted_card = encodes.card_of(scenes[cover])
    rendered = encodes.point_at_encodes(scenes, also=[wanted_card] if wanted_card else [])
    card = rendered[wanted_card.recipe] if wanted_card else None
    number = (story.previews.aggregate(Max("number"))["number__max"] or 0) + 1
    preview = Preview.objects.create(
        story=story,
        number=number,
        revision=story.revision,
        created_by=by,
        content={**words_of(story, scenes, cover), "card": card and card.pk},
    )
    preview.encodes.add(*rendered.values())
    tell_settled([preview])
    return preview


def shows(preview: Preview, story: Story, scenes: list[Scene]) -> bool:
    """Whether a preview froze the draft as it is now: also where it was changed and changed back meanwhile.

    `scenes` are those of the draft, in their order.
    """
    if preview.revision == story.revision:
        return True
    if any(scene.settle_at is not None for scene in scenes):  # how it will be rendered is not decided yet
        return False
    then = {name: value for name, value in preview.content.items() if name != "card"}
    return then == words_of(story, scenes, cover_among(scenes, story))


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
        raise Conflict(gettext("Nothing of this preview failed."))
    with transaction.atomic():
        for encode in failed:
            encodes.retry_encode(encode)


def cover_among(scenes: list[Scene], story: Story) -> int:
    """Which scene, counted from 0, is the cover."""
    return next((i for i, scene in enumerate(scenes) if scene.pk == story.cover_id), 0)


def words_of(story: Story, scenes: list[Scene], cover: int) -> dict[str, object]:
    """The content of a preview, without its card."""
    return {
        **story_fields(story),
        "cover": cover,
        "scenes": [frozen(scene) for scene in scenes],
    }


def frozen(scene: Scene) -> dict[str, object]:
    return {
        "id": str(scene.key),
        **scene_fields(scene),
        "still": scene.still_encode_id,
        "animation": scene.animation_encode_id,
    }
