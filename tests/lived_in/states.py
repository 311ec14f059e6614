"""A capsule in each state that one can be in: live, failed, trashed, half made."""

from __future__ import annotations

import tempfile
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import Workspace
from capsules.actions import drafts, editions, media, previews, revisions, trash
from capsules.media import Facts
from capsules.models import Asset, Encode, Story, Upload, UploadLink
from capsules.uploads import creating, links, parts
from config.errors import Stale
from feed import actions as feed
from feed.models import Pin
from publishing import actions as publishing
from publishing.actions import PublishRequest
from publishing.models import Premiere, Publication
from tests.support import factories

Rendered = dict[str, dict[str, Any]]
HOSTILE = "<script>alert(1)</script> ‮desrever‬ 👩‍👩‍👧"
NAMES = ("IMG_0001.jpg", "image.jpg", "Screenshot 2026-11-02 at 09.14.22.png")


class Shelf:
    """Capsules of one workspace by their state, made by the actions that make them for everybody."""

    def __init__(self, workspace: Workspace, rendered: Rendered, by: Actor) -> None:
        self.workspace, self.rendered, self.by = workspace, rendered, by
        self.stories: dict[str, Story] = {}

    def put(self, state: str, *, edition_of: str = "", **fields: Any) -> Story:
        """A ready capsule; with `edition_of` an edition of the one in that state."""
        if edition_of:
            capsule = self.stories[edition_of]
            story = factories.make_edition(capsule, self.rendered, state.replace(" ", "-"), **fields)
        else:
            fields = {"title": f"Capsule that is {state}", **fields}
            story = factories.make_story(self.workspace, self.rendered, **fields)
        story.created_by = story.edited_by = self.by.user
        story.save(update_fields=["created_by", "edited_by"])
        self.stories[state] = story
        return story

    def publish(self, state: str, **asked: Any) -> Story:
        story = self.stories[state]
        request = PublishRequest(**{"premiere_email_mode": "OFF", **asked})
        publishing.publish(story, request=request, by=self.by, encode_wait=5)
        story.refresh_from_db()
        return story

    def live(self) -> None:
        """Everything that readers can open, in each way in which it can be shown."""
        self.put("live")
        self.publish("live", slug="small-voyages")
        self.put("translated", edition_of="live", language="de")
        self.publish("translated")
        self.put("hidden", edition_of="live", shown=False)
        for state, asked in {
            "unlisted": {"unlisted": True},
            "white label": {"publication_mode": "WHITE_LABEL"},
            "pinned": {},
            "announced": {"premiere_email_mode": "FULL"},
            "held": {"premiere_email_mode": "TEASER"},
            "told": {"premiere_email_mode": "TEASER"},
        }.items():
            self.put(state)
            self.publish(state, **asked)
        self.put("hostile", title=HOSTILE[:200])
        self.publish("hostile")
        publishing.set_visibility(self.stories["pinned"], "featured", by=self.by)
        feed.save_pin(Pin(publication=self.publication("pinned"), tier=Pin.Tier.HEADLINE))

    def premieres(self) -> dict[str, Premiere]:
        """One scheduled for next week, one held for staff, one that is over."""
        now = timezone.now()
        for state, changes in {
            "announced": {"due_at": now + timedelta(days=7)},
            "held": {"state": Premiere.State.HELD, "note": "Restored from a backup."},
            "told": {"state": Premiere.State.DONE, "started_at": now, "enrolled_at": now, "finished_at": now},
        }.items():
            Premiere.objects.filter(publication__story=self.stories[state]).update(**changes)
        found = Premiere.objects.filter(publication__story__workspace=self.workspace)
        return {premiere.state: premiere for premiere in found.select_related("publication__story")}

    def publication(self, state: str) -> Publication:
        return Publication.objects.select_related("story").get(story=self.stories[state])

    def changed_since(self) -> None:
        """A live capsule with later words, a preview of them, an earlier version and a refused change."""
        story = self.put("changed")
        self.publish("changed")
        scene = story.scenes.first()
        assert scene
        revisions.name_revision(story, "Before the summer", by=self.by)
        drafts.update_story(story, {"title": "Capsule that was renamed"}, expected=None, by=self.by)
        previews.build_preview(story, by=self.by.user)
        factories.finish_encodes(self.rendered)
        self.publish("changed")
        story.refresh_from_db()
        drafts.update_story(story, {"summary": "Not published yet."}, expected=None, by=self.by)
        try:
            drafts.update_story(story, {"title": "Too late"}, expected=[1], by=self.by)
        except Stale:
            return
        raise AssertionError("A change that came too late was taken.")

    def away(self) -> None:
        self.put("unpublished")
        self.publish("unpublished")
        publishing.unpublish(self.stories["unpublished"], by=self.by)
        self.put("trashed")
        trash.trash_story(self.stories["trashed"], by=self.by)
        self.put("trashed live")
        self.publish("trashed live")
        trash.trash_story(self.stories["trashed live"], unpublish=True, by=self.by)

    def half_made(self) -> None:
        """Drafts that somebody left in the middle."""
        self.stories["empty"] = drafts.create_story(self.workspace, {"title": "Untitled"}, [], by=self.by)
        words_only = drafts.create_story(
            self.workspace, {"title": "Words only"}, [{"text": "One."}], by=self.by
        )
        previews.build_preview(words_only)
        self.stories["without pictures"] = words_only
        still = factories.shared_still(self.workspace, self.rendered)
        wordless = [{"still": still, "animation": "auto"}, {"text": "Only words."}, {}]
        mixed = drafts.create_story(self.workspace, {"title": "Without words"}, wordless, by=self.by)
        self.stories["without words"] = mixed
        previews.build_preview(mixed)
        factories.finish_encodes(self.rendered)
        bare = drafts.create_story(
            self.workspace,
            {"title": "A bare finale"},
            [{"text": "One."}, {"text": "End.", "finale": True}],
            by=self.by,
        )
        self.stories["bare finale"] = bare
        previews.build_preview(bare)

    def rendering(self) -> None:
        """One that is being encoded, by a worker that is slow but alive, and one whose film could not be."""
        for state, focus, changes in (
            (
                "encoding",
                0.31,
                {"state": Encode.State.RUNNING, "lease_until": timezone.now() + timedelta(days=1)},
            ),
            (
                "failed",
                0.32,
                {"state": Encode.State.FAILED, "error": "This film is damaged.", "detail": "moov"},
            ),
        ):
            story = self.put(state)
            scene = story.scenes.first()
            assert scene
            from capsules.actions.scenes import update_scene

            update_scene(story, scene.key, {"focus": [focus, 0.5]}, expected=None, by=self.by)
            preview = previews.build_preview(story, by=self.by.user)
            preview.encodes.unfinished().update(progress=40, lease_token=uuid.uuid4(), **changes)

    def editions(self) -> None:
        """An edition of a draft, begun as a copy."""
        draft = self.put("draft")
        self.stories["edition of a draft"] = editions.add_edition(
            draft, name="short", label="Short", language="pt-BR", by=self.by
        )


