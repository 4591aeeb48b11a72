"""Anthropic's memory tool over one omoide store: a file is a memory with its history; needs ``omoide[anthropic]``."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

from omoide.integrations.file_tree import ROOT, Files, numbered, size_of, spot
from omoide.integrations.keyed import Keyed

try:
    from anthropic.lib.tools import ToolError
    from anthropic.tools.memory import BetaAbstractMemoryTool
except ImportError as error:
    raise ImportError("this needs the Anthropic SDK; install omoide[anthropic]", name="anthropic") from error

DOOR: Final = "tool:memory"
_MAX_LINES: Final = 999_999
_MISSING: Final = "The path {} does not exist. Please provide a valid path."


class OmoideMemoryTool(BetaAbstractMemoryTool):
    """Files below ``/memories`` in one namespace; nothing touches the disk but the store.

    The replies are those that the models were trained on. ``options`` are those of ``Memory``.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, namespace: str = "default", cache_control: Any | None = None,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(cache_control=cache_control)
        self.memory = Keyed(path, namespace, **{"door": DOOR, **options})
        self._files = Files(self.memory)

    def view(self, command: Any) -> str:
        """Return a folder's listing two levels deep, or a file's numbered lines."""
        place, path = _place(command.path), command.path
        text = self._files.read(place)
        if text is not None:
            return self._content(text, path, command.view_range)
        if not self._files.is_folder(place):
            raise ToolError(_MISSING.format(path))
        rows = [f"{size_of(size)}\t{path}/{name}" for name, size in self._files.listing(place)]
        head = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
        return "\n".join([head, f"{size_of(self._files.size(place))}\t{path}", *rows])

    def _content(self, text: str, path: str, view_range: list[int] | None) -> str:
        lines = text.split("\n")
        if len(lines) > _MAX_LINES:
            raise ToolError(f"File {path} exceeds maximum line limit of 999,999 lines.")
        first, last = 0, len(lines)
        if view_range and len(view_range) == 2:
            first = max(1, view_range[0]) - 1
            last = len(lines) if view_range[1] == -1 else view_range[1]
        return f"Here's the content of {path} with line numbers:\n" + numbered(lines[first:last], first + 1)

    def create(self, command: Any) -> str:
        """Make a file with the folders above it; one that exists stays as it is."""
        place = _place(command.path)
        self._free(place, f"File {command.path} already exists")
        self._files.write(place, command.file_text)
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: Any) -> str:
        """Replace a text that stands exactly once in a file."""
        place, path, old = _place(command.path), command.path, command.old_str
        text = self._text(place, path)
        count = text.count(old)
        if count == 0:
            raise ToolError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
        if count > 1:
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
                f"{', '.join(map(str, _lines_of(text, old)))}. Please ensure it is unique"
            )
        line = text[: text.find(old)].count("\n")
        changed = text.replace(old, command.new_str)
        self._files.write(place, changed)
        first = max(0, line - 2)
        shown = numbered(changed.split("\n")[first : line + 3], first + 1)
        return f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{shown}"

    def insert(self, command: Any) -> str:
        """Insert a text after a line, 0 for the top."""
        place, at = _place(command.path), command.insert_line
        lines = self._text(place, command.path).split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= at <= len(lines):
            raise ToolError(f"Invalid `insert_line` parameter: {at}. It should be within the range [0, {len(lines)}].")
        lines.insert(at, command.insert_text.rstrip("\n"))
        text = "\n".join(lines)
        self._files.write(place, text if text.endswith("\n") else text + "\n")
        return f"The file {command.path} has been edited."

    def delete(self, command: Any) -> str:
        """Forget a file, or a folder with all that is in it; the history stays."""
        place = _place(command.path)
        if place == ROOT:
            raise ToolError("Cannot delete the /memories directory itself")
        if not self._files.remove(place):
            raise ToolError(f"The path {command.path} does not exist")
        return f"Successfully deleted {command.path}"

    def rename(self, command: Any) -> str:
        """Move a file or a folder to a place that is free."""
        old, new = _place(command.old_path), _place(command.new_path)
        if old == ROOT:
            raise ToolError("Cannot rename the /memories directory itself")
        self._free(new, f"The destination {command.new_path} already exists")
        if self._files.read(old) is None and not self._files.is_folder(old):
            raise ToolError(f"The path {command.old_path} does not exist")
        if new.startswith(f"{old}/"):
            raise ToolError(f"Cannot move {command.old_path} into itself")
        self._files.move(old, new)
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        """Forget every file."""
        self._files.remove(ROOT)
        return "All memory cleared"

    def close(self) -> None:
        """Close the store."""
        self.memory.close()

    def _text(self, place: str, path: str) -> str:
        text = self._files.read(place)
        if text is not None:
            return text
        raise ToolError(f"The path {path} is not a file." if self._files.is_folder(place) else _MISSING.format(path))

    def _free(self, place: str, refusal: str) -> None:
        if self._files.is_folder(place) or self._files.read(place) is not None:
            raise ToolError(refusal)
        above = self._files.file_above(place)
        if above is not None:
            raise ToolError(f"The path {above} is not a directory.")


def _place(path: str) -> str:
    found = spot(path)
    if found is None:
        starts = path.startswith(ROOT)
        raise ToolError(
            f"Path {path} would escape /memories directory"
            if starts
            else f"Path must start with /memories, got: {path}"
        )
    return found


def _lines_of(text: str, part: str) -> list[int]:
    """Return the line of each occurrence, overlapping ones included."""
    find: Callable[[int], int] = lambda start: text.find(part, start)  # noqa: E731
    found, at = [], find(0)
    while at != -1:
        found.append(text[:at].count("\n") + 1)
        at = find(at + 1)
    return found
