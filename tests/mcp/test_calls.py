"""What every call of a tool has, whatever the tool does: its count, its lane, who it acts as, how it refuses."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest
from anyio import from_thread
from django.db import OperationalError
from django.utils import translation
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp_types import TextContent

from accounts.actors import Actor, MissingScope
from accounts.mcp import tools
from accounts.mcp.resources import ReadableResource
from accounts.mcp.tools import QUOTED, acting, answered, argument, next_step, refused, tool
from accounts.mcp.workspaces import list_workspaces, workspace_of
from accounts.models import Membership, RateWindow
from accounts.throttling import RateExceeded
from accounts.visits import visits
from capsules.mcp.stories import create_story, list_stories
from config import errors
from config.errors import Fault, Forbidden, Invalid, Locked, Stale, Throttled, Unavailable
from config.mcp import TOOLS
from feed.mcp import feed_markdown, search_feed
from publishing.mcp.reading import get_story
from tests.mcp.running import run
from tests.support.tools import ask, awaited, call, refusal

pytestmark = pytest.mark.django_db(transaction=True)

READ, WRITE, PUBLISH = "stories:read", "stories:write", "publications:write"
#: Of each tool its title, its permission, and its hints: reads, destroys, twice is once, reaches the world.
HINTS = {
    "list_workspaces": ("List workspaces", READ, "reads"),
    "list_stories": ("List capsules", READ, "reads"),
    "create_story": ("Make a capsule", WRITE, "reaches"),
    "update_story": ("Change a capsule", WRITE, "repeats"),
    "add_edition": ("Add an edition", WRITE, ""),
    "get_story": ("Read a capsule", READ, "reads"),
    "add_scenes": ("Add scenes", WRITE, "reaches"),
    "update_scene": ("Change a scene", WRITE, "repeats reaches"),
    "remove_scene": ("Remove a scene", WRITE, "destroys"),
    "add_media_from_url": ("Fetch media from an address", WRITE, "reaches"),
    "create_upload_link": ("Make an upload link", WRITE, ""),
    "get_media": ("Look at media", READ, "reads"),
    "view_picture": ("Look at a picture", READ, "reads"),
    "build_preview": ("Build a preview", WRITE, "repeats"),
    "check_readiness": ("Check readiness", READ, "reads"),
    "publish_story": ("Publish a capsule", PUBLISH, "repeats reaches"),
    "unpublish_story": ("Unpublish a capsule", PUBLISH, "destroys repeats"),
    "set_visibility": ("Choose who sees a capsule", PUBLISH, "repeats"),
    "cancel_premiere": ("Cancel a premiere email", PUBLISH, "destroys"),
    "search_feed": ("Search the public feed", None, "reads"),
}


def made(does: Any, *, rate: str = "read", quotes: bool = False) -> Any:
    """A tool of the name `probe` that does this."""

    def probe() -> Any:
        """Looks.   And looks again."""
        return does()

    return tool("Probe", scope=READ, rate=rate, quotes=quotes)(probe)


def raising(error: Exception) -> Any:
    def raise_it() -> None:
        raise error

    return raise_it


# --- What apps are told of tools -------------------------------------------------------------------------------


@pytest.mark.parametrize("each", TOOLS, ids=lambda each: each.name)
def test_each_tool_has_a_title_a_permission_and_true_hints(each):
    hints = each.annotations
    said = {
        "reads": hints.read_only_hint,
        "destroys": not hints.read_only_hint and hints.destructive_hint is not False,
        "repeats": hints.idempotent_hint,
        "reaches": hints.open_world_hint is not False,
    }
    assert (each.title, each.scope, " ".join(name for name in said if said[name])) == HINTS[each.name]
    assert "  " not in each.description and "\n" not in each.description
    assert each.parameters["additionalProperties"] is False


def test_a_hint_that_the_protocol_assumes_is_not_said():
    by_name = {each.name: each.annotations.model_dump(exclude_none=True) for each in TOOLS}
    assert by_name["get_story"] == {"read_only_hint": True, "open_world_hint": False}
    assert by_name["remove_scene"] == {"open_world_hint": False}
    assert by_name["publish_story"] == {"destructive_hint": False, "idempotent_hint": True}


STORY, SCENE = {"story": "x"}, {"story": "x", "scene": "x"}
#: Arguments that fit each tool, and the rate that counts its calls.
COUNTED = {
    "list_workspaces": ({}, "read"),
    "list_stories": ({}, "read"),
    "create_story": ({"title": "", "language": "en"}, "author"),
    "update_story": (STORY, "author"),
    "add_edition": ({**STORY, "language": "de", "name": "de"}, "author"),
    "get_story": (STORY, "read"),
    "add_scenes": ({**STORY, "scenes": [{"text": ""}]}, "author"),
    "update_scene": (SCENE, "author"),
    "remove_scene": (SCENE, "author"),
    "add_media_from_url": ({"url": "x", "kind": "film"}, "author"),
    "create_upload_link": (STORY, "author"),
    "get_media": ({"media": "x"}, "read"),
    "view_picture": ({"media": "x"}, "read"),
    "build_preview": (STORY, "author"),
    "check_readiness": (STORY, "read"),
    "unpublish_story": (STORY, "write"),
    "set_visibility": ({**STORY, "visibility": "public"}, "write"),
    "cancel_premiere": (STORY, "write"),
}


@pytest.mark.parametrize("each", [each for each in TOOLS if each.name in COUNTED], ids=lambda each: each.name)
def test_a_call_counts_as_what_its_tool_does(each, by):
    given, rate = COUNTED[each.name]
    ask(each, by, **given)
    assert list(RateWindow.objects.values_list("key", "count")) == [(f"{rate}:{by.credential}", 1)]


# --- Who calls, and how often ----------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", ["read", "author", "write"])
def test_a_call_is_counted_once_for_its_caller_and_acts_as_its_tool(rate, by):
    def busy() -> list[str]:
        return [lane for lane in tools.LANES if tools.limiter(lane).borrowed_tokens]

    def look() -> dict[str, Any]:
        me = tools.me()
        return {"tool": me.tool, "who": me.credential, "lane": from_thread.run_sync(busy)}

    async def work() -> Any:
        return await made(look, rate=rate).run({}, None), acting.get(None)

    told, actor = awaited(by, work)
    assert told.structured_content == {"tool": "probe", "who": by.credential, "lane": [rate]}
    assert list(RateWindow.objects.values_list("key", "count")) == [(f"{rate}:{by.credential}", 1)]
    assert actor is None


def test_a_tool_that_waits_is_counted_and_acts_as_its_tool_too(by):
    async def probe() -> Any:
        """Waits"""
        return {"tool": tools.me().tool}

    waiting = tool("Probe", scope=READ, rate="author")(probe)
    assert call(waiting, by) == {"tool": "probe"}
    assert [window.key for window in RateWindow.objects.all()] == [f"author:{by.credential}"]


@pytest.mark.usefixtures("clock_stands")
def test_too_many_calls_are_refused_before_anything_is_done(by, settings):
    settings.RATES = {**settings.RATES, "author": 1}
    done: list[int] = []
    counted = made(lambda: done.append(1) or {}, rate="author")
    call(counted, by)
    told = ask(counted, by)
    assert told.is_error and len(done) == 1
    wait = told.structured_content["retry_after"]
    assert told.structured_content == {
        "error": "Too many requests: at most 1 a minute. Please slow down.",
        "next": f"Try again in {wait} seconds.",
        "retry_after": wait,
    }
    assert 0 < wait <= 60


def test_an_argument_that_nobody_knows_is_answered_with_those_there_are(by):
    told = ask(get_story, by, story_id="x").structured_content["details"]
    assert told == [
        {"path": "story", "message": "Field required"},
        {"path": "story_id", "message": "There is no argument of this name. There are: story, include."},
    ]
    told = ask(create_story, by, title="A", language="en", scenes=[{"text": "B", "colour": "red"}])
    assert told.structured_content["details"] == [
        {"path": "scenes.0.colour", "message": "There is no field of this name."}
    ]


@pytest.mark.usefixtures("clock_stands")
def test_arguments_that_do_not_fit_count_as_a_read_and_are_told_one_by_one(by, settings):
    told = ask(list_workspaces, by, one=1, two=2)
    assert told.is_error
    assert told.structured_content == {
        "error": "These arguments do not fit the tool's schema.",
        "details": [
            {"path": name, "message": "There is no argument of this name. There are: none."}
            for name in ("one", "two")
        ],
        "next": "Correct the arguments named here and call the tool again.",
    }
    assert list(RateWindow.objects.values_list("key", "count")) == [(f"read:{by.credential}", 1)]
    settings.RATES = {**settings.RATES, "read": 1}
    assert "Too many requests" in ask(list_workspaces, by, one=1).structured_content["error"]


def test_whoever_waited_is_looked_up_again_and_keeps_the_name_of_the_tool(owner, north_shore):
    actor = Actor.by_token(owner)
    token = acting.set(Actor(owner, actor.credential, tool="probe"))
    try:
        assert tools.still_me() == Actor(
            owner, actor.credential, default_workspace_id=north_shore.pk, tool="probe"
        )
        type(owner).objects.filter(pk=owner.pk).update(is_active=False)
        with pytest.raises(
            Forbidden, match=r"^Your access ended while this call was waiting\. Nothing more was"
        ):
            tools.still_me()
    finally:
        acting.reset(token)


def test_each_lane_has_threads_of_its_own_and_one_event_loop_keeps_them():
    async def work() -> Any:
        found = {lane: tools.limiter(lane) for lane in tools.LANES}
        assert all(tools.limiter(lane) is each for lane, each in found.items())
        return {lane: each.total_tokens for lane, each in found.items()}

    assert run(work) == {"credential": 2, "read": 5, "author": 3, "write": 2}


def test_tools_speak_english_whatever_the_process_speaks(spoken, by):
    assert call(made(lambda: {"says": translation.get_language()}), by) == {"says": "en"}


@pytest.mark.parametrize(
    "error, noted",
    [
        (Forbidden("Not with your role."), {"refusal": "role", "refusal_words": "Not with your role."}),
        (Throttled("Too often."), {"refusal": "rate", "refusal_words": "Too often."}),
        (Locked("Suspended."), {"refusal": "suspended", "refusal_words": "Suspended."}),
        (Locked("Busy.", retry_after=2), None),
        (Invalid("Wrong."), None),
        (ValueError("A fault of ours."), None),
    ],
)
def test_what_a_person_can_do_something_about_is_noted_of_their_app(error, noted, owner, monkeypatch):
    monkeypatch.setattr(visits, "waiting", {})
    id = "6c4d2a05-6de5-4c8b-a8c8-2d8f6f1f0a11"
    app = Actor(owner, f"connection:{id}", via="app")
    assert ask(made(raising(error)), app).is_error
    seen = [
        {name: value for name, value in fields.items() if name != "refused_at"}
        for fields in visits.waiting.values()
    ]
    assert seen == ([noted] if noted else [])
    assert [str(key) for key in visits.waiting] == ([id] if noted else [])


# --- What is answered ------------------------------------------------------------------------------------------


def test_an_answer_is_json_in_one_line_and_structured_and_marked_where_it_quotes(by):
    told = {"title": "Über Möwen", "scenes": [1, 2]}
    plain, quoting = ask(made(lambda: told), by), ask(made(lambda: told, quotes=True), by)
    line = '{"title":"Über Möwen","scenes":[1,2]}'
    assert [part.text for part in plain.content] == [line]
    assert [part.text for part in quoting.content] == [QUOTED, line]
    assert plain.structured_content == quoting.structured_content == told
    assert not plain.is_error and not quoting.is_error
    block = TextContent(type="text", text="A block.")
    blocks = answered([block], quotes=True)
    assert (blocks.content, blocks.structured_content) == ([block], None)


REFUSALS = [
    (Invalid("Wrong."), "Correct the arguments named here and call the tool again."),
    (Forbidden("No."), "Tell the person what is missing; trying again changes nothing."),
    (
        errors.NotFound("None."),
        "Look for the right id with list_workspaces, list_stories, get_story or get_media.",
    ),
    (
        errors.Conflict("Not now."),
        "Change what is named here first. check_readiness tells everything that a capsule still needs.",
    ),
    (errors.Gone("Over."), "Make a new one."),
    (
        Stale("Late.", version=2),
        "Read it again with get_story, put both changes together, and call again with its present version.",
    ),
    (errors.TooLarge("Much."), "Send less at once."),
    (errors.NoSpace("Full."), "Tell the person; their operator must make room."),
    (errors.CapsulesError("Odd."), "Try it once more. If it stays, tell the person the reference."),
    (Locked("Busy.", retry_after=7), "Try again in 7 seconds."),
    (Locked("Suspended."), "Tell the person; trying again soon changes nothing."),
    (Throttled("Often.", retry_after=0), "Try again in 1 seconds."),
    (Unavailable("Away.", retry_after=3), "Try again in 3 seconds."),
    (Unavailable("Away."), "Tell the person; trying again soon changes nothing."),
    (RateExceeded("read", 1, reset=9), "Try again in 9 seconds."),
]


@pytest.mark.parametrize("error, step", REFUSALS)
def test_each_kind_of_refusal_says_what_to_do_next(error, step):
    told = refused(error)
    again = {} if error.retry_after is None else {"retry_after": error.retry_after}
    assert told.structured_content == {"error": str(error), "next": step, **again}
    assert [part.text for part in told.content] == [f"{error}\n{step}"]
    assert told.is_error


def test_a_missing_permission_is_refused_as_any_other_right(owner):
    missing = MissingScope(Actor.by_token(owner), READ)
    assert next_step(missing) == "Tell the person what is missing; trying again changes nothing."


def test_more_advice_than_its_kind_has_goes_first():
    error = tools.advised(Locked("Busy.", retry_after=7), "Wait for the preview.")
    assert refused(error).structured_content == {
        "error": "Busy.",
        "next": "Wait for the preview.",
        "retry_after": 7,
    }


def test_every_fault_is_told_with_the_name_of_the_argument():
    faults = [Fault("scenes.0.sourceUrl", "No address."), Fault("", "Too much."), Fault("cover", "No scene.")]
    told = refused(Invalid("Wrong.", faults=faults))
    assert told.structured_content["details"] == [
        {"path": "scenes.0.url", "message": "No address."},
        {"path": "", "message": "Too much."},
        {"path": "cover_scene", "message": "No scene."},
    ]
    assert told.content[0].text.split("\n") == [
        "Wrong.",
        "- scenes.0.url: No address.",
        "- all: Too much.",
        "- cover_scene: No scene.",
        "Correct the arguments named here and call the tool again.",
    ]


@pytest.mark.parametrize(
    "path, name",
    [
        ("premiereEmailMode", "premiere_email_mode"),
        ("workspaceId", "workspace"),
        ("storyId", "story"),
        ("cover", "cover_scene"),
        ("scenes.2.sourceUrl", "scenes.2.url"),
        ("scenes.2.text", "scenes.2.text"),
        ("", ""),
    ],
)
def test_a_path_of_the_api_is_the_name_of_an_argument(path, name):
    assert argument(path) == name


def test_what_nobody_foresaw_is_told_by_a_reference_alone(by, caplog):
    told = ask(made(raising(ValueError("A secret."))), by)
    assert told.is_error and "quote reference" in told.structured_content["error"]
    assert told.structured_content["next"] == "Try it once more. If it stays, tell the person the reference."
    assert "A secret." not in told.content[0].text
    assert "Unexpected error, reference" in caplog.text


def away() -> OperationalError:
    cause = sqlite3.OperationalError("disk I/O error")
    cause.sqlite_errorname = "SQLITE_IOERR"
    error = OperationalError("disk I/O error")
    error.__cause__ = cause
    return error


def test_an_outage_is_told_as_one(by):
    told = ask(made(raising(away())), by).structured_content
    assert told["error"].startswith("The service cannot reach its data at the moment.")
    assert (told["next"], told["retry_after"]) == ("Try again in 3 seconds.", 3)


@pytest.mark.parametrize(
    "error, kind, words",
    [
        (errors.NotFound("There is none."), ResourceNotFoundError, "There is none."),
        (Forbidden("Not you."), ResourceError, "Not you."),
        (away(), ResourceError, "The service cannot reach its data"),
        (ValueError("A secret."), ResourceError, "quote reference"),
        (
            Invalid(faults=[Fault("cursor", "Send it unchanged.")]),
            ResourceError,
            "Send it unch",
        ),
    ],
)
def test_a_resource_that_cannot_be_read_says_why(error, kind, words):
    def read(id: str) -> str:
        raise error

    found = ReadableResource("x://{id}", "x", "X", "An x.", read, None).reader()
    with pytest.raises(ResourceError, match=words) as told:
        run(lambda: found(id="1"))  # type: ignore[arg-type,return-value]
    assert isinstance(told.value, ResourceNotFoundError) == (kind is ResourceNotFoundError)
    assert "A secret." not in str(told.value)


def test_a_resource_is_read_with_what_its_address_names():
    found = ReadableResource("x://{id}", "x", "X", "An x.", lambda id: f"Read {id}.", None)
    assert run(lambda: found.reader()(id="7")) == "Read 7."  # type: ignore[arg-type,return-value]
    assert found.mime_type == "text/markdown"


@pytest.mark.both_databases
@pytest.mark.parametrize("each", [list_stories, search_feed], ids=lambda each: each.name)
def test_words_that_no_text_can_have_are_refused_by_name(each, by):
    """PostgreSQL does not look for a NUL: it was an error of ours there, and found everything on SQLite."""
    told = refusal(each, by, query="a\0b")
    assert [fault["path"] for fault in told["details"]] == ["query"]
    assert told["next"] == "Correct the arguments named here and call the tool again."


@pytest.mark.parametrize("each", [list_stories, search_feed], ids=lambda each: each.name)
def test_more_words_than_a_title_has_are_not_looked_for(each, by):
    """PostgreSQL takes seconds to find twenty thousand letters too complex."""
    call(each, by, query="é" * 200)
    told = refusal(each, by, query="é" * 201)
    assert [fault["path"] for fault in told["details"]] == ["query"]
    with pytest.raises(Invalid):
        feed_markdown("é" * 201)


# --- Workspaces ------------------------------------------------------------------------------------------------


def test_workspaces_are_told_by_their_title_with_the_role_of_the_person(annexe, north_shore, harbour, by):
    Membership.objects.filter(workspace=annexe).update(role="viewer")
    annexe_told = {
        "id": str(annexe.pk),
        "title": "Annexe",
        "name": "annexe",
        "role": "viewer",
        "is_default": False,
    }
    north_told = {
        "id": str(north_shore.pk),
        "title": "North Shore Press",
        "name": "north-shore",
        "role": "owner",
        "is_default": True,
    }
    assert call(list_workspaces, by) == {"workspaces": [annexe_told, north_told]}
    only = Actor(by.user, "connection:1", frozenset({annexe.pk}), default_workspace_id=annexe.pk, via="app")
    assert call(list_workspaces, only) == {"workspaces": [{**annexe_told, "is_default": True}]}


def test_a_workspace_is_the_named_one_or_the_default_of_the_connection(annexe, north_shore, harbour, by):
    def told(id: str | None, actor: Actor = by) -> Any:
        return ask(made(lambda: {"name": workspace_of(id).name}), actor).structured_content

    assert told(None) == {"name": "north-shore"}
    assert told(str(annexe.pk)) == {"name": "annexe"}
    missing = told(str(harbour.pk))
    assert missing["error"] == "There is no such workspace." and missing == told("x")
    assert told(None, Actor(by.user, "user:1"))["details"] == [
        {
            "path": "workspace",
            "message": "Name a workspace: this connection has no default. list_workspaces has their ids.",
        }
    ]
    assert told("")["error"] == "There is no such workspace.", "what is empty is no default"
