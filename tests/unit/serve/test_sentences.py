"""What lower parts say in English is said in the language of the person: tables by pattern, complete and not stale."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import omoide
from omoide import errors
from omoide.serve.messages.patterns import HOLE, Sentences
from omoide.serve.messages.speech import Speech

PACKAGE = Path(omoide.__file__).parent
ERRORS = {name for name in vars(errors) if name.endswith("Error")} | {"ToolCallError", "ImportError"}
# What only a program that calls Python can cause, so that it meets no reader of another language.
OF_PROGRAMS = ("integrations", "compat", "testing", "search")
OF_INDEXES = ("store/sqlite/indexing/blocks.py", "store/sqlite/indexing/posting")
TABLES = {language: import_module(f"omoide.serve.messages.sentences_{language}").SENTENCES for language in ("fr", "ja")}


def pattern_of(node: ast.expr) -> str:
    """Return a text with its places numbered, "" for what is no text; places side by side are one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    made, places = "", 0
    for part in node.values if isinstance(node, ast.JoinedStr) else ():
        if isinstance(part, ast.Constant):
            made += str(part.value)
        elif not made.endswith(f"{{{places - 1}}}"):
            made += f"{{{places}}}"
            places += 1
    return made


def raised() -> Iterator[tuple[str, str]]:
    """Yield place and pattern of every error that is made with a text of its own."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name.startswith((*OF_PROGRAMS, *OF_INDEXES)):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and called(node) in ERRORS:
                pattern = pattern_of(node.args[0])
                if re.search(r"\w", HOLE.sub("", pattern)):
                    yield f"{name}:{node.lineno}", pattern


def called(node: ast.Call) -> str:
    return str(getattr(node.func, "id", getattr(node.func, "attr", "")))


def repaired() -> Iterator[tuple[str, str]]:
    """Yield place and pattern of everything that a repair says it did, and that an ingest gives as a reason."""
    folders = [*(PACKAGE / "store" / "sqlite" / "mending").glob("*.py"), *(PACKAGE / "verbs" / "passages").glob("*.py")]
    for path in sorted([*folders, PACKAGE / "verbs" / "upkeep.py", PACKAGE / "store/sqlite/checking/check_texts.py"]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for told in told_by(node):
                pattern = pattern_of(told).replace("{}", "{0}")
                if " " in HOLE.sub("", pattern).strip() and not re.search(r"\b[A-Z]{4,}\b", pattern):
                    yield f"{path.name}:{node.lineno}", pattern  # type: ignore[attr-defined]


def told_by(node: ast.AST) -> list[ast.expr]:
    """Return the texts of an action or a reason: noted, listed, yielded, or put in a dict of reasons."""
    if isinstance(node, ast.Call):
        told = called(node) in ("note", "append", "insert", "leave")
        return node.args if told else [each.value for each in node.keywords if each.arg == "reason"]
    if isinstance(node, ast.Yield):
        return [] if node.value is None else [node.value]
    if isinstance(node, ast.Return):
        return listed(node.value)
    return kept(node) if isinstance(node, ast.Assign | ast.AnnAssign) else []


def listed(value: ast.expr | None) -> list[ast.expr]:
    """Return what a list that is returned holds, also one that is made or repeated on the spot."""
    inner = {ast.ListComp: "elt", ast.BinOp: "left"}.get(type(value), "")
    held = getattr(value, inner, None)
    return held.elts if isinstance(held, ast.List) else [] if held is None else [held]


def kept(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    """Return the texts that are kept by a name for a while."""
    name = ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0])
    value = node.value.body if isinstance(node.value, ast.IfExp) else node.value
    if name == "_WHY" and isinstance(value, ast.Dict):
        return value.values
    return [value] if name in ("what", "about") and value is not None else []


def words_of_the_code() -> str:
    """Return every text that stands in the code beside the messages themselves."""
    texts: list[str] = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if "messages" not in path.relative_to(PACKAGE).parts:
            nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            texts += [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return "\n".join(texts)


@pytest.mark.parametrize("language", TABLES)
def test_every_error_that_a_person_may_read_is_in_the_table(language: str) -> None:
    lacking = {place: pattern for place, pattern in raised() if pattern not in TABLES[language]}
    assert lacking == {}, "add them to serve/messages/sentences_*.py"


@pytest.mark.parametrize("language", TABLES)
def test_what_a_repair_did_and_why_a_file_stayed_out_is_in_the_table(language: str) -> None:
    found = dict(repaired())
    assert len(found) > 50
    assert {place: pattern for place, pattern in found.items() if pattern not in TABLES[language]} == {}


def test_no_pattern_is_left_of_a_sentence_that_is_no_longer_said() -> None:
    code = words_of_the_code()
    for pattern in TABLES["fr"]:
        words = [word for part in HOLE.split(pattern)[::2] for word in part.split(": ")]
        assert [word for word in words if word.strip() not in code] == [], pattern


def test_both_languages_have_the_same_patterns() -> None:
    assert TABLES["fr"].keys() == TABLES["ja"].keys()


@pytest.mark.parametrize("language", TABLES)
def test_a_translation_has_the_places_of_its_pattern(language: str) -> None:
    for pattern, said in TABLES[language].items():
        assert set(HOLE.findall(said)) == set(HOLE.findall(pattern)), pattern


@pytest.fixture
def french() -> Sentences:
    return Sentences(
        {
            "there is no memory {0} here": "il n'y a pas de souvenir {0} ici",
            "{0} is not there": "{0} n'est pas là",
            "{0} must be {1}, not {2}": "{0} doit être {1}, pas {2}",
            "k must be {0}, not {1}": "k : {1} n'est pas {0}",
            "a text": "un texte",
        }
    )


def test_what_stands_in_a_place_is_kept(french: Sentences) -> None:
    assert french("there is no memory 7 here") == "il n'y a pas de souvenir 7 ici"


def test_a_sentence_that_no_pattern_fits_stays(french: Sentences) -> None:
    assert french("the moon is full") == "the moon is full"


def test_of_two_patterns_the_one_with_more_words_counts(french: Sentences) -> None:
    assert french("k must be 1, not 0") == "k : 0 n'est pas 1"


def test_a_place_that_holds_a_sentence_of_ours_is_translated_too(french: Sentences) -> None:
    assert french("name must be a text, not 3") == "name doit être un texte, pas 3"


def test_a_file_and_a_line_before_the_sentence_stay(french: Sentences) -> None:
    assert french("notes.md: line 3: there is no memory 7 here") == "notes.md: line 3: il n'y a pas de souvenir 7 ici"


def test_a_value_may_hold_what_stands_between_places(french: Sentences) -> None:
    assert french("x must be a, not b, not c") == "x doit être a, pas b, not c"


def test_a_long_value_full_of_separators_is_kept_whole(french: Sentences) -> None:
    value = " must be , not : " * 120
    assert french(f"name must be {value}!").endswith("!")


def test_english_is_said_as_it_is() -> None:
    assert Speech("en").sentence("there is no memory 7 here") == "there is no memory 7 here"
