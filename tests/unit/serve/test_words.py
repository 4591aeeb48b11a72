"""Single words of answers, states, causes and names of fields, are there in French and Japanese."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

import omoide
from omoide import History, Index, Memory
from omoide.model import changes
from omoide.serve.messages.speech import Speech
from omoide.sleep.run import PASSES
from omoide.store.sqlite.schema import TABLES
from omoide.types import Document, MemoryRecord
from omoide.types.history import Taken
from omoide.types.ingest import Ingested
from omoide.vault.fields import ENDED

PACKAGE: Final = Path(omoide.__file__).parent
WORDS = {language: import_module(f"omoide.serve.messages.words_{language}").WORDS for language in ("fr", "ja")}
AS_IT_IS: Final = frozenset({"text", "metadata", "provenance"})
"""Fields that a view shows in another way than by their name."""


def causes() -> set[str]:
    """Return every cause that the code gives a version or a line of evidence."""
    found = set()
    for path in (PACKAGE / "verbs").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "cause" and isinstance(node.value, ast.Constant):
                found.add(str(node.value.value))
    return found


def told_in(kind: type) -> set[str]:
    """Return the states that the description of a report names."""
    told = re.search(r"``status``:? (?:is )?(.*?)\.", re.sub(r"\(.*?\)", "", " ".join((kind.__doc__ or "").split())))
    assert told is not None
    return set(re.split(r", | or ", told[1].replace(" ,", ",")))


def numbers() -> set[str]:
    """Return the names of all that the faces count."""
    with Memory(":memory:", embedder="none") as mem, Index(":memory:", embedder="none") as idx:
        mem.remember("a fox")
        idx.add_text("a fox")
        counted = set(mem.stats()["default"]) | set(idx.stats()["default"])
    with History(":memory:", embedder="none") as his:
        his.save("a fox in the garden")
        return counted | set(his.status()["default"]) - {"failed", "by_status"}


VOCABULARY: Final = {
    "files": told_in(Ingested),
    "transcripts": told_in(Taken),
    "memories": {"current", "disputed", "archived", "past", *ENDED.values()},
    "proposals": {*changes.KINDS, *changes.STATES},
    "captures": {"accepted", "pending", "failed"},
    "passes": set(PASSES),
    "causes": {*causes(), "kept", "merge", "restore"},
    "fields": {each.name for kind in (MemoryRecord, Document) for each in fields(kind)} - AS_IT_IS,
    "numbers": numbers(),
    "retention": {"old", "archived for long", "importance", "tag", "keyword", "looked at", "restored"},
    "tables": {"chunk", "document", "turn", "segment", "session", "version", "memory", "event", "content"},
}


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("part", VOCABULARY)
def test_every_word_is_in_the_table(language: str, part: str) -> None:
    assert VOCABULARY[part] - WORDS[language].keys() == set(), "add them to serve/messages/words_*.py"


def test_both_languages_have_the_same_words() -> None:
    assert WORDS["fr"].keys() == WORDS["ja"].keys()


def test_the_tables_that_a_repair_names_are_there() -> None:
    assert VOCABULARY["tables"] <= set(TABLES)


def test_a_word_that_nobody_knows_stays() -> None:
    assert Speech("fr").word("moonlit") == "moonlit"


def test_english_is_said_as_it_is() -> None:
    assert Speech("en").word("added") == "added"
