"""The tools, resources and prompts that the conformance suite asks for by name, made with the product's decorators."""

from __future__ import annotations

import base64
import json
from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    InputRequiredResult,
    TextContent,
    TextResourceContents,
)
from pydantic import Field

from accounts.mcp.resources import ReadableResource
from accounts.mcp.tools import ScopedTool, answered, tool
from tests.mcp.reference_questions import QUESTIONS, confirm

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="


def text(words: str) -> TextContent:
    return TextContent(type="text", text=words)


def image() -> ImageContent:
    return ImageContent(type="image", data=PIXEL, mime_type="image/png")


def embedded(uri: str, words: str, mime_type: str = "text/plain") -> EmbeddedResource:
    return EmbeddedResource(
        type="resource", resource=TextResourceContents(uri=uri, mime_type=mime_type, text=words)
    )


# --- Tools -----------------------------------------------------------------------------------------------------


@tool("Text", scope=None)
def test_simple_text() -> CallToolResult:
    """One text"""
    return answered([text("This is a simple text response for testing.")])


@tool("Image", scope=None)
def test_image_content() -> CallToolResult:
    """One picture"""
    return answered([image()])


@tool("Audio", scope=None)
def test_audio_content() -> CallToolResult:
    """One sound"""
    return answered([AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")])


@tool("Embedded resource", scope=None)
def test_embedded_resource() -> CallToolResult:
    """One resource within the answer"""
    return answered([embedded("test://embedded-resource", "This is an embedded resource content.")])


@tool("Mixed content", scope=None)
def test_multiple_content_types() -> CallToolResult:
    """Text, picture and resource"""
    data = embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json")
    return answered([text("Multiple content types test:"), image(), data])


@tool("Error", scope=None)
def test_error_handling() -> CallToolResult:
    """Fails as nobody foresaw"""
    raise RuntimeError("This tool intentionally returns an error for testing")


@tool("Progress", scope=None)
async def test_tool_with_progress(ctx: Context) -> CallToolResult:
    """Reports progress three times"""
    for percent in (0, 50, 100):
        await ctx.report_progress(percent, 100, f"Completed step {percent} of 100")
        await anyio.sleep(0.05)
    return answered([text("Done.")])


@tool("Custom header", scope=None)
def test_x_mcp_header(
    region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})] = "none",
) -> CallToolResult:
    """An argument that clients repeat in a header"""
    return answered([text(f"region={region}")])


@tool("Missing capability", scope=None)
async def test_missing_capability(ctx: Context) -> CallToolResult:
    """Only for clients that declare sampling"""
    capabilities = ctx.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        raise MCPError(
            code=MISSING_REQUIRED_CLIENT_CAPABILITY,
            message="This tool needs sampling.",
            data={"requiredCapabilities": {"sampling": {}}},
        )
    return answered([text("Declared.")])


@tool("Schema", scope=None)
def json_schema_2020_12_tool() -> CallToolResult:
    """Has a schema with every keyword that lists of tools must keep"""
    return answered([text("json_schema_2020_12_tool")])


json_schema_2020_12_tool.parameters = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}

TOOLS = [
    test_simple_text,
    test_image_content,
    test_audio_content,
    test_embedded_resource,
    test_multiple_content_types,
    test_error_handling,
    test_tool_with_progress,
    test_x_mcp_header,
    test_missing_capability,
    json_schema_2020_12_tool,
    *[ScopedTool.from_function(question) for question in QUESTIONS],
]


# --- Resources -------------------------------------------------------------------------------------------------


def resource(uri: str, read: Any, mime_type: str) -> ReadableResource:
    return ReadableResource(uri, read.__name__, read.__name__, read.__doc__, read, None, mime_type)


def static_text() -> str:
    """A text"""
    return "This is the content of the static text resource."


def static_binary() -> Any:
    """A picture"""
    return base64.b64decode(PIXEL)


def template(id: str) -> str:
    """A text that names its id"""
    return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


RESOURCES = [
    resource("test://static-text", static_text, "text/plain"),
    resource("test://static-binary", static_binary, "image/png"),
    resource("test://template/{id}/data", template, "application/json"),
]


# --- Prompts ---------------------------------------------------------------------------------------------------


def test_simple_prompt() -> list[UserMessage]:
    """One message"""
    return [UserMessage(text("This is a simple prompt for testing."))]


def test_prompt_with_arguments(arg1: str, arg2: str) -> list[UserMessage]:
    """One message with two arguments"""
    return [UserMessage(text(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"))]


def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803
    """A resource within a message"""
    return [
        UserMessage(embedded(resourceUri, "Embedded resource content for testing.")),
        UserMessage(text("Please process the embedded resource above.")),
    ]


def test_prompt_with_image() -> list[UserMessage]:
    """A picture within a message"""
    return [UserMessage(image()), UserMessage(text("Please analyze the image above."))]


def test_input_required_result_prompt(ctx: Context) -> list[UserMessage] | InputRequiredResult:
    """A prompt that asks first"""
    answer: Any = (ctx.input_responses or {}).get("user_context")
    if answer is None:
        return InputRequiredResult(
            input_requests={"user_context": confirm("Which context?", context="string")}
        )
    return [UserMessage(text(f"Use the following context: {(answer.content or {}).get('context')}"))]


PROMPTS = [
    test_simple_prompt,
    test_prompt_with_arguments,
    test_prompt_with_embedded_resource,
    test_prompt_with_image,
    test_input_required_result_prompt,
]
