"""An operation of the table as a tool of the SDK: its schema is ours, its arguments are checked by us."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp_types import CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
from pydantic import PrivateAttr

from omoide.errors import AccessDeniedError, OmoideError
from omoide.model.catalog.operation import Level, Operation
from omoide.ops import checked
from omoide.serve.handles import Voice
from omoide.serve.mcp.answers import Answer, answer, output_schema
from omoide.serve.mcp.confirm import agreed, needs_agreement
from omoide.serve.mcp.desk import Desk, grant_of
from omoide.serve.tokens import Grant

ANSWER_TOKENS: Final = 10_000
"""Tokens of the rows of an answer when the caller names no budget."""


class OperationTool(Tool):
    """A tool that has its work done at a desk."""

    _operation: Operation = PrivateAttr()
    _desk: Desk = PrivateAttr()

    @classmethod
    def of(cls, operation: Operation, desk: Desk, level: Level) -> OperationTool:
        """Return the tool for an operation, offering its parameters up to ``level``."""
        tool = cls(
            fn=desk.do,
            name=operation.name,
            title=operation.name.replace("_", " ").capitalize(),
            description=operation.summary,
            parameters=operation.schema(level),
            fn_metadata=FuncMetadata(arg_model=ArgModelBase, output_schema=output_schema(operation)),
            is_async=True,
            context_kwarg=None,
            annotations=hints(operation),
        )
        tool._operation, tool._desk = operation, desk
        return tool

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> CallToolResult | InputRequiredResult:
        """Carry the operation out, after a person's agreement where one is needed.

        Raises:
            ToolError: what the operation refuses, in words for the model.
        """
        try:
            voice = self._voice(request_of(context))
            given = checked(self._operation.name, arguments)
            if needs_agreement(self._operation, given):
                question = await agreed(self._operation, given, context, self._desk, voice)
                if question is not None:
                    return question
            return as_model(*await self._desk.apart(self._answer, given, voice))
        except OmoideError as error:
            raise ToolError(refusal(error)) from error

    @property
    def asks_a_person(self) -> bool:
        """Whether some call of this tool needs a person's agreement."""
        return self._operation.confirm != "never"

    async def answered(self, arguments: Mapping[str, Any], request: Any) -> Answer:
        """Carry an operation out that asks no person, and return its answer as it is.

        Raises:
            OmoideError: whatever the operation refuses.
        """
        voice = self._voice(request)
        return await self._desk.apart(self._answer, checked(self._operation.name, arguments), voice)

    def _answer(self, given: Mapping[str, Any], voice: Voice) -> Answer:
        result = self._desk.run(self._operation.name, self._bounded(given), voice)
        return answer(self._operation, result, max_tokens=given.get("max_tokens"))

    def _voice(self, request: Any) -> Voice:
        """Return the voice of a call.

        Raises:
            AccessDeniedError: what it may not do here.
        """
        grant = grant_of(request)
        voice = self._desk.voice_of(grant)
        self._check_rights(voice, grant)
        return voice

    def _check_rights(self, voice: Voice, grant: Grant | None) -> None:
        if voice.read_only and self._operation.effect != "read":
            raise AccessDeniedError(f"{self._operation.name} writes, and here one may only read")
        if grant is not None and self._operation.name == "purge" and not grant.purge:
            raise AccessDeniedError("purge needs a token that may purge")

    def _bounded(self, given: Mapping[str, Any]) -> dict[str, Any]:
        if "max_tokens" in self._operation.checked["properties"]:
            return {"max_tokens": ANSWER_TOKENS, **given}
        return dict(given)


def request_of(context: Context[Any, Any]) -> Any:
    """Return the request over the network that a call came with, None for a call over pipes."""
    return None if context.protocol_version is None else context.request_context.request


def refusal(error: OmoideError) -> str:
    """Return what a model is told of an error."""
    return f"{error.code}: {error}"


def as_model(text: str, content: dict[str, Any]) -> CallToolResult:
    """Return an answer as the SDK knows it."""
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=content)


def hints(operation: Operation) -> ToolAnnotations:
    """Return what the operation does to the store, as hints for the client."""
    return ToolAnnotations(
        read_only_hint=operation.effect == "read",
        destructive_hint=operation.effect == "destroy",
        idempotent_hint=operation.idempotent,
        open_world_hint=False,
    )
