"""The log of a workspace: each thing that happens is told once, numbered without a gap, and can be read again."""

from __future__ import annotations

import json
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from jsonschema import Draft202012Validator

from accounts.actions import erasing, keys, workspaces
from accounts.actors import APP_SCOPES, KEY_SCOPES, Actor
from accounts.events import keeping, numbering, reading
from accounts.events.emitting import emit
from accounts.events.types import TYPES, sample
from accounts.models import User, WebhookDelivery, WorkspaceEvent, WorkspaceLog
from accounts.statements import Statement
from capsules import worker
from capsules.actions import encodes, previews, trash
from capsules.models import Encode, Story, Upload
from capsules.uploads import checking
from publishing.models import Premiere
from publishing.moderation import actions as moderation
from publishing.premieres import arming, sweeping
from tests.support import factories
from tests.support.moderation import make_staff
from tests.support.oauth import App
from tests.support.openapi import document

pytestmark = pytest.mark.django_db


def validate(event: dict) -> None:
    """By the schema of its type in the document that receivers read."""
    name = "".join(part.title() for part in event["type"].replace(".", "_").split("_")) + "Event"
    schemas = document()["components"]["schemas"]
    schema = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": schemas}}
    Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(event)
    known = schemas[name]["properties"]["data"]["properties"]
    assert set(event["data"]) == set(known) == set(TYPES[event["type"]].data), event["type"]


class Log:
    """What the API tells of a workspace, and what it told since the last look."""

    def __init__(self, api: factories.Api, workspace) -> None:
        self.api, self.path, self.seen = api, f"/workspaces/{workspace.pk}/events", 0

    def items(self, query: str = "") -> list[dict]:
        return self.api.get(self.path + query).json()["items"]

    def new(self) -> list[dict]:
        found = self.items(f"?after={self.seen}&limit=100")
        assert [event["sequence"] for event in found] == [*range(self.seen + 1, self.seen + 1 + len(found))]
        self.seen += len(found)
        for event in found:
            validate(event)
        return found

    def types(self) -> list[str]:
        return [event["type"] for event in self.new()]


@pytest.fixture
def log(api, north_shore) -> Log:
    return Log(api, north_shore)


def test_each_thing_that_happens_to_a_capsule_is_told_once(api, log, ready_story, rendered, settings):
    story = ready_story
    path = f"/stories/{story.pk}"
    log.new()
    api.publish(story, premiereEmailMode="FULL")
    published, scheduled = log.new()
    assert (published["type"], scheduled["type"]) == ("story.published", "premiere.scheduled")
    url = f"{settings.APP_URL}/north-shore/small-voyages"
    told = {"id": str(story.pk), "title": "Small voyages", "url": url}
    assert published["data"] == {
        "story": told,
        "via": "token",
        "label": "",
        "slug": "small-voyages",
        "version": 1,
        "previewNumber": 1,
        "publicationMode": "STANDARD",
        "visibility": "public",
        "publishedStoryId": None,
        "edition": None,
    }
    assert scheduled["data"]["story"] == told and scheduled["data"]["mode"] == "FULL"

    assert api.call("PATCH", path, {"title": "Larger voyages"}).status_code == 200
    previews.build_preview(story)
    assert api.publish(story, slug="voyages").status_code == 200
    ready, again = log.new()
    assert (ready["type"], ready["data"]["previewNumber"]) == ("preview.ready", 2)
    fields = ("slug", "slugBefore", "version", "previewNumber", "restoredFrom")
    assert [again["data"][name] for name in fields] == ["voyages", "small-voyages", 2, 2, None]
    assert again["data"]["story"]["url"].endswith("/north-shore/voyages")

    assert api.call("POST", f"{path}/publication/versions/1/restore").status_code == 200
    (restored,) = log.new()
    assert restored["type"] == "story.republished" and restored["data"]["restoredFrom"] == 1


