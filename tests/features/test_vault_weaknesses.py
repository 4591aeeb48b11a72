"""What goes wrong in memories that are folders of Markdown, and does not here."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.features.vault_kit import Vault

from omoide import Memory
from omoide.errors import InvalidInputError

from .vaults import open_vault, throw_index_away

_heard: list[list[str]] = []


def _hear(event: str, given: tuple[Any, ...]) -> None:
    if _heard and event == "open" and isinstance(given[0], str):
        _heard[-1].append(given[0])


sys.addaudithook(_hear)


@contextmanager
def opened_notes(root: Path) -> Iterator[set[str]]:
    """Collect the names of the notes that are opened meanwhile, the list of all aside."""
    found: set[str] = set()
    _heard.append([])
    try:
        yield found
    finally:
        paths = [path for path in _heard.pop() if path.startswith(str(root)) and path.endswith(".md")]
        found |= {Path(path).name for path in paths} - {"MEMORY.md"}


def calls_of(work: Callable[[], object]) -> int:
    """Return how many functions of Python and C a piece of work calls."""
    count = Counter[str]()

    def profile(_frame: object, event: str, _arg: object) -> None:
        count[event] += 1

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count["call"] + count["c_call"]


def filled(vault: Vault, count: int) -> None:
    """Make notes that were last written long ago, and have them looked at once."""
    with vault.mem.bulk():
        for number in range(count):
            vault.mem.remember(f"fact {number} about tea", subject=f"subject {number}")
    for path in vault.notes():
        os.utime(vault.root / path, (1_700_000_000, 1_700_000_000))
    vault.mem.list(limit=1)


def reopened(root: Path) -> None:
    open_vault(root).close()


def test_w01_a_rebuild_costs_by_the_note(tmp_path: Path, vault: Vault) -> None:
    """Four times the notes are about four times the work, not sixteen times."""
    work = {}
    for count in (50, 200):
        root = tmp_path / str(count)
        with open_vault(root) as mem, mem.bulk():
            for number in range(count):
                mem.remember(f"fact {number} about tea", subject=f"subject {number}")
        throw_index_away(root)
        work[count] = calls_of(partial(reopened, root))
    assert work[200] < 6 * work[50]


@pytest.mark.parametrize("count", [5, 60])
def test_w02_a_write_opens_no_note_but_its_own(vault: Vault, count: int) -> None:
    filled(vault, count)
    with opened_notes(vault.root) as seen:
        new = vault.mem.remember("the gate opens at nine", subject="door")
        vault.mem.revise(new, "the gate opens at ten")
    assert seen == {vault.file(new).name}


def test_w02_a_recall_opens_no_note_that_did_not_change(vault: Vault) -> None:
    filled(vault, 20)
    with opened_notes(vault.root) as seen:
        assert len(vault.mem.recall("tea", k=50)) == 20
    assert seen == set()


def test_w04_a_running_handle_answers_when_the_index_was_removed(vault: Vault) -> None:
    vault.mem.remember("lives in Osaka", subject="user")
    throw_index_away(vault.root)
    assert [hit.text for hit in vault.mem.recall("Osaka")] == ["lives in Osaka"]


@pytest.mark.parametrize(
    "query", ["Python", "ETL", "Airflow", "CD", "TTL", "90秒", "佐々木", "猫", "AWS", "ＡＷＳ", "カナ"]
)
def test_w11_w12_words_of_two_scripts_that_touch_are_found_apart(vault: Vault, query: str) -> None:
    texts = [
        "PythonでETLを書きAirflowで動かす",
        "CDのTTLは90秒",
        "佐々木さんは猫が好き",
        "ＡＷＳの設定",
        "半角ｶﾅも読む",
    ]
    for number, text in enumerate(texts):
        vault.mem.remember(text, subject=str(number))
    hits = vault.mem.recall(query, k=1)
    folded = {"AWS": "ＡＷＳ", "カナ": "ｶﾅ"}.get(query, query)
    assert hits
    assert folded in hits[0].text


def test_w15_the_newest_is_listed_however_many_there_are(vault: Vault) -> None:
    with vault.mem.bulk():
        for number in range(400):
            vault.mem.remember(f"an old fact of {'some length ' * 6}{number}", subject=f"s{number}")
    vault.clock.advance(3_600)
    vault.mem.remember("the newest of all", subject="new")
    vault.close()
    listed = (vault.root / "MEMORY.md").read_text(encoding="utf-8")
    assert "the newest of all" in listed
    assert len(listed.encode()) <= 8192


def test_w18_what_use_taught_outlives_the_index(vault: Vault) -> None:
    """Feedback, uses and how often it was said lie in the log, not in what can be thrown away."""
    id = vault.mem.remember("coffee from Kobe", subject="user")
    other = vault.mem.remember("tea from Uji", subject="user")
    vault.mem.remember("coffee from Kobe", subject="user")
    vault.mem.feedback(other, "penalize")
    for _ in range(3):
        vault.mem.get(id)
    vault.close()
    before = state_of(vault, id), state_of(vault, other)
    assert before[0][0] > 0
    assert before[1][1] < 0.5
    vault.close()
    throw_index_away(vault.root)
    assert (state_of(vault, id), state_of(vault, other)) == before
    assert vault.record(id).seen == 2


def state_of(vault: Vault, id: int) -> tuple[int, float]:
    with vault.mem._ctx.store.read(None) as tx:
        row: Any = tx.connection.execute("SELECT access_count, ifnull(value, 0.5) FROM memory WHERE id = ?", (id,))
        uses, value = row.fetchone()
    return int(uses), float(value)


def test_w28_what_another_program_wrote_into_a_note_stays_byte_for_byte(vault: Vault) -> None:
    """A list, a comment, an empty key and the order of keys, through a change of the text and one of the value."""
    id = vault.mem.remember("lives in Osaka", subject="user")
    theirs = "# by hand\ncssclasses: [wide,   'two words']\naliases:\n  - Ōsaka   # with a macron\nempty:\n"
    vault.edit("type: fact\n", f"type: fact\n{theirs}", id)
    vault.mem.list()
    vault.mem.revise(id, "lives in Tokyo")
    vault.mem.feedback(id, "boost")
    text = vault.text(id)
    assert theirs in text
    assert "lives in Tokyo" in text
    assert not re.search(r"^(value|weight|seen|access)", text, re.MULTILINE)


def test_w30_a_large_note_is_told_within_a_budget(vault: Vault) -> None:
    vault.mem.remember("many words about tea. " * 20_000, subject="tea", importance="critical")
    vault.mem.remember("tea at five", subject="user")
    told = vault.mem.context(budget=300)
    assert sum(len(row["text"]) for row in told["results"]) < 3_000
    assert told["truncated"]
    hits = vault.mem.recall("tea", max_tokens=300)
    assert [hit.text for hit in hits] == ["tea at five"]
    assert hits.truncated


@pytest.mark.parametrize(
    "call",
    [
        lambda mem: mem.recall("x", k="many"),
        lambda mem: mem.recall("x", as_of="yesterdayish"),
        lambda mem: mem.list(limit=-1),
        lambda mem: mem.remember("x", valid_from="2026-13-45"),
        lambda mem: mem.remember("x", valid_from="2026-02-01", valid_to="2026-01-01"),
    ],
)  # fmt: skip
def test_w32_what_makes_no_sense_is_refused_with_a_reason(vault: Vault, call: Callable[[Memory], object]) -> None:
    vault.mem.remember("there")
    with pytest.raises(InvalidInputError) as refused:
        call(vault.mem)
    assert len(str(refused.value)) > 10
    assert [record.text for record in vault.mem.list()] == ["there"]


def test_w33_past_and_present_are_ranked_on_one_scale(vault: Vault) -> None:
    """Asked as of then, what ended since stands where its words put it, not behind all that still holds."""
    ended = vault.mem.remember("the deploy key of the billing service is in the safe", subject="key")
    vault.mem.remember("the billing department has a new coffee machine", subject="coffee")
    vault.mem.remember("a service for the deploy of flowers", subject="flowers")
    vault.clock.advance(60)
    then = vault.clock.now()
    vault.clock.advance(60)
    vault.mem.forget(ended)
    hits = vault.mem.recall("deploy key billing service", as_of=then)
    assert hits[0].id == ended
    assert len(hits) == 3
    assert ended not in [hit.id for hit in vault.mem.recall("deploy key billing service")]


def test_w35_what_is_planned_is_not_true_yet(vault: Vault) -> None:
    """A clock that runs ahead, or a plan, makes no answer about now; it does about then."""
    id = vault.mem.remember("works in Kyoto", subject="user", valid_from="2026-09-01")
    assert [hit.id for hit in vault.mem.recall("Kyoto")] == []
    assert [hit.id for hit in vault.mem.recall("Kyoto", valid_at="2026-10-01")] == [id]
    vault.clock.set("2026-09-02T00:00:00Z")
    assert [hit.id for hit in vault.mem.recall("Kyoto")] == [id]


def test_w39_a_supersede_is_one_line_of_the_log(vault: Vault) -> None:
    """Both memories change by one line, so that no crash leaves the old and the new one active."""
    old = vault.mem.remember("lives in Osaka", subject="user")
    (log,) = (vault.root / ".omoide" / "log").rglob("*.jsonl")
    before = len(log.read_bytes().splitlines())
    vault.mem.supersede([old], "lives in Tokyo", subject="user")
    assert len(log.read_bytes().splitlines()) == before + 1
