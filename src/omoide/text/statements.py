"""Notes that people keep for agents, taken apart into statements: one for each list item and paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from omoide.text import marked

PARTS: Final = ("instructions", "memories")
"""Parts of such a file that omoide wrote itself."""
_HEADING: Final = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_BULLET: Final = re.compile(r"([ \t]*)[-*+]\s+(?:\[[ xX]\]\s+)?(\S.*)")
_NUMBER: Final = re.compile(r" {0,3}\d{1,9}[.)]\s+\S")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_RULE: Final = re.compile(r" {0,3}([-*_])(?: *\1){2,} *$")
_IMPORT: Final = re.compile(r"@\S+\s*$")
_INDEX: Final = re.compile(r"\[[^\]]+\]\((?!\w+:)[^)]+\.md\)\s*(?:$|[—–:-].*)")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_LOWEST: Final = 7
_WORDLESS: Final = re.compile(r"[\W_]*")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: its text, the line it starts on (from 1), and the headings above it, outermost first."""

    text: str
    line: int
    section: tuple[str, ...] = ()


def statements(text: str) -> list[Statement]:
    """Return the statements of a note, in order.

    Front matter, comments, rules, lines that only include another file and parts that omoide wrote are left out. A
    numbered list is one statement, since its order counts; code belongs to what stands above it.
    """
    found = [_made(block, section) for block, section in _sections(_blocks(_plain(text)))]
    return [statement for statement in found if _says_something(statement.text)]


Block = list[tuple[int, str]]


def _plain(text: str) -> list[str]:
    """Return the lines, those that do not count blanked so that the others keep their numbers."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    for name in PARTS:
        found = marked.part_of(text, name)
        if found is not None:
            text = text[: found[0]] + "\n" * text.count("\n", *found) + text[found[1] :]
    text = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
    lines = text.split("\n")
    if lines[0].rstrip() == "---":
        end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0)
        lines[: end + 1] = [""] * (end + 1) if end else lines[:1]
    return lines


def _blocks(lines: list[str]) -> Iterator[Block]:
    """Yield what belongs together, numbered; a heading is a block of one line."""
    block: Block = []
    fence = ""
    for number, line in enumerate(lines, 1):
        opened = _FENCE.match(line)
        if fence or opened:
            block.append((number, line))
            fence = _fence_after(fence, opened[1] if opened else "")
            continue
        if _ends(block, line):
            yield block
            block = []
        if line.strip() or block:
            block.append((number, line))
    yield block


def _fence_after(fence: str, mark: str) -> str:
    if not fence:
        return mark
    return "" if mark.startswith(fence) else fence


def _ends(block: Block, line: str) -> bool:
    """Say whether a line begins something new."""
    if not block or not line.strip():
        return False
    first, last = block[0][1], block[-1][1]
    if any(alone.match(each) for alone in (_HEADING, _RULE) for each in (first, line)):
        return True
    bullet, own = _BULLET.match(line), _BULLET.match(first)
    if bullet:
        return own is None or len(bullet[1]) <= len(own[1]) + 1
    numbered = any(_NUMBER.match(each) for _, each in block)
    if _NUMBER.match(line) and not own:
        return not (numbered or _announces(block))
    continues = line[:1] in (" ", "\t") and bool(own or numbered)
    return not last.strip() and not continues


def _announces(block: Block) -> bool:
    """Say whether a paragraph ends with a colon: what follows is what it is about."""
    words = "\n".join(line for _, line in block).rstrip()
    return words.endswith((":", "：")) and not _BULLET.match(block[0][1])


def _sections(blocks: Iterator[Block]) -> Iterator[tuple[Block, tuple[str, ...]]]:
    """Yield blocks with the headings above them; a paragraph that announces a list is one for its items."""
    headings: list[tuple[int, str]] = []
    for block in blocks:
        if not block:
            continue
        heading = _HEADING.match(block[0][1])
        if heading is not None:
            level, words = len(heading[1]), heading[2]
        elif _announces(block) and not _NUMBER.match(block[-1][1]):
            level, words = _LOWEST, " ".join(line.strip() for _, line in block).strip().rstrip(":：")
        else:
            kept = [each for each in headings if each[0] < _LOWEST or _BULLET.match(block[0][1])]
            headings = kept
            yield block, tuple(words for _, words in kept)
            continue
        headings = [*((above, said) for above, said in headings if above < level), (level, words)]


def _made(block: Block, section: tuple[str, ...]) -> Statement:
    lines = [line for _, line in block]
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines or _RULE.match(lines[0]) or _IMPORT.fullmatch(lines[0].strip()):
        return Statement("", 0)
    bullet = _BULLET.match(lines[0])
    if bullet and _INDEX.fullmatch(bullet[2]) and len(lines) == 1:
        return Statement("", 0)
    if bullet:
        lines = [bullet[2], *(_outdented(line) for line in lines[1:])]
    return Statement("\n".join(line.rstrip() for line in lines).strip(), block[0][0], section)


def _outdented(line: str) -> str:
    room = len(line) - len(line.lstrip(" "))
    return line[min(room, 2) :]


def _says_something(text: str) -> bool:
    return _WORDLESS.fullmatch(text) is None
