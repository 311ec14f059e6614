"""What was kept before a field was added is read with that field's default."""

from __future__ import annotations

from capsules.actions import keeping, previews
from capsules.models import Preview, Revision, Story
from publishing.baking import bake
from publishing.models import Bake


def forget(model: type, pk: int, *, story: list[str] = [], scene: list[str] = []) -> None:  # noqa: B006
    """Takes fields out of a kept content, as if they had not been there when it was kept."""
    row = model.objects.get(pk=pk)
    head = row.content.get("story", row.content)
    for name in story:
        del head[name]
    for each in row.content["scenes"]:
        for name in scene:
            del each[name]
    model.objects.filter(pk=pk).update(content=row.content)


def test_an_old_revision_reads_with_defaults(ready_story):
    kept = keeping.keep_revision(ready_story, Revision.Kind.NAMED, by=None, label="Old")
    forget(Revision, kept.pk, story=["summary"], scene=["alt", "focus", "animation", "film", "finale"])
    content = Revision.objects.get(pk=kept.pk).content
    assert content["story"]["summary"] == ""
    assert {scene["alt"] for scene in content["scenes"]} == {""}
    for scene in content["scenes"]:
        assert (scene["focus"], scene["animation"], scene["film"], scene["finale"]) == (
            [0.5, 0.5],
            "none",
            None,
            False,
        )


def test_an_old_revision_is_answered_and_restored(ready_story, api):
    kept = keeping.keep_revision(ready_story, Revision.Kind.NAMED, by=None, label="Old")
    forget(Revision, kept.pk, story=["summary"], scene=["alt", "focus"])
    answer = api.get(f"/stories/{ready_story.pk}/revisions/{kept.number}")
    assert answer.status_code == 200
    assert answer.json()["content"]["scenes"][0]["alt"] == ""
    restored = api.call("POST", f"/stories/{ready_story.pk}/revisions/{kept.number}/restore", {})
    assert restored.status_code == 200, restored.content
    assert restored.json()["scenes"][0]["alt"] == ""
    assert restored.json()["scenes"][0]["focus"] == [0.5, 0.5]


def test_an_old_preview_is_baked_with_defaults(ready_story):
    preview = ready_story.latest_preview
    forget(Preview, preview.pk, story=["summary"], scene=["alt"])
    content = bake(Preview.objects.get(pk=preview.pk)).content
    assert content["summary"] == ""
    assert {scene["alt"] for scene in content["scenes"]} == {""}


def test_an_old_preview_still_shows_a_draft_that_has_the_defaults(ready_story):
    ready_story.scenes.update(alt="")
    Story.objects.filter(pk=ready_story.pk).update(summary="")
    story = Story.objects.get(pk=ready_story.pk)
    preview = previews.build_preview(story)
    forget(Preview, preview.pk, story=["summary"], scene=["alt"])
    Preview.objects.filter(pk=preview.pk).update(revision=None)
    assert previews.shows(Preview.objects.get(pk=preview.pk), story, list(story.scenes.all()))


def test_readers_get_an_old_bake_with_defaults(live_story, client):
    baked = Bake.objects.get(story=live_story)
    forget(Bake, baked.pk, story=["summary"], scene=["alt"])
    assert Bake.objects.get(pk=baked.pk).content["scenes"][0]["alt"] == ""
    page = client.get(f"/{live_story.workspace.name}/{live_story.publication.slug}")
    assert page.status_code == 200
