"""The short way of a tool call: checked as the protocol asks, answered in the form in which it goes out.

The SDK reads a call into a model of its own once more, and its answer out of a model and through another; for rows of
text that costs more than finding them. The answers are those of the long way, which everything out of the ordinary
takes: a client that has not introduced itself, an old revision, a tool that may ask a person, a retry with an answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final

from mcp_types import SERVER_INFO_META_KEY
from mcp_types.methods import validate_client_request
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from omoide.errors import OmoideError
from omoide.serve.mcp.tool import OperationTool, refusal

METHOD: Final = "tools/call"
ORDINARY: Final = frozenset({"name", "arguments", "_meta"})
STRUCTURED: Final = "2025-06-18"
"""The first revision whose answers hold values beside the text. Revisions compare as text."""


class Direct:
    """A middleware of the SDK's server that answers the calls of these tools."""

    def __init__(self, tools: Iterable[OperationTool]) -> None:
        self._tools = {tool.name: tool for tool in tools if not tool.asks_a_person}
        self.stamp: Mapping[str, Any] = {}
        """Who the server is, in the answers of the newest revisions."""

    async def __call__(self, ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        """Answer an ordinary call, hand anything else on."""
        tool = self._tool_of(ctx)
        if tool is None:
            return await call_next(ctx)
        validate_client_request(METHOD, ctx.protocol_version, ctx.params)
        try:
            text, content = await tool.answered(ctx.params.get("arguments") or {}, ctx.request)
        except OmoideError as error:
            return self._wire(ctx, {"content": _text(refusal(error)), "isError": True})
        return self._wire(ctx, {"content": _text(text), "structuredContent": content, "isError": False})

    def _tool_of(self, ctx: Any) -> OperationTool | None:
        if ctx.method != METHOD or ctx.request_id is None or not ctx.params or not ctx.params.keys() <= ORDINARY:
            return None
        if ctx.session.client_capabilities is None or ctx.protocol_version < STRUCTURED:
            return None
        name = ctx.params.get("name")
        return self._tools.get(name) if isinstance(name, str) else None

    def _wire(self, ctx: Any, result: dict[str, Any]) -> dict[str, Any]:
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return {"_meta": {SERVER_INFO_META_KEY: dict(self.stamp)}, "resultType": "complete", **result}
        return result


def _text(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]
