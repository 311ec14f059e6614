"""The demo content: two workspaces, their people, and stories in every state.

Each part is brought once. What people have done with it since then (unpublished, renamed, emptied, put into the trash,
removed from a workspace) is theirs: a further run brings what is missing altogether and changes nothing.
"""

from __future__ import annotations

import fcntl
import subprocess
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import imageio_ffmpeg
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q
from slugify import slugify

from accounts.actors import Actor
from accounts.models import Membership, User, Workspace
from capsules import readiness, worker
from capsules.actions import encodes, previews
from capsules.actions import media as uploads
from capsules.actions.scenes import insert
from capsules.demo import pictures, stories
from capsules.demo.stories import DemoScene, DemoStory
from capsules.models import Asset, Encode, Story
from config.errors import Forbidden
from config.json_types import JsonObject
from config.links import absolute
from publishing import actions
from publishing.actions import PublishRequest
from publishing.subscribers import actions as subscriptions

PASSWORD = "demo-only"  # noqa: S105  (the demo refuses to run in production)
STAFF = "staff@capsules.example"
NORTH_SHORE = ("north-shore", "North Shore Press", Workspace.Plan.PRO, ("owner", "admin", "editor", "viewer"))
HARBOUR = ("harbour", "Harbour Letters", Workspace.Plan.FREE, ("owner",))
NAMES = {"owner": "Ines Okafor", "admin": "Jonas Falk", "editor": "Mara Lindqvist", "viewer": "Theo Brandt"}
SLOW = "The Long Take"  # its film takes a while to encode
FEATURED = 3  # of the live ones
READERS = 200  # confirmed subscribers of each workspace
WHITE_LABEL, UNLISTED = 10, 11  # positions among the live ones

Report = Callable[[str], None]
Draft = dict[str, object]  # the fields of a scene, as `insert` takes them
Drafts = list[Draft]


