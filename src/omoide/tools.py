"""Memory as tools for a language model: descriptions to export, calls checked before they run.

No tool has a namespace parameter: a tool reaches what its handle reaches.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Protocol

from omoide.model.arguments import ToolCallError, check_arguments, strict_schema
from omoide.model.catalog.table import TABLE
from omoide.types import Hits

__all__ = ["ToolCallError", "ToolSpec", "hit_rows", "memory_tools", "search_tool"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool: ``parameters`` is a JSON schema of type object, ``handler`` takes its properties by name."""

    name: str
    description: str
    parameters: dict[str, Any]
    handler: Callable[..., Any] = field(repr=False)

    def call(self, /, **arguments: Any) -> Any:
        """Check the arguments against ``parameters`` and return what the handler returns.

        An optional argument that is None or ``""`` counts as left out.

        Raises:
            ToolCallError: a missing or unknown argument, or one of the wrong type or range.
        """
        return self.handler(**check_arguments(self.name, self.parameters, arguments))

    def to_openai(self, strict: bool = False) -> dict[str, Any]:
        """Return the function tool in the form OpenAI takes, ``strict`` for guaranteed arguments."""
        function = {"name": self.name, "description": self.description}
        if not strict:
            return {"type": "function", "function": {**function, "parameters": deepcopy(self.parameters)}}
        parameters = strict_schema(self.parameters)
        return {"type": "function", "function": {**function, "parameters": parameters, "strict": True}}

    def to_anthropic(self, strict: bool = False) -> dict[str, Any]:
        """Return the tool in the form Anthropic takes, ``strict`` for guaranteed arguments."""
        tool: dict[str, Any] = {"name": self.name, "description": self.description}
        if not strict:
            return {**tool, "input_schema": deepcopy(self.parameters)}
        return {**tool, "input_schema": strict_schema(self.parameters), "strict": True}


class Recalling(Protocol):
    """What the recall tool needs of a memory."""

    @property
    def recall(self) -> Callable[..., Hits]: ...


class Remembering(Recalling, Protocol):
    """What the remember tool needs of a memory as well."""

    @property
    def remember(self) -> Callable[..., int]: ...


class Searching(Protocol):
    """What the search tool needs of an index."""

    @property
    def search(self) -> Callable[..., Hits]: ...


def memory_tools(memory: Remembering, read_only: bool = False) -> list[ToolSpec]:
    """Return the tools ``recall`` and, unless ``read_only``, ``remember`` of one memory handle."""
    recall = _tool("recall", lambda query, **options: hit_rows(memory.recall(query, **options)))
    remember = _tool("remember", memory.remember)
    return [recall] if read_only else [recall, remember]


def search_tool(index: Searching, name: str = "search") -> ToolSpec:
    """Return the tool that searches the documents of one index handle."""
    return _tool("search", lambda query, **options: hit_rows(index.search(query, **options)), name)


def _tool(operation: str, handler: Callable[..., Any], name: str | None = None) -> ToolSpec:
    """Return an operation of the table as a tool: its main parameters, and a question that is always asked."""
    described = TABLE[operation]
    parameters = described.schema(0)
    if "query" in parameters["properties"]:
        parameters["required"] = ["query"]
    return ToolSpec(name or operation, described.summary, parameters, handler)


def hit_rows(hits: Hits) -> list[dict[str, Any]]:
    """Return hits as plain JSON objects, the text as it was stored."""
    return [
        {
            "id": hit.id,
            "text": hit.text,
            "score": hit.score,
            "metadata": hit.metadata,
            "bm25_score": hit.bm25_score,
            "vector_score": hit.vector_score,
        }
        for hit in hits
    ]
