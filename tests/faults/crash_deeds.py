"""The deeds that tests.faults.crash_points ends at every place: what each begins with, does, and must have told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults import crash_looks as looks
from tests.faults.crash_world import World, fresh


@dataclass
class Deed:
    """`begin` makes what it is about, `do` does it; `done`: whether it took effect; `events`: all that it and the sweep
    after it tell then.
    """

    begin: Callable[[World], Any]
    do: Callable[[World, Any], Any]
    done: Callable[[World, Any], bool]
    events: tuple[str, ...]

    def look(self, world: World, about: Any) -> list[str]:
        """The log has the deed once where it took effect, else nothing."""
        told, took = [event.type for event in world.events(new=True)], self.done(world, about)
        expected = list(self.events) if took else []
        wrong = [] if told == expected else [f"told {told}; it took effect: {took}"]
        return wrong + looks.gaps(world) + self.more(world, about)

    def more(self, world: World, about: Any) -> list[str]:
        return looks.surfaces(world, about) + looks.rows(world, about)


def is_live(world: World, story: Any) -> bool:
    from publishing.models import Publication

    return Publication.objects.live().filter(story=story.pk).exists()


def live(world: World) -> Any:
    return world.story(live=True)


def unpublish(world: World, story: Any) -> None:
    from publishing import actions

    actions.unpublish(fresh(story), by=world.by)


def changed(world: World) -> Any:
    """A live story with another preview."""
    from capsules.actions import drafts, previews
    from tests.support import factories

    story = world.story(live=True)
    drafts.update_story(story, {"title": f"{story.title}, again"}, by=world.by)
    previews.build_preview(fresh(story))
    factories.finish_encodes(world.rendered)
    return fresh(story)


def second_version(world: World, story: Any) -> bool:
    from publishing.models import Publication

    return Publication.objects.get(story=story.pk).live_bake.number == 2


def restore(world: World, story: Any) -> None:
    from publishing import restoring

    restoring.restore_version(fresh(story), 1, by=world.by)


def restorable(world: World) -> Any:
    story = changed(world)
    world.publish(story)
    return fresh(story)


def was_restored(world: World, story: Any) -> bool:
    from publishing.models import PublicationEvent

    return PublicationEvent.objects.filter(story=story.pk, action="restored").exists()


def freeze(world: World, story: Any) -> None:
    from accounts.models import User
    from accounts.statements import Statement
    from publishing.models import Publication
    from publishing.moderation import actions

    if Publication.objects.get(story=story.pk).frozen_at is None:
        staff = User.objects.filter(is_superuser=True).first()
        staff = staff or User.objects.create_superuser("staff@capsules.example", "x")
        actions.freeze(
            actions.open_by_staff(fresh(story), by=staff), Statement("rights", "", "No."), by=staff
        )


def is_frozen(world: World, story: Any) -> bool:
    from publishing.models import Publication

    return Publication.objects.filter(story=story.pk, frozen_at__isnull=False).exists()


def trash(world: World, story: Any) -> None:
    from capsules.actions.trash import trash_story

    if fresh(story).deleted_at is None:
        trash_story(fresh(story), unpublish=True, by=world.by)


def unrendered(world: World) -> Any:
    from django.db.models import CharField
    from django.db.models.functions import Cast

    from capsules.models import Encode

    Encode.objects.update(recipe=Cast("pk", CharField()))  # so that it asks for encodes of its own
    return world.story(encoded=False)


def is_rendered(world: World, story: Any) -> bool:
    return story.previews.get().state == "ready"


class Delivery(Deed):
    """One event for a webhook: it arrives at least once, with one id, and is taken once."""

    def look(self, world: World, about: Any) -> list[str]:
        from accounts.models import WebhookDelivery

        rows = list(WebhookDelivery.objects.filter(event__isnull=False).order_by("pk"))
        ids = {got.headers["webhook-id"] for got in world.there.got}
        wrong = [f"{row} after {row.tries} tries" for row in rows if row.state != "done"]
        if len(rows) != 2 or ids != {row.event_id_on_wire for row in rows}:
            wrong.append(f"{len(rows)} deliveries, {len(ids)} ids arrived")
        firsts = list(dict.fromkeys(got.headers["webhook-id"] for got in world.there.got))
        if firsts != [row.event_id_on_wire for row in rows]:
            wrong.append("out of order")
        return wrong + looks.gaps(world) + looks.leases()


def told_twice(world: World) -> Any:
    from django.db import transaction

    from accounts.events.emitting import emit
    from accounts.events.types import sample
    from accounts.models import Webhook
    from accounts.webhooks import actions

    Webhook.objects.all().delete()
    world.there.got.clear()
    hook, _ = actions.make_webhook(world.workspace, url=world.there.url, by=world.by)
    with transaction.atomic():
        for _ in range(2):
            emit(world.workspace, "story.restored", sample("story.restored"))
    return hook


def deliver(world: World, hook: Any) -> None:
    from accounts.webhooks import sending

    sending.send_due_webhooks()


# --- A premiere -------------------------------------------------------------------------------------------------


def armed(world: World) -> Any:
    """A capsule whose premiere is due."""
    return world.story(live=True, mode="TEASER")


def send_premiere(world: World, story: Any) -> None:
    from publishing.premieres import sweeping

    sweeping.send_due_premieres()


def is_sent(world: World, story: Any) -> bool:
    from publishing.models import Premiere

    return Premiere.objects.get(publication__story=story.pk).state == "done"


# --- The end of an upload ---------------------------------------------------------------------------------------


class UploadEnds(Deed):
    """A file that arrived whole becomes one picture of the workspace, and its parts go."""

    def more(self, world: World, about: Any) -> list[str]:
        from capsules import storage
        from capsules.models import Asset

        assets = Asset.objects.filter(workspace=world.workspace, filename=about.filename).count()
        wrong = [] if assets == 1 else [f"{assets} pictures of one upload"]
        if storage.parts().exists(str(about.pk)) or about.parts.exists():
            wrong.append("parts of it are left")
        return wrong + looks.leases()


def arrived(world: World) -> Any:
    import tempfile
    from datetime import timedelta

    from django.utils import timezone
    from PIL import Image

    from capsules.models import Upload
    from capsules.uploads import parts

    world.number += 1
    picture = Path(tempfile.mkdtemp(), "picture.png")
    Image.new("RGB", (64, 40), (world.number % 256, world.number // 256, 40)).save(picture)
    upload = Upload.objects.create(
        workspace=world.workspace,
        created_by=world.owner,
        credential=f"user:{world.owner.pk}",
        kind="picture",
        filename=f"picture-{world.number}.png",
        size=picture.stat().st_size,
        offset=picture.stat().st_size,
        state=Upload.State.CHECKING,
        expires_at=timezone.now() + timedelta(days=1),
    )
    with picture.open("rb") as file:
        upload.parts.create(name=parts.store(upload, file, 0), offset=0, size=upload.size)
    return upload


def check_upload(world: World, upload: Any) -> None:
    from tests.support.checking import check_uploads

    check_uploads()


def is_taken(world: World, upload: Any) -> bool:
    return type(upload).objects.get(pk=upload.pk).state == "ready"


# --- The end of a workspace -------------------------------------------------------------------------------------


class Erase(Deed):
    """A workspace is there with its capsule, page and subscribers, or nothing of it is."""

    def more(self, world: World, about: Any) -> list[str]:
        from accounts.models import RetiredName, WorkspaceEvent
        from capsules.models import Story
        from feed.models import Card
        from publishing.models import Publication, Slug, Subscriber

        models = (Story, Subscriber, Card, WorkspaceEvent)
        left = {each.__name__: each.objects.filter(workspace=about).count() for each in models}
        left["Publication"] = Publication.objects.filter(story__workspace=about).count()
        left["Slug"] = Slug.objects.filter(text=about.title.lower()).count()
        left["page"] = int(world.fetch(f"/{about.name}/{about.title.lower()}")[0].startswith("200"))
        gone = self.done(world, about)
        wrong = [f"left: {left}"] if len({bool(count) for count in left.values()} | {not gone}) > 1 else []
        if RetiredName.objects.filter(name=about.name).exists() != gone:
            wrong.append("the name is free")
        return wrong + looks.leases()


def another_workspace(world: World) -> Any:
    from accounts.actors import Actor
    from publishing import actions
    from tests.support import factories, mail

    world.number += 1
    name = f"harbour-{world.number}"
    made = factories.make_workspace(name, title=f"Ends-{world.number}", plan="pro", roles=["owner"])
    mail.subscribe(made, 2)
    story = factories.make_story(made, world.rendered, title=made.title)
    by = Actor.by_token(made.memberships.get().user)
    actions.publish(fresh(story), request=actions.PublishRequest(premiere_email_mode="OFF"), by=by)
    for _ in range(2):
        world.fetch(f"/{name}/{made.title.lower()}")
    return made


def erase(world: World, workspace: Any) -> None:
    from accounts.actions import erasing

    owner = workspace.memberships.get().user
    erasing.erase_workspace(workspace, by=owner)


def is_erased(world: World, workspace: Any) -> bool:
    return not type(workspace).objects.filter(pk=workspace.pk).exists()


DEEDS = {
    "publish": Deed(
        World.story, World.publish, is_live, ("story.published", "premiere.scheduled", "premiere.sent")
    ),
    "delivery": Delivery(told_twice, deliver, lambda *_: True, ()),
    "premiere": Deed(armed, send_premiere, is_sent, ("premiere.sent",)),
    "republish": Deed(changed, World.publish, second_version, ("story.republished",)),
    "unpublish": Deed(live, unpublish, lambda *about: not is_live(*about), ("story.unpublished",)),
    "restore": Deed(restorable, restore, was_restored, ("story.republished",)),
    "freeze": Deed(live, freeze, is_frozen, ("story.frozen",)),
    "trash": Deed(live, trash, lambda w, s: fresh(s).deleted_at is not None, ("story.trashed",)),
    "preview": Deed(unrendered, lambda world, _: world.encode(), is_rendered, ("preview.ready",)),
    "upload": UploadEnds(arrived, check_upload, is_taken, ("upload.ready",)),
    "erase": Erase(another_workspace, erase, is_erased, ()),
}
