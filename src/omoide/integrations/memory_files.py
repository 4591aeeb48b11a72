"""The commands of Anthropic's memory tool on a tree of files; the replies are those that the models know."""

from __future__ import annotations

from typing import Any, Final

from omoide.integrations.entries import Change
from omoide.integrations.file_tree import ROOT, Files, numbered, size_of, spot

_MAX_LINES: Final = 999_999
_MISSING: Final = "The path {} does not exist. Please provide a valid path."

Done = tuple[list[Change], str]
"""What a command changes, and its reply."""


class Refused(Exception):  # noqa: N818  (a reply to the model, no failure of ours)
    """A command that was not carried out; the text is the reply."""


def view(files: Files, command: Any) -> Done:
    """Reply with a folder's listing two levels deep, or a file's numbered lines."""
    place, path = place_of(command.path), command.path
    text = files.read(place)
    if text is not None:
        return [], _content(text, path, command.view_range)
    if not files.is_folder(place):
        raise Refused(_MISSING.format(path))
    rows = [f"{size_of(size)}\t{path}/{name}" for name, size in files.listing(place)]
    head = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
    return [], "\n".join([head, f"{size_of(files.size(place))}\t{path}", *rows])


def create(files: Files, command: Any) -> Done:
    """Make a file with the folders above it; one that exists stays as it is."""
    place = place_of(command.path)
    _free(files, place, f"File {command.path} already exists")
    return files.write(place, command.file_text), f"File created successfully at: {command.path}"


def str_replace(files: Files, command: Any) -> Done:
    """Replace a text that stands exactly once in a file."""
    place, path, old = place_of(command.path), command.path, command.old_str
    text = _text(files, place, path)
    count = text.count(old)
    if count == 0:
        raise Refused(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
    if count > 1:
        raise Refused(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
            f"{', '.join(map(str, _lines_of(text, old)))}. Please ensure it is unique"
        )
    line = text[: text.find(old)].count("\n")
    changed = text.replace(old, command.new_str)
    first = max(0, line - 2)
    shown = numbered(changed.split("\n")[first : line + 3], first + 1)
    said = f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{shown}"
    return files.write(place, changed), said


def insert(files: Files, command: Any) -> Done:
    """Insert a text after a line, 0 for the top."""
    place, at = place_of(command.path), command.insert_line
    lines = _text(files, place, command.path).split("\n")
    if lines[-1] == "":
        lines.pop()
    if not 0 <= at <= len(lines):
        raise Refused(f"Invalid `insert_line` parameter: {at}. It should be within the range [0, {len(lines)}].")
    lines.insert(at, command.insert_text.rstrip("\n"))
    text = "\n".join(lines)
    changes = files.write(place, text if text.endswith("\n") else text + "\n")
    return changes, f"The file {command.path} has been edited."


def delete(files: Files, command: Any) -> Done:
    """Forget a file, or a folder with all that is in it; the history stays."""
    place = place_of(command.path)
    if place == ROOT:
        raise Refused("Cannot delete the /memories directory itself")
    changes = files.remove(place)
    if not changes:
        raise Refused(f"The path {command.path} does not exist")
    return changes, f"Successfully deleted {command.path}"


def rename(files: Files, command: Any) -> Done:
    """Move a file or a folder to a place that is free."""
    old, new = place_of(command.old_path), place_of(command.new_path)
    if old == ROOT:
        raise Refused("Cannot rename the /memories directory itself")
    _free(files, new, f"The destination {command.new_path} already exists")
    if files.read(old) is None and not files.is_folder(old):
        raise Refused(f"The path {command.old_path} does not exist")
    if new.startswith(f"{old}/"):
        raise Refused(f"Cannot move {command.old_path} into itself")
    return files.move(old, new), f"Successfully renamed {command.old_path} to {command.new_path}"


def clear(files: Files, _: Any) -> Done:
    """Forget every file."""
    return files.remove(ROOT), "All memory cleared"


def place_of(path: str) -> str:
    """Return where a path lies.

    Raises:
        Refused: it does not start with ``/memories`` or leads out of it.
    """
    found = spot(path)
    if found is None:
        outside = f"Path must start with /memories, got: {path}"
        raise Refused(f"Path {path} would escape /memories directory" if path.startswith(ROOT) else outside)
    return found


def _content(text: str, path: str, view_range: list[int] | None) -> str:
    lines = text.split("\n")
    if len(lines) > _MAX_LINES:
        raise Refused(f"File {path} exceeds maximum line limit of 999,999 lines.")
    first, last = 0, len(lines)
    if view_range and len(view_range) == 2:
        first = max(1, view_range[0]) - 1
        last = len(lines) if view_range[1] == -1 else view_range[1]
    return f"Here's the content of {path} with line numbers:\n" + numbered(lines[first:last], first + 1)


def _text(files: Files, place: str, path: str) -> str:
    text = files.read(place)
    if text is not None:
        return text
    raise Refused(f"The path {path} is not a file." if files.is_folder(place) else _MISSING.format(path))


def _free(files: Files, place: str, refusal: str) -> None:
    if files.is_folder(place) or files.read(place) is not None:
        raise Refused(refusal)
    above = files.file_above(place)
    if above is not None:
        raise Refused(f"The path {above} is not a directory.")


def _lines_of(text: str, part: str) -> list[int]:
    """Return the line of each occurrence, overlapping ones included."""
    found, at = [], text.find(part)
    while at != -1:
        found.append(text[:at].count("\n") + 1)
        at = text.find(part, at + 1)
    return found
