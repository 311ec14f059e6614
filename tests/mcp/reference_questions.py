"""The conformance suite's tools that ask the client something and go on with the answer (protocol 2026-07-28)."""

from __future__ import annotations

import json
from typing import Any

from mcp.server.mcpserver import Context
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    TextContent,
)


def confirm(message: str, **fields: str) -> ElicitRequest:
    """A form with `fields`, the type of each by its name."""
    schema = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in fields.items()},
        "required": list(fields),
    }
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def sample(words: str) -> CreateMessageRequest:
    said = SamplingMessage(role="user", content=TextContent(type="text", text=words))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[said], max_tokens=100))


def responses(ctx: Context) -> dict[str, Any]:
    return dict(ctx.input_responses or {})


def test_input_required_result_elicitation(ctx: Context) -> str | InputRequiredResult:
    """Asks for a name"""
    if answer := responses(ctx).get("user_name"):
        return f"Hello, {(answer.content or {}).get('name')}!"
    return InputRequiredResult(input_requests={"user_name": confirm("What is your name?", name="string")})


def test_input_required_result_sampling(ctx: Context) -> str | InputRequiredResult:
    """Asks the client's model"""
    if answer := responses(ctx).get("capital_question"):
        return f"Model said: {answer.content.text}"
    return InputRequiredResult(input_requests={"capital_question": sample("What is the capital of France?")})


def test_input_required_result_list_roots(ctx: Context) -> str | InputRequiredResult:
    """Asks for the client's roots"""
    if answer := responses(ctx).get("client_roots"):
        return f"Client exposed {len(answer.roots)} root(s)."
    return InputRequiredResult(input_requests={"client_roots": ListRootsRequest()})


def test_input_required_result_request_state(ctx: Context) -> str | InputRequiredResult:
    """Sends a state along and wants it back"""
    if "confirm" in responses(ctx) and ctx.request_state == "nonce":
        return "state-ok: confirmation received"
    return InputRequiredResult(
        input_requests={"confirm": confirm("Please confirm", ok="boolean")}, request_state="nonce"
    )


def test_input_required_result_multiple_inputs(ctx: Context) -> str | InputRequiredResult:
    """Asks three things at once"""
    wanted = {
        "user_name": confirm("What is your name?", name="string"),
        "greeting": sample("Generate a greeting"),
        "client_roots": ListRootsRequest(),
    }
    if wanted.keys() <= responses(ctx).keys():
        return "All inputs received."
    return InputRequiredResult(input_requests=wanted, request_state="multiple-inputs")


def test_input_required_result_multi_round(ctx: Context) -> str | InputRequiredResult:
    """Asks twice, and remembers the first answer in the state"""
    state = json.loads(ctx.request_state) if ctx.request_state else {}
    if (second := responses(ctx).get("step2")) and "name" in state:
        return f"{state['name']} likes {(second.content or {}).get('color')}."
    if (first := responses(ctx).get("step1")) and state:
        asked = {"step2": confirm("Step 2: What is your favorite color?", color="string")}
        state = {"name": (first.content or {}).get("name")}
    else:
        asked = {"step1": confirm("Step 1: What is your name?", name="string")}
        state = {"round": 1}
    return InputRequiredResult(input_requests=asked, request_state=json.dumps(state))


def test_input_required_result_tampered_state(ctx: Context) -> str | InputRequiredResult:
    """Sends a state along, which nobody can change unnoticed"""
    if ctx.request_state is not None:
        return f"state-ok: {ctx.request_state}"
    return InputRequiredResult(
        input_requests={"confirm": confirm("Please confirm", ok="boolean")}, request_state="round-1"
    )


def test_input_required_result_capabilities(ctx: Context) -> InputRequiredResult:
    """Asks only what the client can answer"""
    declared = ctx.client_capabilities
    asked: dict[str, Any] = {}
    if declared is None or declared.sampling is not None:
        asked["sample"] = sample("Say hello")
    if declared is None or declared.elicitation is not None:
        asked["ask"] = confirm("What is your name?", name="string")
    return InputRequiredResult(input_requests=asked, request_state="capabilities")


QUESTIONS = [
    test_input_required_result_elicitation,
    test_input_required_result_sampling,
    test_input_required_result_list_roots,
    test_input_required_result_request_state,
    test_input_required_result_multiple_inputs,
    test_input_required_result_multi_round,
    test_input_required_result_tampered_state,
    test_input_required_result_capabilities,
]
