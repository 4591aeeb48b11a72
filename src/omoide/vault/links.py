"""The links in notes: read from front matter and text, resolved as note programs do, rewritten after a rename."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, unquote

_WIKI: Final = re.compile(r"!?\[\[([^\[\]\n]{1,500})\]\]")
_MARKDOWN: Final = re.compile(
    r"!?\[(?:[^\[\]\n]|\[[^\[\]\n]*\]){0,500}\]\((<[^<>\n]{1,500}>|[^()\s]{1,500}(?:\([^()\s]*\))?)(?:\s+\"[^\"\n]*\")?\)"
)
_FENCE: Final = re.compile(r" {0,3}(?:> ?)*(`{3,}|~{3,})")
_CODE: Final = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_LONG_LINE: Final = 20_000
"""Characters of a line whose code spans are not looked for."""
_SCHEME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_NOTE: Final = re.compile(r"\.(?:md|markdown)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written. ``start`` and ``end`` place its target in the text, -1 for one in the front matter.

    ``kind``: ``"wiki"``, ``"markdown"`` or ``"front"``; ``heading`` without its ``#``; ``alias`` the words shown.
    """

    target: str
    kind: str
    heading: str | None = None
    alias: str | None = None
    line: int = 0
    start: int = -1
    end: int = -1


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A change of one link, as it would be made."""

    path: str
    line: int
    before: str
    after: str


@dataclass(slots=True)
class Names:
    """The names under which notes are linked to: paths, the ends of paths, aliases."""

    paths: dict[str, str] = field(default_factory=dict)
    spelled: dict[str, str] = field(default_factory=dict)
    stems: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    aliases: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, path: str, aliases: Iterable[str] = ()) -> None:
        """Add a note."""
        bare = _NOTE.sub("", path)
        key = _key(bare)
        self.paths[key] = self.spelled[bare] = path
        while key:
            self.stems[key].append(path)
            key = key.partition("/")[2]
        for alias in aliases:
            self.aliases[_key(alias)].append(path)

    def resolve(self, source: str, link: Link) -> str | None:
        """Return the note that a link in ``source`` leads to, None where there is none.

        A path counts from the note's folder, then from the vault; a bare name is that of the nearest note. Of
        ``[[a|b]]`` either side may be the name: programs differ. Case does not matter, unless names differ by it alone.
        """
        if not link.target:
            return source
        found = self._named(source, link.target, relative=link.kind == "markdown")
        if found is None and link.kind == "wiki" and link.alias:
            found = self._named(source, link.alias.partition("#")[0], relative=False)
        return found

    def _named(self, source: str, target: str, *, relative: bool) -> str | None:
        bare = _NOTE.sub("", target.strip())
        folder = posixpath.dirname(source)
        near = posixpath.normpath(posixpath.join(folder, bare)) if not bare.startswith("/") else bare[1:]
        candidates = (near, bare.lstrip("/")) if relative or "/" in bare else ()
        for path in candidates:
            there = self.spelled.get(path) or self.paths.get(_key(path))
            if there is not None:
                return there
        if relative:
            return None
        key = _key(bare)
        found = self.stems.get(key) or self.aliases.get(key)
        if not found and "/" in key:  # the ways in which slashes are written into file names
            found = self.stems.get(key.replace("/", "___")) or self.stems.get(key.replace("/", "%2f"))
        exact = [path for path in found or () if f"/{_NOTE.sub('', path)}".endswith(f"/{bare}")]
        return _nearest(exact or found, folder) if found else None


def links_in(text: str, fields: Mapping[str, Any] | None = None) -> list[Link]:
    """Return the links of a note: of its front matter, then of its text in their order; code has none."""
    found = list(_front(fields or {}))
    if "[[" not in text and "](" not in text:
        return found
    clean = without_code(text)
    marks = [*_WIKI.finditer(clean), *_MARKDOWN.finditer(clean)]
    breaks = [match.start() for match in re.finditer("\n", text)]
    for match in sorted(marks, key=lambda each: each.start()):
        link = _wiki(match, text) if match.re is _WIKI else _markdown(match, text)
        if link is not None:
            found.append(_placed(link, breaks))
    return found


def without_code(text: str) -> str:
    """Return a text of the same length in which fenced and inline code is blank."""
    if "`" not in text and "~~~" not in text:
        return text
    parts: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        opening = _FENCE.match(line)
        if fence:
            bare = line.strip(" \t>\r\n")
            closes = len(bare) >= len(fence) and not bare.strip(fence[0])
            fence = "" if closes else fence
            parts.append(_blank(line))
        elif opening is not None:
            fence = opening[1]
            parts.append(_blank(line))
        else:
            parts.append(line if len(line) > _LONG_LINE else _CODE.sub(lambda code: " " * len(code.group()), line))
    return "".join(parts)


def rewritten(
    text: str, source: str, moves: Mapping[str, str], before: Names, after: Names
) -> tuple[str, list[Rewrite]]:
    """Return the text of a note with its links put right after some notes were moved, and what was changed.

    ``before`` and ``after`` are the names as they were and as they are; ``moves`` gives new paths by old ones.
    """
    changes: list[Rewrite] = []
    place = moves.get(source, source)
    for link in reversed(links_in(text)):
        old = before.resolve(source, link) if link.start >= 0 and link.target else None
        if old is None:
            continue
        target = moves.get(old, old)
        if after.resolve(place, link) == target:
            continue
        new = _spelled(text[link.start : link.end], link, place, target, after)
        changes.append(Rewrite(place, link.line, text[link.start : link.end], new))
        text = text[: link.start] + new + text[link.end :]
    return text, changes[::-1]


def _spelled(written: str, link: Link, place: str, target: str, names: Names) -> str:
    """Return how a link names its note now, in the manner in which it was written."""
    ending = ".md" if _NOTE.search(link.target) else ""
    bare = _NOTE.sub("", target)
    if link.kind == "markdown":
        path = posixpath.relpath(bare, posixpath.dirname(place) or ".") + ending
        return (
            f"<{path}>"
            if written.startswith("<")
            else quote(path, safe="/()%.-_~!$&'*+,;=:@")
            if "%" in written or " " in path
            else path
        )
    name = bare.rpartition("/")[2]
    short = "/" not in link.target and names.resolve(place, Link(name, "wiki")) == target
    return (name if short else bare) + ending


def _front(fields: Mapping[str, Any]) -> Iterator[Link]:
    """Links of the front matter: all of ``links``, and whatever else is written as one."""
    for name, value in fields.items():
        items = value if isinstance(value, list) else [value]
        for item in items:
            if not isinstance(item, str):
                continue
            marked = _WIKI.fullmatch(item.strip())
            if marked is not None:
                target, heading, alias = _parts(marked[1])
                yield Link(target, "front", heading, alias)
            elif name == "links" and item.strip() and not _SCHEME.match(item):
                target, _, heading = item.strip().partition("#")
                yield Link(target, "front", heading or None)


def _wiki(match: re.Match[str], text: str) -> Link | None:
    start = match.start(1)
    written = text[start : match.end(1)]
    target, heading, alias = _parts(written)
    end = start + len(re.split(r"[#|]|\\\|", written, maxsplit=1)[0])
    lead = len(written) - len(written.lstrip())
    return Link(target, "wiki", heading, alias, 0, start + lead, max(start + lead, end)) if target or heading else None


def _parts(written: str) -> tuple[str, str | None, str | None]:
    place, _, alias = written.replace("\\|", "|").partition("|")
    target, _, heading = place.partition("#")
    return target.strip(), heading.strip() or None, alias.strip() or None


def _markdown(match: re.Match[str], text: str) -> Link | None:
    written = match[1]
    inner = written[1:-1] if written.startswith("<") else written
    target, _, heading = inner.partition("#")
    if _SCHEME.match(inner) or inner.startswith("//") or (target and not _NOTE.search(target)):
        return None
    if not target and not heading:
        return None
    start = match.start(1)
    end = (
        start + len(written) if written.startswith("<") and not heading else start + written.find(target) + len(target)
    )
    start = start if written.startswith("<") and not heading else start + written.find(target)
    alias = text[match.start() : match.start(1)].strip("![]() ") or None
    return Link(unquote(target), "markdown", heading or None, alias, 0, start, end)


def _placed(link: Link, breaks: list[int]) -> Link:
    from bisect import bisect_left

    line = bisect_left(breaks, link.start) + 1
    return Link(link.target, link.kind, link.heading, link.alias, line, link.start, link.end)


def _blank(line: str) -> str:
    return "".join(sign if sign in "\r\n" else " " for sign in line)


def _nearest(paths: list[str], folder: str) -> str:
    """Of notes with one name: the one in the same folder, else the one with the shortest path."""
    return min(paths, key=lambda path: (posixpath.dirname(path) != folder, path.count("/"), len(path), path))


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold().strip()