@dataclass
class Demo:
    """One run of the demo; `report` gets a line for every step."""

    report: Report
    made: list[uuid.UUID] = field(default_factory=list)  # the stories of this run

    def bring(self) -> None:
        """Makes what is missing; returns when all of it is there. Raises Forbidden in production."""
        if not settings.DEVELOPMENT:
            raise Forbidden("The demo content is for development only; it refuses to run with DEBUG=false.")
        with lock_file().open("a") as lock:
            # A second run waits for the first, and then finds everything there.
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.bring_all()

    def bring_all(self) -> None:
        if not User.objects.filter(email=STAFF).exists():
            User.objects.create_superuser(STAFF, PASSWORD, name="Staff")
        north_shore, harbour = people(*NORTH_SHORE), people(*HARBOUR)
        if not north_shore.stories.exists():
            self.report(f"Sign in as owner@north-shore.example, password {PASSWORD}; the capsules follow.")
        with tempfile.TemporaryDirectory(prefix="capsules-demo-") as folder:
            self.folder = Path(folder)
            self.bring_live(north_shore)
            for demo in stories.READY:
                self.story(north_shore, demo)
            for demo in stories.HARBOUR:
                self.story(harbour, demo)
            self.bring_not_ready(north_shore)
            self.finish(Story.objects.filter(pk__in=self.made))
            self.bring_slow(north_shore)
            if self.made:
                for workspace in (north_shore, harbour):
                    uploads.lend_thumbnails(workspace)

    def bring_live(self, workspace: Workspace) -> None:
        """The live capsules, each as soon as its pictures are encoded, and editions of the first."""
        made = [self.story(workspace, demo, priority=10 * i) for i, demo in enumerate(stories.LIVE)]
        for position, story in enumerate(made):
            self.go_live(story, request_for(position), featured=position < FEATURED)
        for name, label, demo in stories.EDITIONS:
            edition = Story(capsule=made[0], edition_name=name, edition_label=label, shown=True)
            self.go_live(self.story(workspace, demo, edition=edition), request_for(0))

    def go_live(self, story: Story, request: PublishRequest, *, featured: bool = False) -> None:
        """Publishes a story that was never published, as soon as its pictures are encoded."""
        was_live = story.publication_events.exists() or actions.state_of(story).is_published
        if was_live or story.deleted_at is not None:
            return
        self.finish(Story.objects.filter(pk=story.pk))
        by = Actor.by_token(story.workspace.memberships.filter(role="owner").earliest("pk").user)
        result = actions.publish(story, request=request, by=by)
        if featured:
            actions.set_visibility(story, Story.Visibility.FEATURED, by=by)
        self.report(f"live: {absolute(result.url)}")

    def story(
        self, workspace: Workspace, demo: DemoStory, *, priority: int = 500, edition: Story | None = None
    ) -> Story:
        """The story of these words, or `edition` with them, made with its preview if it was never brought."""
        story = edition or Story()
        story.workspace, story.visibility = workspace, Story.Visibility.PUBLIC
        story.title, story.summary, story.language = demo.title, demo.summary, demo.language
        story.author_name = demo.author
        for column, value in (demo.look or {}).items():
            setattr(story, column, value)
        return brought(story) or self.make(
            story, [self.draft(workspace, scene) for scene in demo.scenes], priority=priority
        )

    def make(self, story: Story, drafts: Drafts, *, priority: int, preview: bool = True) -> Story:
        """Saves a new story, whole or not at all."""
        story.pk = demo_key(story)
        with transaction.atomic():
            story.full_clean()
            story.save()
            scenes = insert(story, drafts, [], at=0, path="scenes.{}.", by=None)
            encodes.point_at_encodes(scenes, priority=priority)  # at once: nobody changes them any more
            if preview:
                previews.build_preview(story)
        self.made.append(story.pk)
        return story

    def draft(self, workspace: Workspace, scene: DemoScene) -> Draft:
        return {
            "title": scene.title,
            "text": scene.text,
            "alt": scene.alt,
            "still": self.picture(workspace, scene.picture),
            "focus": pictures.FOCUS[scene.picture],
            "animation": "" if scene.finale else "auto",
            "finale": scene.finale,
        }

    def picture(self, workspace: Workspace, name: str) -> Asset:
        """A drawn picture, taken in once for each workspace."""
        path = pictures.file_of(name)
        known = Asset.objects.filter(workspace=workspace, filename=path.name).first()
        return known or uploads.upload(workspace, path, kind=Asset.Kind.PICTURE, propose=False)

    def bring_not_ready(self, workspace: Workspace) -> None:
        """One capsule for each way of not being ready."""
        source = stories.READY[0]
        for title, spoil in NOT_READY.items():
            story = Story(workspace=workspace, title=title, author_name=source.author, visibility="public")
            if brought(story):
                continue
            drafts = spoil([self.draft(workspace, scene) for scene in source.scenes], self, workspace)
            self.make(story, drafts, priority=600, preview=title != NEVER_PREVIEWED)

    def bring_slow(self, workspace: Workspace) -> None:
        """A capsule whose film takes a while to encode; it is left encoding."""
        demo = stories.READY[1]
        summary = "One film, twelve seconds, and a patient encoder."
        story = Story(
            workspace=workspace, title=SLOW, summary=summary, author_name=demo.author, visibility="public"
        )
        if brought(story):
            return
        film = uploads.upload(workspace, film_file(self.folder / "long-take.mp4"), kind=Asset.Kind.FILM)
        drafts = [self.draft(workspace, scene) for scene in demo.scenes]
        drafts[0] |= {"animation": "film", "film": film}
        self.make(story, drafts, priority=700)

    def finish(self, wanted: Any) -> None:
        """Waits until the previews of these stories are rendered, lending two hands where no worker does it."""
        encodes = list(
            Encode.objects.filter(previews__story__in=wanted).unfinished().values_list("pk", flat=True)
        )
        if not encodes:
            return
        helper = threading.Thread(target=lend_a_hand, args=(encodes,), daemon=True)
        helper.start()
        worker.finish_encodes(encodes, lambda done, total: self.report(f"encoded {done} of {total}"))
        helper.join()


def lend_a_hand(encodes: list[int]) -> None:
    try:
        worker.run_due(Encode.objects.filter(pk__in=encodes))
    finally:
        connection.close()


def request_for(position: int) -> PublishRequest:
    """The demo's capsules are announced to nobody."""
    return PublishRequest(
        premiere_email_mode="OFF",
        publication_mode="WHITE_LABEL" if position == WHITE_LABEL else None,
        unlisted=True if position == UNLISTED else None,
    )


@transaction.atomic
def people(name: str, title: str, plan: str, roles: tuple[str, ...]) -> Workspace:
    """A workspace with one member for each role and its readers, made if there is none of this name."""
    known = Workspace.objects.named(name)
    if known is not None:
        return known
    workspace = Workspace.objects.create(name=name, title=title, plan=plan)
    for role in roles:
        email = f"{role}@{name}.example"
        user = User.objects.filter(email=email).first() or User.objects.create_user(
            email, PASSWORD, name=NAMES[role], default_workspace=workspace
        )
        Membership.objects.create(workspace=workspace, user=user, role=role)
    readers = ((f"reader-{n}@readers.example", "demo content") for n in range(1, READERS + 1))
    subscriptions.import_confirmed(workspace, readers)
    return workspace


def demo_key(story: Story) -> uuid.UUID:
    """The identifier that the demo gives a story: its title may be changed afterwards."""
    return uuid.uuid5(story.workspace_id, f"demo {story.edition_name} {story.title}")


def brought(story: Story) -> Story | None:
    """The same story as an earlier run made it, also from the trash."""
    same = Q(title=story.title, capsule=story.capsule_id, edition_name=story.edition_name)  # older demos
    return story.workspace.stories.filter(Q(pk=demo_key(story)) | same).first()