def pictures(workspace: Workspace, count: int) -> list[Asset]:
    """`count` pictures that have only three names between them, as phones give them; the last one is deleted."""
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            colour = f"#{(number * 6) % 256:02x}{(90 + number) % 256:02x}70"
            size = (64, 48 + number)
            source = factories.draw_picture(Path(folder, f"{number}.png"), size, colour=colour)
            facts = Facts("picture", "image/png", "png", *size, duration=None)  # we drew it: no look inside
            taken.append(media.store_asset(workspace, source, facts, filename=NAMES[number % len(NAMES)]))
    media.delete_asset(taken[-1])
    return taken


def uploads(workspace: Workspace, by: Actor) -> list[Upload]:
    """Files on their way: one of which half is there, one that was refused, one that never came."""
    made = [
        creating.begin_upload(
            workspace,
            kind="picture",
            filename=f"half {n}.jpg",
            size=2000,
            by=by.user,
            credential=by.credential,
        )
        for n in range(3)
    ]
    half, refused, late = made
    name = parts.store(half, ContentFile(b"x" * 1000), 0)
    half.parts.create(offset=0, size=1000, name=name)
    rows = Upload.objects
    rows.filter(pk=half.pk).update(offset=1000)
    rows.filter(pk=refused.pk).update(
        state=Upload.State.REFUSED, error="This is not a picture.", finished_at=timezone.now()
    )
    rows.filter(pk=late.pk).update(state=Upload.State.EXPIRED, finished_at=timezone.now())
    return made


def upload_links(workspace: Workspace, story: Story, by: Actor) -> list[str]:
    """The secrets of an open link for a capsule, and of one whose hour is over."""
    made = [
        links.make_link(workspace, by=by, story=story, lifetime=timedelta(hours=1)),
        links.make_link(workspace, by=by, lifetime=timedelta(hours=-1)),
    ]
    assert UploadLink.objects.count() >= len(made)
    return [address.rpartition("/")[2] for _, address in made]