def test_what_takes_a_capsule_from_the_public_is_told_once(api, log, live_story):
    story, path = live_story, f"/stories/{live_story.pk}"
    log.new()
    for level in ("unlisted", "unlisted", "private", "private", "public"):
        api.call("PUT", f"{path}/visibility", {"visibility": level})
    changed, cancelled, unpublished, level = log.new()
    assert (changed["data"]["before"], changed["data"]["after"]) == ("public", "unlisted")
    assert (cancelled["type"], cancelled["data"]["reason"]) == ("premiere.cancelled", arming.UNPUBLISHED)
    assert cancelled["data"]["story"]["url"] is None  # it is not live any more
    assert unpublished["type"] == "story.unpublished" and unpublished["data"]["story"]["url"] is None
    assert (level["type"], level["data"]["before"]) == ("story.visibility_changed", "private")

    api.publish(story)
    api.unpublish(story, "?releaseSlug=true")
    api.unpublish(story)  # nothing changed, nothing told
    *_, last = log.new()
    assert (last["type"], last["data"]["slugReleased"]) == ("story.unpublished", True)

    api.publish(story, premiereEmailMode="OFF")
    log.new()
    assert api.call("DELETE", f"{path}?unpublish=true").status_code == 200
    api.call("POST", f"{path}/restore")
    trashed, back = log.new()[-2:]
    assert (trashed["type"], trashed["data"]["wasPublished"]) == ("story.trashed", True)
    assert (back["type"], back["data"]["story"]["url"]) == ("story.restored", None)
    api.call("DELETE", path)
    owner = Actor.by_token(api.user)
    trash.purge_story(Story.objects.get(pk=story.pk), title=story.title, by=owner)
    assert log.types() == ["story.trashed", "story.deleted"]


def test_a_capsule_that_comes_back_tells_which_editions_came_along(api, log, north_shore):
    made = api.call("POST", "/stories", {"title": "Home"}).json()
    edition = api.call("POST", f"/stories/{made['id']}/editions", {"name": "deutsch"}).json()
    log.new()
    assert api.call("DELETE", f"/stories/{made['id']}").status_code == 200
    assert api.call("POST", f"/stories/{made['id']}/restore").status_code == 200
    for event in log.new():
        assert (event["data"]["editions"], event["data"]["editionCount"]) == ([edition["id"]], 1)


@pytest.mark.both_databases
def test_drafts_copies_editions_and_apps_are_told_by_who_made_them(api, log, north_shore, owner):
    key = keys.create_api_key(north_shore, by=owner, label="Nightly build", scopes=KEY_SCOPES)[1]
    made = api.with_key(key).call("POST", "/stories", {"title": "Made by a key"}).json()
    api.call("POST", f"/stories/{made['id']}/duplicate", {})
    api.call("POST", f"/stories/{made['id']}/editions", {"name": "deutsch"})
    first, copy, edition = log.new()
    assert (first["data"]["via"], first["data"]["label"]) == ("key", "Nightly build")
    assert copy["data"]["copyOf"] == edition["data"]["capsuleId"] == made["id"]
    assert owner.email not in json.dumps([first, copy, edition])


@pytest.mark.both_databases
def test_previews_and_uploads_are_told_when_they_end(api, log, north_shore, rendered, client):
    story = factories.make_story(north_shore, rendered, encoded=False)
    assert log.types() == []
    jobs = list(Encode.objects.unfinished().order_by("pk"))
    for number, _ in enumerate(jobs):
        encode = Encode.objects.all().claim()
        done = {"state": Encode.State.DONE, "outputs": rendered[encode.kind]}
        failed = {"state": Encode.State.FAILED, "error": "It cannot be read."}
        worker.end_encode(encode, **(failed if number == len(jobs) - 1 else done))
    (event,) = log.new()
    assert (event["type"], event["data"]["error"]) == ("preview.failed", "It cannot be read.")
    encodes.retry_encode(Encode.objects.get(state=Encode.State.FAILED))
    worker.end_encode(Encode.objects.all().claim(), state=Encode.State.FAILED, error="Still not.")
    assert [event["data"]["error"] for event in log.new()] == ["Still not."]
    encodes.retry_encode(Encode.objects.get(state=Encode.State.FAILED))
    encode = Encode.objects.all().claim()
    worker.end_encode(encode, state=Encode.State.DONE, outputs=rendered[encode.kind])
    worker.end_encode(encode, state=Encode.State.FAILED)  # its lease is gone: nothing is told
    (event,) = log.new()
    assert event["type"] == "preview.ready" and event["data"]["story"]["id"] == str(story.pk)

    for content in (b"no picture at all", b""):
        upload = Upload.objects.create(
            workspace=north_shore,
            created_by=api.user,
            credential=f"user:{api.user.pk}",
            kind="picture",
            filename="ferry.png",
            size=max(len(content), 1),
            state=Upload.State.CHECKING,
            expires_at=timezone.now() + timedelta(days=1),
        )
        claimed = Upload.objects.all().claim()
        if content:
            checking.refuse(claimed, "This is not a picture.")
        else:
            still = factories.shared_still(north_shore, rendered)
            told = partial(checking.hand_over, claimed, still)
            checking.end_upload(claimed, told, state=Upload.State.READY, asset=still)
        assert upload.filename == "ferry.png"
    refused, taken = log.new()
    assert (refused["type"], refused["data"]["error"]) == ("upload.refused", "This is not a picture.")
    assert taken["data"]["upload"]["filename"] == "ferry.png" and taken["data"]["via"] == "token"


