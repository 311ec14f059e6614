"""Who may do what while something is taken down: role by state by call. Whatever takes down goes on working."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.actions import keys, workspaces
from accounts.actors import Actor
from accounts.models import User, Workspace
from capsules.actions.trash import trash_story
from config.api import STATUS
from config.errors import CapsulesError
from publishing import actions
from publishing.moderation import actions as moderation
from tests.support import factories
from tests.support.moderation import make_staff, take_down
from tests.support.oauth import App
from tests.support.rows import taken_back

pytestmark = pytest.mark.django_db

PUBLISHING = ("owner", "admin", "editor", "key", "app")
WRITES = (
    "publish",
    "make unlisted",
    "make private",
    "restore a version",
    "edit",
    "copy",
    "unpublish",
    "trash",
    "cancel the premiere",
    "publish a copy",
    "upload",
    "preview",
    "free the address",
)
SCOPES = ("stories:write", "publications:write")
FILE = {"kind": "picture", "filename": "ferry.png", "size": 1000}
#: Who may does not depend on the database; what is done there, by one of them, may.
CALLERS = (
    pytest.param(("owner",), marks=pytest.mark.both_databases, id="owner"),
    pytest.param((*PUBLISHING[1:], "viewer", "stranger"), id="others"),
)


class AppApi(factories.Api):
    """The API as an app calls it that was given this token."""

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}


@pytest.fixture
def caller(client, person):
    def get(who: str, secret: str) -> factories.Api:
        if who == "app":
            return AppApi(client, key=secret)
        return factories.Api(client, key=secret) if who == "key" else factories.Api(client, person(who))

    return get


def call(api: factories.Api, what: str, story, copy) -> int:
    path = f"/stories/{story.pk}"
    answers = {
        "publish": lambda: api.publish(story),
        "make unlisted": lambda: api.call("PUT", f"{path}/visibility", {"visibility": "unlisted"}),
        "make private": lambda: api.call("PUT", f"{path}/visibility", {"visibility": "private"}),
        "restore a version": lambda: api.call("POST", f"{path}/publication/versions/1/restore"),
        "edit": lambda: api.call("PATCH", path, {"title": "Changed"}),
        "copy": lambda: api.call("POST", f"{path}/duplicate", {}),
        "unpublish": lambda: api.unpublish(story),
        "trash": lambda: api.call("DELETE", f"{path}?unpublish=true"),
        "cancel the premiere": lambda: api.call("DELETE", f"{path}/premiere"),
        "publish a copy": lambda: api.publish(copy),
        "upload": lambda: api.call("POST", "/uploads", {**FILE, "workspaceId": str(story.workspace_id)}),
        "preview": lambda: api.call("POST", f"{path}/previews"),
        "free the address": lambda: api.unpublish(story, "?releaseSlug=true"),
    }
    return answers[what]().status_code


#: What a publishing role gets, by state.
GOOD = dict.fromkeys(WRITES, 200) | {"copy": 201, "publish a copy": 409, "upload": 201}
FROZEN = GOOD | dict.fromkeys(("publish", "make unlisted", "restore a version", "publish a copy"), 423)
SUSPENDED = FROZEN | dict.fromkeys(("edit", "copy", "upload", "preview"), 423)
EXPECTED = {"good": GOOD, "frozen": FROZEN, "suspended": SUSPENDED}


@pytest.mark.parametrize("state", EXPECTED)
@pytest.mark.parametrize("callers", CALLERS)
def test_table(callers, state, once, caller, live_story, harbour, api, owner):
    def made() -> tuple[str, dict[str, str]]:
        """A copy of the story, which was published again, and the secrets of those callers who have one."""
        copy = api.call("POST", f"/stories/{live_story.pk}/duplicate", {}).json()["id"]
        api.publish(live_story)
        token = App(owner).connect(" ".join(SCOPES)).tokens["access_token"]
        key = keys.create_api_key(live_story.workspace, by=owner, scopes=SCOPES)[1]
        return copy, {"app": token, "key": key}

    def taken_down() -> None:
        if state == "frozen":
            take_down(live_story, by=make_staff())
        elif state == "suspended":
            workspaces.suspend(Workspace.objects.get(pk=live_story.workspace_id), by=make_staff())

    copy, secrets = once("made", made)
    once(state, taken_down)
    refused = {"viewer": dict.fromkeys(WRITES, 403), "stranger": dict.fromkeys(WRITES, 404)}
    for who in callers:
        told = {}
        for what in WRITES:
            with taken_back():
                told[what] = call(
                    caller(who, secrets.get(who, "")), what, live_story, type(live_story)(pk=copy)
                )
        assert told == refused.get(who, EXPECTED[state]), who


def test_staff_unpublish_and_may_not_publish(freeze, live_story, staff):
    browser = Client()
    browser.force_login(staff)
    case = freeze(live_story)

    def run(action: str) -> str:
        row = {
            "action": action,
            "_selected_action": [str(live_story.pk)],
            "confirmed": "yes",
            "choice": "OFF",
        }
        return browser.post("/admin/capsules/story/", row, follow=True).content.decode()

    assert "taken down" in run("publish")
    assert "Unpublished, and its slug is free once its case has ended." in run("unpublish_and_release")
    live_story.publication.refresh_from_db()
    assert live_story.publication.slug == "small-voyages"
    case.refresh_from_db()
    moderation.lift(case, by=staff)
    live_story.publication.refresh_from_db()
    assert live_story.publication.slug is None and not live_story.publication.slugs.exists()


def test_an_owner_of_a_suspended_workspace_deletes_it(live_story, staff, owner):
    from accounts.actions import erasing

    workspace = Workspace.objects.get(pk=live_story.workspace_id)
    workspaces.suspend(workspace, by=staff)
    erasing.erase_workspace(workspace, by=User.objects.get(pk=owner.pk))
    assert not Workspace.objects.filter(name="north-shore").exists()


# --- What is read, and what has pages of its own ----------------------------------------------------------------


@pytest.fixture
def down(live_story, freeze, staff):
    """Brings the story into a state."""

    def take(state: str) -> None:
        if state == "frozen":
            freeze(live_story)
        elif state == "suspended":
            workspaces.suspend(Workspace.objects.get(pk=live_story.workspace_id), by=staff)

    return take


@pytest.mark.parametrize("state", ["frozen", "suspended"])
@pytest.mark.both_databases
def test_who_reads_the_publication_reads_that_nobody_else_does(state, once, down, caller, live_story, owner):
    secrets = once(
        "who reads",
        lambda: {
            "app": App(owner).connect("publications:read").tokens["access_token"],
            "key": keys.create_api_key(live_story.workspace, by=owner, scopes=("publications:read",))[1],
        },
    )
    down(state)
    for who in (*PUBLISHING, "viewer"):
        told = caller(who, secrets.get(who, "")).state(live_story).json()
        told = {name: told[name] for name in ("isPublished", "url", "slug")}
        assert told == {"isPublished": False, "url": None, "slug": "small-voyages"}, who
    assert caller("stranger", "").state(live_story).status_code == 404


@pytest.mark.parametrize("state", ["frozen", "suspended"])
@pytest.mark.both_databases
def test_reading_export_and_erasing_work_for_whom_they_work_otherwise(state, down, live_story, person, api):
    down(state)
    path = f"/studio/stories/{live_story.pk}"
    browsers = {who: Client() for who in ("stranger", "viewer", "owner")}
    for who, browser in browsers.items():
        browser.force_login(person(who))
        exports = 404 if who == "stranger" else 200
        assert browser.get(f"{path}/export").status_code == exports, who
        assert ("Why, and how to appeal" in browser.get(path).content.decode()) is (exports == 200), who
    assert api.call("DELETE", f"/stories/{live_story.pk}?unpublish=true").status_code == 200
    browsers["owner"].post(f"{path}/purge", {"title": live_story.title})
    assert not type(live_story).objects.filter(pk=live_story.pk).exists()


# --- Staff, by the actions that the admin calls ------------------------------------------------------------------


def status_of(act) -> int:
    try:
        act()
    except CapsulesError as error:
        return STATUS[type(error)]
    return 200


@pytest.mark.parametrize("state", ["frozen", "suspended"])
def test_staff_may_what_takes_down_and_no_more(state, down, live_story):
    down(state)
    by = Actor.by_staff(User.objects.filter(is_staff=True).first() or make_staff())
    story = type(live_story).objects.select_related("workspace").get(pk=live_story.pk)
    acts = {
        "publish": lambda: actions.publish(story, request=actions.PublishRequest(), by=by),
        "make unlisted": lambda: actions.set_visibility(story, "unlisted", by=by),
        "make private": lambda: actions.set_visibility(story, "private", by=by),
        "unpublish": lambda: actions.unpublish(story, by=by),
        "free the address": lambda: actions.unpublish(story, release_slug=True, by=by),
        "trash": lambda: trash_story(story, unpublish=True, by=by),
    }
    assert {what: status_of(act) for what, act in acts.items()} == {
        what: EXPECTED[state][what] for what in acts
    }


def test_nobody_is_staff_by_a_token(live_story, freeze, staff, client):
    """Who is staff in the admin is nobody in particular to the API."""
    freeze(live_story)
    api = factories.Api(client, staff)
    assert api.state(live_story).status_code == api.publish(live_story).status_code == 404
