"""Arguments of writes to documents, checked and made into values."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from omoide.errors import InvalidInputError, MissingPathError
from omoide.model.collecting import uncollected
from omoide.model.documents import Sheet
from omoide.model.paths import at_home
from omoide.model.trust import lowered
from omoide.types import Ingested
from omoide.verbs import drafts
from omoide.verbs.context import Context
from omoide.verbs.passages.document_parts import Recipe
from omoide.verbs.passages.documents import Given
from omoide.verbs.passages.ingest_walk import Walk, found_file, walk


def texts(texts: object, sources: object, metadata: object) -> tuple[list[Given], list[Ingested]]:
    """Return the texts that can be added and a report on those that cannot.

    Raises:
        InvalidInputError: not lists, lists of different lengths, or an element of a wrong type.
    """
    listed = _listed(texts, "texts")
    named = [None] * len(listed) if sources is None else _listed(sources, "sources")
    described = _described(metadata, len(listed))
    if len(named) != len(listed):
        raise InvalidInputError(f"sources must have one entry a text: {len(named)} for {len(listed)}", value=len(named))
    given: list[Given] = []
    failed: list[Ingested] = []
    with uncollected():
        for position, (text, source) in enumerate(zip(listed, named, strict=True)):
            if not isinstance(text, str):
                raise InvalidInputError(f"texts[{position}] must be a text, not {type(text).__name__}", value=text)
            label = None if source is None else drafts.draft_label(source, f"sources[{position}]")
            try:
                given.append(Given(position, drafts.draft_text(text), label, described[position]))
            except InvalidInputError as error:
                failed.append(Ingested(label, "failed", code=error.code, reason=error.message, position=position))
    return given, failed


def sheet(ctx: Context, project: object, trust: str | None, recipe: Recipe, metadata: object = None) -> Sheet:
    """Return what all documents of one call have in common."""
    return Sheet(
        metadata=drafts.draft_metadata(metadata), project=drafts.draft_label(project, "project"),
        trust=lowered(ctx.door_trust, trust), recipe=recipe.stored,
    )  # fmt: skip


def limits(max_bytes: object, max_seconds: object) -> dict[str, Any]:
    """Return the limits of one file that were given.

    Raises:
        InvalidInputError: one that is not a number above 0.
    """
    given = {"max_bytes": max_bytes, "max_seconds": max_seconds}
    for name, value in given.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or value <= 0):
            raise InvalidInputError(f"{name} must be a number above 0, not {value!r}", value=value)
    return {name: value for name, value in given.items() if value is not None}


def look_for_files(path: Any, pattern: object, ignore: object) -> tuple[list[str], Walk]:
    """Return the absolute folders and files that were named, and what lies below them.

    Raises:
        MissingPathError: one of them is not there.
        InvalidInputError: not a path, or a pattern that cannot be understood.
    """
    listed = [path] if isinstance(path, str | os.PathLike) else _listed(path, "path")
    checked = _pattern(pattern, "pattern")
    ignored = [] if ignore is None else [_pattern(each, "ignore") for each in _listed(ignore, "ignore")]
    roots = list(dict.fromkeys(_existing(each) for each in listed))
    walked = Walk()
    for root in roots:
        if os.path.isdir(root):  # noqa: PTH112  # the path is text here
            walk(root, checked, ignored, walked)
        else:
            walked.files.append(found_file(root, root, os.stat(root)))  # noqa: PTH116
    walked.files = list({found.path: found for found in reversed(walked.files)}.values())[::-1]
    return roots, walked


def _existing(path: object) -> str:
    if not isinstance(path, str | os.PathLike) or isinstance(os.fspath(path), bytes):
        raise InvalidInputError(f"path must be a path or a list of paths, not {path!r}", value=path)
    absolute = os.path.abspath(at_home(path))  # noqa: PTH100  # links in it stay as they were written
    try:
        absolute.encode("utf-8")
        there = os.path.exists(absolute)  # noqa: PTH110
    except ValueError as error:  # a NUL, or a name that is not Unicode
        raise InvalidInputError(f"{path!r} cannot be the name of a file: {error}", value=path) from error
    if not there:
        raise MissingPathError(f"there is no file or folder {absolute}", value=absolute)
    return str(absolute)


def _pattern(pattern: object, name: str) -> str:
    from pathspec import GitIgnoreSpec

    if not isinstance(pattern, str) or not pattern.strip():
        raise InvalidInputError(f"{name} must be a pattern such as '*.md', not {pattern!r}", value=pattern)
    try:
        GitIgnoreSpec.from_lines([pattern])
    except ValueError as error:
        raise InvalidInputError(f"{name} {pattern!r} cannot be understood: {error}", value=pattern) from error
    return pattern


def _described(metadata: object, count: int) -> Sequence[Mapping[str, Any]]:
    if metadata is None or isinstance(metadata, Mapping):
        return [drafts.draft_metadata(metadata)] * count
    listed = _listed(metadata, "metadata")
    if len(listed) != count:
        raise InvalidInputError(f"metadata must have one entry a text: {len(listed)} for {count}", value=len(listed))
    return [drafts.draft_metadata(each) for each in listed]


def _listed(value: object, name: str) -> list[Any]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InvalidInputError(f"{name} must be a list, not {type(value).__name__}", value=value)
    return list(value)