def test_what_staff_and_the_premiere_do_is_told(api, log, live_story, north_shore):
    staff = make_staff()
    log.new()
    Premiere.objects.update(due_at=timezone.now() - timedelta(days=2))
    sweeping.send_due_premieres()
    (held,) = log.new()
    assert (held["type"], held["data"]["reason"]) == ("premiere.held", arming.TOO_LATE)
    arming.release_premiere(Premiere.objects.get())
    sweeping.send_due_premieres()
    assert log.types() == ["premiere.sent"]

    case = moderation.open_by_staff(live_story, by=staff)
    moderation.freeze(case, Statement("rights", "Terms, 4", "Somebody else's."), by=staff)
    moderation.lift(case, by=staff)
    frozen, unfrozen = log.new()
    assert (frozen["type"], frozen["data"]["reason"], frozen["data"]["via"]) == (
        "story.frozen",
        "rights",
        "staff",
    )
    assert frozen["data"]["story"]["url"] is None and unfrozen["data"]["story"]["url"]

    workspaces.suspend(north_shore, by=staff, statement=Statement("spam", "", "It is."))
    workspaces.suspend(north_shore, by=staff)
    workspaces.resume(north_shore, by=staff)
    suspended, resumed = log.new()
    assert (suspended["type"], suspended["data"]["reason"]) == ("workspace.suspended", "spam")
    assert resumed["type"] == "workspace.resumed"
    workspaces.suspend(north_shore, by=staff)
    assert log.new()[0]["data"]["reason"] is None


@pytest.mark.both_databases
def test_what_is_rolled_back_was_never_told_and_leaves_no_gap(log, north_shore):
    def tell(title: str) -> None:
        data = sample("story.restored")
        emit(north_shore, "story.restored", {**data, "story": {**data["story"], "title": title}})

    for number in range(4):
        try:
            with transaction.atomic():
                tell(f"{number}")
                if number % 2:
                    raise ZeroDivisionError
        except ZeroDivisionError:
            pass
        numbering.number_events(north_shore.pk)
    assert [event["data"]["story"]["title"] for event in log.new()] == ["0", "2"]
    with pytest.raises(ValueError, match="has the fields"):
        emit(north_shore, "story.restored", {"story": None})


def fill(workspace, count: int, type: str = "story.restored", days: int = 0) -> None:
    at = timezone.now() - timedelta(days=days)
    WorkspaceEvent.objects.bulk_create(
        WorkspaceEvent(workspace=workspace, type=type, data=sample(type), at=at) for _ in range(count)
    )