# --- Ways of not being ready -----------------------------------------------------------------------------------

Spoil = Callable[[Drafts, Demo, Workspace], Drafts]
NEVER_PREVIEWED = "Not yet previewed"


def changed(position: int, **fields: object) -> Spoil:
    """Changes one scene."""

    def spoil(drafts: Drafts, demo: Demo, workspace: Workspace) -> Drafts:
        drafts[position] |= fields
        return drafts

    return spoil


def broken_film(drafts: Drafts, demo: Demo, workspace: Workspace) -> Drafts:
    """The second scene gets a film whose data is damaged behind its beginning."""
    path = film_file(demo.folder / "damaged.mp4", seconds=4, grain=24)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle:] = bytes(len(content) - middle)
    path.write_bytes(content)
    film = uploads.upload(workspace, path, kind=Asset.Kind.FILM)
    drafts[1] |= {"animation": "film", "film": film}
    return drafts


NOT_READY: dict[str, Spoil] = {
    "Only two scenes": lambda drafts, demo, workspace: [draft | {"finale": False} for draft in drafts[:2]],
    "A scene without words": changed(1, text=""),
    "A scene that stands still": changed(1, animation=""),
    "A scene without a picture": changed(1, still=None, animation=""),
    "A finale without a still": changed(-1, still=None, animation="", finale=True),
    NEVER_PREVIEWED: lambda drafts, demo, workspace: drafts,
    "A damaged film": broken_film,
}


def film_file(path: Path, *, seconds: int = 12, grain: int = 6) -> Path:
    """A film made by ffmpeg: a slow pan over one of our pictures, under grain."""
    pan = f"scale=1600:900,crop=1280:720:'(iw-ow)*t/{seconds}':'(ih-oh)/2',noise=alls={grain}:allf=t"
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", "-loop", "1", "-framerate", "30"]
    command += ["-t", str(seconds), "-i", str(pictures.file_of("library")), "-vf", pan]
    command += ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "28", "-pix_fmt", "yuv420p"]
    subprocess.run([*command, "-movflags", "+faststart", str(path)], check=True, timeout=120)  # noqa: S603
    return path


# --- What is there ---------------------------------------------------------------------------------------------


def lock_file() -> Path:
    """What a run locks while it brings the demo content."""
    return settings.DATA_DIR / "demo.lock"


def wait_for_run(report: Report) -> None:
    """Returns once no run brings the demo content: until then a ready story may be one that it is about to publish."""
    with lock_file().open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            report("The demo content is still being made; waiting until all of it is there.")
            fcntl.flock(lock, fcntl.LOCK_SH)


def contents() -> dict[str, list[JsonObject]]:
    """The demo as `demo --json` prints it."""
    return {
        "workspaces": [
            {"id": str(workspace.pk), "name": workspace.name, "plan": workspace.plan}
            for workspace in Workspace.objects.filter(name__in=[NORTH_SHORE[0], HARBOUR[0]]).order_by(
                "created_at"
            )
        ],
        "users": [
            *(
                {"email": m.user.email, "workspace": m.workspace.name, "role": m.role}
                for m in Membership.objects.select_related("user", "workspace").order_by("pk")
            ),
            {"email": STAFF, "workspace": None, "role": "staff"},
        ],
        "stories": list(story_rows()),
    }


def story_rows() -> Iterator[dict[str, object]]:
    rows = Story.objects.present().select_related("workspace", "capsule__workspace")
    for story in rows.order_by("created_at"):
        state, why = state_of(story)
        yield {
            "id": str(story.pk),
            "workspace": story.workspace.name,
            "title": story.title,
            "state": state,
            "why": why,
            "editionOf": story.capsule_id and str(story.capsule_id),
            "url": actions.state_of(story).url,
        }


def state_of(story: Story) -> tuple[str, str | None]:
    """live, ready, encoding or not ready; and for the last two, why."""
    if actions.state_of(story).is_published:
        return "live", None
    preview = story.latest_preview
    faults = readiness.faults(story, preview)
    if faults:
        return "not ready", " ".join(f"{fault.path}: {fault.message}" for fault in faults)
    if preview is not None and preview.state == "building":
        return "encoding", f"{preview.progress} % encoded"
    return "ready", None


def links() -> list[str]:
    """What a newcomer opens first, and as whom."""
    base = settings.APP_URL
    live = Story.objects.filter(workspace__name=NORTH_SHORE[0], publication__published_at__isnull=False)
    first = live.order_by("created_at").first()
    return [
        f"Read:    {base}{actions.state_of(first).url}"
        if first
        else f"Read:    {base}/{slugify(NORTH_SHORE[1])}",
        f"Admin:   {base}/admin/  ({STAFF} / {PASSWORD})",
        f"API:     {settings.BASE_URL}/api/v2/docs",
        f"People:  owner@, admin@, editor@, viewer@north-shore.example, owner@harbour.example  (password {PASSWORD})",
    ]
