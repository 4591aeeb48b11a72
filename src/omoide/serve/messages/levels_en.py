"""English: memories read by level, traced, judged by use, written many at a time."""

from __future__ import annotations

from typing import Final

LEVELS: Final[dict[str, str]] = {
    "level.shown": "{tokens} of about {total} tokens",
    "level.section": "section {section}",
    "level.more": "There is more: omoide read {id} --max-tokens N, or one --section.",
    "trace.elsewhere": "This store does not hold it.",
    "trace.part": "{kind}, {start}-{end} of {of}",
    "trace.cut": "There is more of it.",
    "trace.none": "No source was given.",
    "feedback.done": "Memory {id} is worth {value} now.",
    "many.done": "{saved} remembered, {refused} refused.",
    "many.refused": "{position}: {reason}",
}