def test_the_log_is_read_in_pages_by_number_and_type_for_thirty_days(api, log, north_shore, harbour):
    fill(north_shore, 3, days=31)
    fill(harbour, 1, days=31)
    fill(north_shore, 60)
    fill(north_shore, 2, "workspace.resumed")
    first = api.get(log.path).json()
    assert (len(first["items"]), first["nextAfter"], first["oldest"]) == (50, 50, 1)
    assert api.get(f"{log.path}?after=50").json()["nextAfter"] is None
    for above in (900, 2**63 - 1, 10**20):
        assert api.get(f"{log.path}?after={above}").json() == {"items": [], "nextAfter": None, "oldest": 1}
    two = log.items("?type=workspace.resumed&type=story.frozen&limit=1")
    assert [event["sequence"] for event in two] == [64]
    raw = api.get(f"{log.path}?after=64").content
    event = WorkspaceEvent.objects.get(workspace=north_shore, sequence=65)
    assert reading.body(WebhookDelivery(event=event)) in raw

    assert keeping.forget_old_events() == 4 and keeping.forget_old_events() == 0
    gone = api.get(f"{log.path}?after=1")
    assert gone.status_code == 410 and gone.json()["details"] == [{"path": "after", "message": "oldest: 4."}]
    assert api.get(log.path).json()["oldest"] == 4 and api.get(f"{log.path}?after=3").status_code == 200
    fill(harbour, 1)
    numbering.number_all()
    assert WorkspaceEvent.objects.get(workspace=harbour).sequence == 2

    for query, path in (("limit=0", "limit"), ("limit=101", "limit"), ("after=-1", "after"), ("page=2", "page"),
                        ("type=nothing", "type"), ("after=1&after=2", "after"), ("after=x", "after")):  # fmt: skip
        refused = api.get(f"{log.path}?{query}")
        assert (refused.status_code, refused.json()["details"][0]["path"]) == (400, path), query
    erasing.erase_workspace(north_shore, by=api.user)
    assert not WorkspaceEvent.objects.filter(workspace=north_shore).exists()
    fill(north_shore, 1)  # by a transaction that ended later
    keeping.forget_old_events()
    assert set(WorkspaceEvent.objects.values_list("workspace", flat=True)) == {harbour.pk}
    assert list(WorkspaceLog.objects.values_list("pk", flat=True)) == [harbour.pk]


def test_logs_without_old_events_cost_the_housekeeping_nothing(north_shore, owner, django_assert_num_queries):
    fill(north_shore, 1)
    keeping.forget_old_events()
    with CaptureQueriesContext(connection) as few:
        assert keeping.forget_old_events() == 0
    for number in range(5):
        fill(workspaces.make_workspace(f"Harbour {number}", by=owner), 1)
    numbering.number_all()
    with django_assert_num_queries(len(few)):
        assert keeping.forget_old_events() == 0


def test_who_asks_for_rare_types_does_not_fall_out_of_what_is_kept(api, log, north_shore):
    fill(north_shore, 3, days=31)
    fill(north_shore, 1, "workspace.resumed")
    fill(north_shore, 3)
    rare = "type=workspace.resumed"
    page = api.get(f"{log.path}?{rare}").json()
    assert ([event["sequence"] for event in page["items"]], page["nextAfter"]) == ([4], 7)
    page = api.get(f"{log.path}?{rare}&after=7").json()
    assert (page["items"], page["nextAfter"]) == ([], None)
    fill(north_shore, 2, days=31)
    assert api.get(f"{log.path}?{rare}&after=7").json()["nextAfter"] == 9
    fill(north_shore, 2, "workspace.resumed")
    two = api.get(f"{log.path}?{rare}&after=7&limit=1").json()
    assert ([event["sequence"] for event in two["items"]], two["nextAfter"]) == ([10], 10)
    assert api.get(f"{log.path}?{rare}&after=10&limit=1").json()["nextAfter"] is None
    keeping.forget_old_events(timezone.now() + timedelta(days=40))
    assert api.get(log.path).json() == {"items": [], "nextAfter": None, "oldest": None}


def test_every_member_reads_the_log_and_apps_with_its_permission(api, log, north_shore, owner, person):
    """Webhooks are in tests/events/test_webhooks.py."""
    fill(north_shore, 1)
    for who in ("owner", "admin", "editor", "viewer"):
        assert api.as_(person(who)).get(log.path).status_code == 200, who
    assert api.as_(person("stranger")).get(log.path).status_code == 404
    assert api.as_(None).get(log.path).status_code == 401
    assert api.get("/workspaces/nothing/events").status_code == 404
    for scope in KEY_SCOPES:
        key = keys.create_api_key(north_shore, by=owner, scopes=[scope])[1]
        assert api.with_key(key).get(log.path).status_code == (200 if scope == "events:read" else 403), scope
    for scope in ("stories:read", "events:read"):
        token = App(owner).connect(scope).tokens["access_token"]
        answer = api.client.get(f"/api/v2{log.path}", headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == (200 if scope == "events:read" else 403), scope
    assert "webhooks:write" not in APP_SCOPES and User.objects.count() > 1
