"""What the examples share: a loop that lets a model call tools, and a model that says what it was told to.

A model here is a function ``(messages, tools) -> message`` in the shape of OpenAI's chat completions. The scripted one
keeps the examples free of networks and keys; put a call of your own model in its place.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from omoide import ToolSpec

Message = dict[str, Any]
Model = Callable[[list[Message], list[dict[str, Any]]], Message]
Line = str | tuple[str, dict[str, Any]] | Callable[[list[Message]], str]


class Script:
    """Says its lines one after the other: a text, a tool with its arguments, or a function of what was said so far."""

    def __init__(self, *lines: Line) -> None:
        self._lines = list(lines)

    def __call__(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message:
        line = self._lines.pop(0)
        if isinstance(line, tuple):
            name, arguments = line
            function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
            call = {"id": f"call-{len(messages)}", "type": "function", "function": function}
            return {"role": "assistant", "content": None, "tool_calls": [call]}
        return {"role": "assistant", "content": line if isinstance(line, str) else line(messages)}


def answer(model: Model, messages: list[Message], tools: Sequence[ToolSpec]) -> str:
    """Let the model speak, carrying out the tools that it calls, until it says something; return that."""
    described = [tool.to_openai() for tool in tools]
    by_name = {tool.name: tool for tool in tools}
    while True:
        said = model(messages, described)
        messages.append(said)
        if not said.get("tool_calls"):
            return str(said["content"])
        for call in said["tool_calls"]:
            function = call["function"]
            result = by_name[function["name"]].call(**json.loads(function["arguments"]))
            print(f"    ({function['name']} {function['arguments']})")
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result, default=str)})


def told(messages: list[Message]) -> list[dict[str, Any]]:
    """Return what the last tool call gave: a list of hits."""
    found: list[dict[str, Any]] = json.loads(messages[-1]["content"])
    return found


def title(text: str) -> None:
    print(f"\n== {text}")


def run(main: Callable[[Path], None]) -> None:
    """Run an example in a folder that is removed afterwards."""
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # a console of Windows may be another
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        main(Path(folder))
