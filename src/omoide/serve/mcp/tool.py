"""An operation of the table as a tool of the SDK: its schema is ours, its arguments are checked by us."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp_types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import PrivateAttr

from omoide.errors import AccessDeniedError, OmoideError
from omoide.model.catalog.operation import Level, Operation
from omoide.ops import checked
from omoide.serve.handles import Voice
from omoide.serve.mcp.answers import answer, output_schema
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
            voice = self._desk.voice_of(context)
            self._check_rights(voice, grant_of(context))
            given = checked(self._operation.name, arguments)
            if needs_agreement(self._operation, given):
                question = await agreed(self._operation, given, context, self._desk, voice)
                if question is not None:
                    return question
            result = await self._desk.do(self._operation.name, self._bounded(given), voice)
        except OmoideError as error:
            raise ToolError(f"{error.code}: {error}") from error
        return answer(self._operation, result, max_tokens=given.get("max_tokens"))

    def _check_rights(self, voice: Voice, grant: Grant | None) -> None:
        if voice.read_only and self._operation.effect != "read":
            raise AccessDeniedError(f"{self._operation.name} writes, and here one may only read")
        if grant is not None and self._operation.name == "purge" and not grant.purge:
            raise AccessDeniedError("purge needs a token that may purge")

    def _bounded(self, given: Mapping[str, Any]) -> dict[str, Any]:
        if "max_tokens" in self._operation.checked["properties"]:
            return {"max_tokens": ANSWER_TOKENS, **given}
        return dict(given)


def hints(operation: Operation) -> ToolAnnotations:
    """Return what the operation does to the store, as hints for the client."""
    return ToolAnnotations(
        read_only_hint=operation.effect == "read",
        destructive_hint=operation.effect == "destroy",
        idempotent_hint=operation.idempotent,
        open_world_hint=False,
    )
