"""Whether readers get something else than the draft as it is."""

from __future__ import annotations

from capsules.actions import previews
from capsules.models import Scene, Story
from publishing.models import Bake, Publication


def has_changes(story: Story) -> bool:
    """Whether a publish would show readers something new of a story that they can read. Three queries at most."""
    bake = what_readers_get(story)
    return bake is not None and differs(bake, story, None)


def what_readers_get(story: Story) -> Bake | None:
    # Most often the numbers of the revisions tell: the contents, of hundreds of kilobytes, are read where they do not.
    bakes = Bake.objects.select_related("preview").defer("content", "preview__content")
    live = Publication.objects.filter(story=story, live_bake__isnull=False).values("live_bake")
    return bakes.filter(pk__in=live).first()


def differs(bake: Bake, story: Story, scenes: list[Scene] | None) -> bool:
    """Whether the draft is not what a bake shows. `scenes` are those of the draft, asked for where they are None."""
    preview = bake.preview
    if preview is None:  # of a version that was kept longer than its preview
        return True
    if preview.revision == story.revision:
        return False
    if scenes is None:
        scenes = list(story.scenes.select_related("still"))
    return not previews.shows(preview, story, scenes)
