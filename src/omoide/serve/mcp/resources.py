"""Resources: single memories by address, and examples of how to use omoide."""

from __future__ import annotations

from importlib import resources
from typing import Any, Final

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp_types import Completion

from omoide.errors import NotFoundError, OmoideError
from omoide.serve.fencing import fence
from omoide.serve.handles import Voice
from omoide.serve.mcp.desk import Desk, grant_of
from omoide.serve.mcp.tool import request_of

PATTERNS: Final = {
    "basic-memory": "Remember, recall, revise, forget.",
    "document-search": "Add reference texts and search them.",
    "multi-agent-policy": "Several agents in one store, each with what it may read.",
    "conversation-memory": "Turns of a conversation, by session.",
    "tool-calling": "Memory as tools of any model.",
    "memory-hygiene": "Sources, disputes, corrections, restoring.",
    "time-travel": "What held then, and what was believed then.",
}
MARKDOWN: Final = "text/markdown"


def add_resources(server: MCPServer[Any], desk: Desk) -> None:
    """Add the resources of one desk to a server."""

    @server.resource("omoide://memory/{id}", name="memory", title="One memory", mime_type=MARKDOWN)
    async def memory(id: str, context: Context[Any, Any]) -> str:
        """One memory of this namespace by its id, quoted with its source, date and trust."""
        return await _memory(desk, id, desk.voice_of(grant_of(request_of(context))))

    @server.resource("omoide://examples", name="examples", title="Examples", mime_type=MARKDOWN)
    def examples() -> str:
        """The list of examples."""
        return _list_of_examples()

    @server.resource("omoide://examples/{pattern}", name="example", title="One example", mime_type=MARKDOWN)
    def example(pattern: str) -> str:
        """One example, with code that runs as it is."""
        return text_of_example(pattern)

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]  # the SDK leaves it without types
    async def complete(reference: Any, argument: Any, _context: Any) -> Completion | None:
        """Complete the names of examples."""
        if argument.name != "pattern" or not str(getattr(reference, "uri", "")).startswith("omoide://examples/"):
            return None
        return Completion(values=[name for name in PATTERNS if name.startswith(argument.value)])


async def _memory(desk: Desk, id_text: str, voice: Voice) -> str:
    if not (id_text.isascii() and id_text.isdigit() and len(id_text) <= 18):
        raise ResourceNotFoundError(f"there is no memory {id_text[:50]!r}")
    try:
        record = await desk.do("get", {"id": int(id_text)}, voice)
    except NotFoundError as error:
        raise ResourceNotFoundError(str(error)) from error
    except OmoideError as error:
        raise ResourceError(f"{error.code}: {error}") from error
    return fence([record]).text


def _list_of_examples() -> str:
    lines = [f"- omoide://examples/{name} — {what}" for name, what in PATTERNS.items()]
    return "\n".join(["# Examples", "", *lines, ""])


def text_of_example(pattern: str) -> str:
    """Return one example as Markdown; for an unknown name, what there is."""
    if pattern not in PATTERNS:
        return f"There is no example {pattern[:50]!r}.\n\n{_list_of_examples()}"
    return (resources.files("omoide.serve.mcp") / "examples" / f"{pattern}.md").read_text(encoding="utf-8")
