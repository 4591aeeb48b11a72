"""What users of comparable systems complained about, as facts about this one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from omoide import Memory
from omoide.testing import FakeClock, count_statements

Opener = Callable[..., Memory]


def texts(mem: Memory, query: str | None, **options: object) -> list[str]:
    """Return the texts that answer a query."""
    return [hit.text for hit in mem.recall(query, **options)]  # type: ignore[arg-type]


def test_p01_a_second_text_of_one_title_replaces_nothing_silently(mem: Memory) -> None:
    """Written again under the same subject and predicate, the first text stays reachable."""
    first = mem.remember("09:10 chose blue-green rollout", subject="Log 2026-03-04", predicate="body")
    mem.remember("17:45 rollback tested", subject="Log 2026-03-04", predicate="body")
    assert "09:10 chose blue-green rollout" in [v.text for v in mem.why(first).versions]
    assert "09:10 chose blue-green rollout" in texts(mem, "blue-green rollout")


def test_p10_a_time_filter_comes_before_the_cut(mem: Memory) -> None:
    """Three notes of this week are found among two hundred better matches of last year."""
    with mem.bulk():
        for n in range(200):
            mem.remember(f"release checklist for build {n}", valid_from="2025-05-01", valid_to="2025-05-02")
        for n in range(3):
            mem.remember(f"notes on the freeze window before release {n}", valid_from="2026-05-31")
    got = texts(mem, "release checklist", k=5, since="2026-05-30")
    assert sorted(got) == [f"notes on the freeze window before release {n}" for n in range(3)]


def test_p10_tag_and_project_filters_come_before_the_cut(opened: Opener) -> None:
    """Three notes of one project or namespace are found among two hundred better matches."""
    mem, other = opened(), opened("other")
    with mem.bulk():
        for n in range(200):
            mem.remember(f"release checklist for build {n}", project="big", kind="note")
        for n in range(3):
            mem.remember(f"notes on the freeze window, release {n}", project="small", kind="decision")
    other.remember("notes on the freeze window, release")
    assert len(texts(mem, "release checklist", k=5, project="small")) == 3
    assert len(texts(mem, "release checklist", k=5, kinds=["decision"])) == 3
    assert len(texts(other, "release checklist", k=5)) == 1


def test_p11_no_hidden_floor(mem: Memory) -> None:
    """A two-word question finds its note first among fifty others."""
    for n in range(50):
        mem.remember(f"other note {n} on gardens")
    mem.remember("The bridge for secure mail runs on port 1143, user mailbot", tags=["mail-bridge"])
    assert texts(mem, "mail bridge")[0].startswith("The bridge for secure mail")


def test_p12_the_same_text_is_one_record(opened: Opener) -> None:
    """Stored three times in other white space it is one memory, seen three times; elsewhere its own."""
    mem, other = opened(), opened("other")
    ids = {
        mem.remember("PocketBase runs on port 8090"),
        mem.remember("PocketBase runs on port 8090   "),
        mem.remember("PocketBase runs on port 8090\r\n"),
    }
    apart = other.remember("PocketBase runs on port 8090")
    (only,) = ids
    assert apart != only
    record = mem.get(only)
    assert record is not None
    assert record.seen == 3
    assert len(texts(mem, "PocketBase")) == 1


P14_ROWS = {
    "throughput 3 GB/s on BENCH-100821": ["BENCH-100821", "GB/s"],
    "Breeder's fee is due": ["Breeder's"],
    "C++ build of node.js v20": ["C++", "node.js"],
    "user@example.com asked for a:b": ["a:b"],
}
P14_QUERIES = [q for queries in P14_ROWS.values() for q in queries] + [
    "AND",
    "NOT x",
    '"unbalanced',
    "*",
    "(",
    "100%",
    "foo* -bar",
    "",
    "a " * 2500,
]


@pytest.mark.parametrize("query", P14_QUERIES, ids=lambda q: q[:12] or "empty")
def test_p14_any_text_is_a_query(mem: Memory, query: str) -> None:
    """No query raises, and those that name a row find it first."""
    for text in P14_ROWS:
        mem.remember(text)
    hits = mem.recall(query)
    wanted = [text for text, queries in P14_ROWS.items() if query in queries]
    assert [hit.text for hit in hits[:1]] == wanted or not wanted


def test_p15_one_current_value(mem: Memory, clock: FakeClock) -> None:
    """After a revision only the new preference answers; as of between, the old; ``why`` shows both."""
    memory_id = mem.remember("prefers Vim", subject="user", predicate="editor", kind="preference")
    clock.advance(86_400)
    between = clock.now()
    clock.advance(86_400)
    mem.revise(memory_id, "prefers Helix now")
    assert texts(mem, "which editor is preferred") == ["prefers Helix now"]
    assert texts(mem, "which editor is preferred", as_of=between) == ["prefers Vim"]
    assert {v.text for v in mem.why(memory_id).versions} == {"prefers Vim", "prefers Helix now"}


def test_p16_only_the_named_fact_is_closed(mem: Memory, clock: FakeClock) -> None:
    """One revision closes one fact and shows as one pair, however alike others are."""
    with mem.bulk():
        for svc in ("svc-a", "svc-b"):
            for n in range(20):
                shared = "the retry limit is three" if n == 0 else f"{svc} has replica {n}"
                mem.remember(shared, subject=svc, predicate=f"p{n}")
    wanted = mem.recall("retry limit", subject="svc-a", k=1)[0].id
    clock.advance(60)
    since = clock.now()
    mem.revise(wanted, "the retry limit is five")
    diff = mem.diff(since)
    assert [pair.new.memory_id for pair in diff.revised] == [wanted]
    assert (diff.learned, diff.retracted) == ((), ())
    ended = [v for hit in mem.recall(None, k=99) for v in mem.why(hit.id).versions if v.known_to is not None]
    assert {v.memory_id for v in ended} == {wanted}


def test_p17_the_time_of_the_event_counts(mem: Memory) -> None:
    """A note about an event of 2023 is found by its date, not by the week it was written; it shows both."""
    memory_id = mem.remember(
        "went to Lisbon last week", observed_at="2023-05-24T10:00Z", valid_to="2023-05-25", kind="event"
    )
    found = mem.recall("Lisbon", since="2023-05-01", until="2023-06-01")
    assert [hit.id for hit in found] == [memory_id]
    assert mem.recall("Lisbon", since="2026-05-30", until="2026-06-02") == []
    record = mem.get(memory_id)
    assert record is not None
    assert record.valid_from is not None
    assert record.known_from is not None
    assert (record.valid_from.year, record.known_from.year) == (2023, 2026)


def test_p18_retired_facts_do_not_crowd_out_live_ones(mem: Memory) -> None:
    """A fact revised thirty times takes one place among five answers."""
    memory_id = mem.remember("quota is 1 GB")
    for n in range(2, 32):
        mem.revise(memory_id, f"quota is {n} GB")
    for team in ("red", "blue", "green", "white"):
        mem.remember(f"the quota of team {team} is shared")
    got = texts(mem, "quota", k=5)
    assert len(got) == 5
    assert "quota is 31 GB" in got
    assert len({v.text for v in mem.why(memory_id).versions}) == 31


@pytest.mark.parametrize(
    "query, text",
    [
        ("部署方案", "今天讨论了部署方案，决定用蓝绿发布"),
        ("蓝绿", "今天讨论了部署方案，决定用蓝绿发布"),
        ("しりとり", "今日は成語しりとりをした"),
        ("끝말잇기", "오늘 끝말잇기 게임을 했다"),
    ],
)
def test_p19_a_phrase_inside_a_run_is_found(mem: Memory, query: str, text: str) -> None:
    """Any run of two or more characters of a Chinese, Japanese or Korean text finds it."""
    for one in (
        "今天讨论了部署方案，决定用蓝绿发布",
        "今日は成語しりとりをした",
        "오늘 끝말잇기 게임을 했다",
    ):
        mem.remember(one)
    assert texts(mem, query)[0] == text


def test_p21_a_question_of_common_words_costs_by_its_words(mem: Memory) -> None:
    """The statements of a twelve-word question do not grow with the number of matching notes.

    The least of a few: one of them may also write down that a vault's new files were looked at.
    """
    words = "the service runs every day and writes its log into one file here"

    def once() -> int:
        with count_statements(mem) as work:
            assert mem.recall(words, k=5)
        return work.statements

    def cost() -> int:
        return min(once() for _ in range(4))

    for n in range(10):
        mem.remember(f"{words} {n}")
    mem.recall(words)
    small = cost()
    with mem.bulk():
        for n in range(2000):
            mem.remember(f"{words} again {n}")
    mem.recall(words)
    assert cost() <= small + 10


def test_p23_no_loadable_extension_and_no_stock_sqlite_needed(path: Path) -> None:
    """Without the interpreter's own sqlite3 module the store works all the same."""
    program = f"""
import sys
sys.modules["sqlite3"] = None
sys.modules["_sqlite3"] = None
from omoide import Memory
from omoide.testing import FakeEmbedder
mem = Memory({str(path)!r}, embedder=FakeEmbedder(16))
memory_id = mem.remember("tea at four")
assert mem.recall("tea")[0].id == memory_id
assert mem.recall("tea at four", use_bm25=False)[0].id == memory_id
mem.forget(memory_id)
assert mem.recall("tea") == []
mem.close()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
