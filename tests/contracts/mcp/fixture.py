"""omoide's MCP server with what the official conformance suite calls by fixed names, on a loopback port.

    python tests/contracts/mcp/fixture.py STORE PORT
"""

from __future__ import annotations

import base64
import sys
from typing import Any

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    EmbeddedResource,
    ImageContent,
    InputRequiredResult,
    TextContent,
    TextResourceContents,
)
from pydantic import BaseModel, Field

from omoide.serve.http.server import listen
from omoide.serve.mcp import build_mcp_server
from omoide.serve.mcp.network import guarded
from omoide.serve.tokens import Keyring

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
SILENCE = base64.b64encode(b"RIFF$\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00").decode()
IMAGE = ImageContent(type="image", data=PIXEL, mime_type="image/png")
Ask = InputRequiredResult


TITLES = [{"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2, 3)]
NAMES = ["option1", "option2", "option3"]
CHOICES: Any = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": NAMES},
        "titledSingle": {"type": "string", "oneOf": TITLES},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": NAMES}},
        "titledMulti": {"type": "array", "items": {"anyOf": TITLES}},
    },
    "required": [],
}


class Defaults(BaseModel):
    name: str = "John Doe"
    age: int = 30
    score: float = 95.5
    status: str = Field("active", json_schema_extra={"enum": ["active", "inactive", "pending"]})
    verified: bool = True


class User(BaseModel):
    username: str = Field(description="User's response")
    email: str = Field(description="User's email address")


def question(message: str, name: str, kind: str = "string") -> ElicitRequest:
    schema: Any = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def answered(ctx: Context[Any, Any], key: str) -> dict[str, Any] | None:
    response = (ctx.input_responses or {}).get(key)
    return dict(response.content or {}) if isinstance(response, ElicitResult) else None


def resource(uri: str, text: str, mime_type: str = "text/plain") -> EmbeddedResource:
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type=mime_type, text=text))


def add_contents(server: MCPServer[Any]) -> None:
    @server.tool(structured_output=False)
    def test_simple_text() -> str:
        """Text."""
        return "This is a simple text response for testing."

    @server.tool(structured_output=False)
    def test_image_content() -> list[Any]:
        """An image."""
        return [IMAGE]

    @server.tool(structured_output=False)
    def test_audio_content() -> list[Any]:
        """A sound."""
        return [AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")]

    @server.tool(structured_output=False)
    def test_embedded_resource() -> list[Any]:
        """A resource."""
        return [resource("test://embedded-resource", "This is an embedded resource content.")]

    @server.tool(structured_output=False)
    def test_multiple_content_types() -> list[Any]:
        """Several kinds."""
        data = resource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json")
        return [TextContent(type="text", text="Multiple content types test:"), IMAGE, data]

    @server.tool(structured_output=False)
    def test_error_handling() -> str:
        """An error."""
        raise ToolError("This tool intentionally returns an error for testing")

    @server.tool(structured_output=False)
    async def test_tool_with_progress(ctx: Context[Any, Any]) -> str:
        """Progress."""
        for progress in (0, 50, 100):
            await ctx.report_progress(progress, 100)
            await anyio.sleep(0.05)
        return "done"


def add_resources(server: MCPServer[Any]) -> None:
    @server.resource("test://static-text", mime_type="text/plain")
    def static_text() -> str:
        """Text."""
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    def static_binary() -> bytes:
        """Bytes."""
        return base64.b64decode(PIXEL)

    @server.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:
        """A template."""
        return f'{{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}}'


def add_prompts(server: MCPServer[Any]) -> None:
    @server.prompt()
    def test_simple_prompt() -> str:
        """Without arguments."""
        return "This is a simple prompt for testing."

    @server.prompt()
    def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
        """With arguments."""
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @server.prompt()
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[Any]:
        """With a resource."""
        embedded = resource(resourceUri, "Embedded resource content for testing.")
        return [UserMessage(content=embedded), UserMessage(content="Please process the embedded resource above.")]

    @server.prompt()
    def test_prompt_with_image() -> list[Any]:
        """With an image."""
        return [UserMessage(content=IMAGE), UserMessage(content="Please analyze the image above.")]

    @server.prompt()
    def test_input_required_result_prompt(ctx: Context[Any, Any]) -> Any:
        """That asks first."""
        given = answered(ctx, "user_context")
        if given is None:
            asked = question("What context should the prompt use?", "context")
            return Ask(input_requests={"user_context": asked})
        return f"Context: {given.get('context')}"


def add_questions(server: MCPServer[Any]) -> None:
    @server.tool(structured_output=False)
    async def test_elicitation(message: str, ctx: Context[Any, Any]) -> str:
        """Ask a person, before 2026-07-28."""
        outcome = await ctx.elicit(message, User)
        return f"User response: {outcome.action}"

    @server.tool(structured_output=False)
    async def test_elicitation_sep1034_defaults(ctx: Context[Any, Any]) -> str:
        """Ask with defaults."""
        outcome = await ctx.elicit("Defaults", Defaults)
        return f"Elicitation completed: action={outcome.action}"

    @server.tool(structured_output=False)
    async def test_elicitation_sep1330_enums(ctx: Context[Any, Any]) -> str:
        """Ask with choices."""
        # Without the request that it belongs to, it goes out on a stream that the client may not have opened yet.
        outcome = await ctx.session.elicit_form("Choices", CHOICES, related_request_id=ctx.request_id)
        return f"Elicitation completed: action={outcome.action}"

    @server.tool(structured_output=False)
    def test_missing_capability() -> str:
        """Needs what the client did not say that it has."""
        needed = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(code=MISSING_REQUIRED_CLIENT_CAPABILITY, message="sampling is needed", data=needed)

    @server.tool(structured_output=False)
    def test_input_required_result_elicitation(ctx: Context[Any, Any]) -> Any:
        """Ask in a round trip."""
        given = answered(ctx, "user_name")
        if given is None:
            return Ask(input_requests={"user_name": question("What is your name?", "name")})
        return f"Hello, {given.get('name')}!"

    def confirmed(ctx: Context[Any, Any]) -> Any:
        if answered(ctx, "confirm") is None or ctx.request_state != "mine":
            asked = question("Please confirm", "ok", "boolean")
            return Ask(input_requests={"confirm": asked}, request_state="mine")
        return "state-ok"

    @server.tool(structured_output=False)
    def test_input_required_result_request_state(ctx: Context[Any, Any]) -> Any:
        """Carry a state."""
        return confirmed(ctx)

    @server.tool(structured_output=False)
    def test_input_required_result_tampered_state(ctx: Context[Any, Any]) -> Any:
        """Carry a state that nobody may change."""
        return confirmed(ctx)

    @server.tool(structured_output=False)
    def test_input_required_result_multi_round(ctx: Context[Any, Any]) -> Any:
        """Ask twice."""
        if ctx.request_state == "two" and answered(ctx, "step2") is not None:
            return "done"
        if ctx.request_state == "one" and answered(ctx, "step1") is not None:
            asked = question("Step 2: What is your favorite color?", "color")
            return Ask(input_requests={"step2": asked}, request_state="two")
        return Ask(input_requests={"step1": question("Step 1: What is your name?", "name")}, request_state="one")


def main(path: str, port: int) -> None:
    server = build_mcp_server(path, embedder="none", tools="full")
    for add in (add_contents, add_resources, add_prompts, add_questions):
        add(server)
    listen(guarded(server, Keyring()), "127.0.0.1", port, "conformance fixture")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
