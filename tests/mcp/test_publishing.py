"""Publishing through an app: which premiere email the person wants is asked, never chosen."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
from mcp_types import ClientCapabilities, ElicitationCapability, ElicitResult, FormElicitationCapability

from config.errors import NotFound, Throttled, Unavailable
from publishing.mcp import publishing
from tests.mcp.running import run
from tests.support.tools import person_who


@pytest.fixture
def story(server):
    """A capsule that is ready to be published for the first time, of the pictures that are rendered already."""
    scenes = server.call("get_story", {"story": server.story}).structured_content["scenes"]
    names = ("text", "alt", "media_id", "finale")
    given = [{name: scene[name] for name in names} for scene in scenes]
    made = server.call("create_story", {"title": "To be asked", "language": "en", "scenes": given})
    assert not made.is_error, made.content
    story = made.structured_content["id"]
    built = server.call("build_preview", {"story": story, "wait_seconds": 40})
    assert built.structured_content["state"] == "ready", built.content
    return story


def test_an_app_publishes_and_the_history_names_app_tool_and_person(server, story):
    arguments = {"story": story, "premiere_email_mode": "TEASER", "slug": f"asked-{story[:8]}"}
    result = server.call("publish_story", arguments, who="publishes")
    assert not result.is_error, result.content
    told = result.structured_content
    assert told["link"] == f"{server.service.url}/north-shore/asked-{story[:8]}"
    assert (told["is_republish"], told["premiere"]["mode"], told["premiere"]["recipients"]) == (
        False,
        "TEASER",
        3,
    )
    assert server.service.call("GET", told["link"].removeprefix(server.service.url)).status == 200

    cancelled = server.call("cancel_premiere", {"story": story}, who="publishes").structured_content
    assert cancelled["state"] == "cancelled"
    again = server.call("cancel_premiere", {"story": story}, who="publishes")
    assert again.is_error and "no email goes out" in again.structured_content["next"]
    server.call("unpublish_story", {"story": story}, who="publishes")
    include = {"story": story, "include": ["history"]}
    history = server.call("get_story", include, who="publishes").structured_content["history"]
    assert [event["action"] for event in history] == ["unpublished", "premiere cancelled", "published"]
    assert [event["detail"]["tool"] for event in history] == [
        "unpublish_story",
        "cancel_premiere",
        "publish_story",
    ]
    assert {(event["by"], event["via"], event["label"]) for event in history} == {("Owner", "app", "Ink")}


@pytest.mark.parametrize(
    "error", [Throttled("Too many calls."), Unavailable("Away."), NotFound("No such story.")]
)
def test_a_question_that_could_not_be_put_ends_the_publish(monkeypatch, error):
    """An answer of any kind would publish with the email that the app chose."""

    def decide(*args):
        raise error

    monkeypatch.setattr(publishing, "decide", decide)
    asks = ClientCapabilities(elicitation=ElicitationCapability(form=FormElicitationCapability()))
    app = SimpleNamespace(protocol_version=publishing.ASKS_SINCE, client_capabilities=asks)
    with pytest.raises(type(error)):
        run(lambda: publishing.ask_the_person(app, "a story", None, None, None))


def test_one_process_takes_the_answer_to_a_question_of_another(server, story, strict):
    arguments = {"story": story, "premiere_email_mode": "FULL"}
    options = {"elicitation_callback": person_who("accept", premiere="OFF")[0]}

    async def work():
        async with (
            server.client("personal", **options) as asking,
            server.client("personal", port=strict, **options) as answering,
        ):
            question = await asking.session.call_tool("publish_story", arguments, allow_input_required=True)
            (key,) = question.input_requests
            return await answering.session.call_tool(
                "publish_story",
                arguments,
                input_responses={key: ElicitResult(action="accept", content={"premiere": "OFF"})},
                request_state=question.request_state,
            )

    result = run(work)
    assert not result.is_error, result.content
    # Not the three who could get one.
    assert result.structured_content["premiere"] == {"state": "none", "recipients": 0}


def test_twelve_slow_calls_do_not_keep_a_read_waiting(server, story, nobody_renders):
    first = server.call("get_story", {"story": story}).structured_content["scenes"][0]["id"]
    server.call("update_scene", {"story": story, "scene": first, "focus": [0.31, 0.69]})

    async def work():
        async with server.client() as client:
            wait = set()

            async def waiting(number):
                async def note(*progress):
                    wait.add(number)

                arguments = {"story": story, "wait_seconds": 15}
                return await client.call_tool("build_preview", arguments, progress_callback=note)

            slow = [asyncio.create_task(waiting(number)) for number in range(12)]
            async with asyncio.timeout(60):
                while len(wait) < 12:
                    await asyncio.sleep(0.1)
            assert not (await client.call_tool("get_story", {"story": story})).is_error
            still_waiting = not any(task.done() for task in slow)
            return still_waiting, await asyncio.gather(*slow)

    still_waiting, answers = run(work)
    assert still_waiting
    assert {answer.structured_content["state"] for answer in answers} == {"building"}
