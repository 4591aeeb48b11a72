"""Conversations found: filters before the cut, any script, any id, what is shown and what is refused."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.features.conftest import database

from omoide import History, Memory
from omoide.errors import InvalidInputError, NotFoundError
from omoide.testing import FakeClock

DAY = 86_400.0


@pytest.fixture
def his(path: Path, clock: FakeClock) -> Iterator[History]:
    with History(path, embedder="none", clock=clock) as history:
        yield history


def line(number: int, text: str, role: str = "user", session: str = "s-1", **more: Any) -> str:
    content: object = text if role == "user" else [{"type": "text", "text": text}]
    said = {
        "type": role, "uuid": f"{session}-{number}", "sessionId": session, "parentUuid": None, "cwd": "/nowhere/app",
        "timestamp": f"2026-05-{number:02}T09:00:00.000Z", "version": "2.0.0", "isSidechain": False,
        "userType": "external", "message": {"role": role, "content": content},
    }  # fmt: skip
    return json.dumps(said | more, ensure_ascii=False) + "\n"


@pytest.fixture
def spoken(his: History, tmp_path: Path) -> History:
    """A session of user and assistant, one of a tool's output, and segments of several projects and domains."""
    file = tmp_path / "s-1.jsonl"
    tool = json.loads(line(3, "x"))
    tool["message"]["content"] = [{"type": "tool_result", "tool_use_id": "t", "content": "tokens printed by a tool"}]
    file.write_text(
        line(1, "where do the tokens of v1.2.3 rotate")
        + line(2, "the tokens rotate in src/gateway.py", "assistant")
        + json.dumps(tool)
        + "\n",
        encoding="utf-8",
    )
    his.ingest(file, project="omoide", domain="auth")
    his.save("tokens saved for omoide", project="omoide", domain="auth", tags=["Keep"], importance="high")
    his.save("tokens saved for another", project="another", domain="search", kind="debug", entities=["AB-12"])
    return his


@pytest.mark.parametrize(
    "filters,found",
    [
        ({"project": "omoide"}, {"s-1#1", "s-1#2", "omoide"}),
        ({"domain": "auth"}, {"s-1#1", "s-1#2", "omoide"}),
        ({"domain": "search"}, {"another"}),
        ({"kind": "turn"}, {"s-1#1", "s-1#2"}),
        ({"kind": ["debug"]}, {"another"}),
        ({"role": "assistant"}, {"s-1#2"}),
        ({"role": "tool"}, {"s-1#3"}),
        ({"entity": "gateway.py"}, {"s-1#2"}),
        ({"entity": "ab-12"}, {"another"}),
        ({"tags": "Keep"}, {"omoide"}),
        ({"session": "s-1"}, {"s-1#1", "s-1#2"}),
        ({"since": "2026-05-02", "until": "2026-05-03"}, {"s-1#2"}),
        ({"since": "2026-06-01"}, {"omoide", "another"}),
        ({"trust": "untrusted", "kind": "turn"}, {"s-1#1", "s-1#2", "s-1#3"}),
    ],
)
def test_every_filter_narrows_search_and_grep_alike(spoken: History, filters: dict[str, Any], found: set[str]) -> None:
    def short(name: str) -> str:
        return name if "#" in name else name.split("_")[1]

    assert {short(hit.id) for hit in spoken.search("tokens", k=20, **filters)} == found
    assert {short(each.id) for each in spoken.grep("tokens", **filters)} == found


def test_filters_hold_before_the_cut_of_a_question_without_words(spoken: History) -> None:
    assert [hit.metadata["role"] for hit in spoken.search(None, k=1, role="assistant")] == ["assistant"]


def test_without_a_question_what_matters_most_comes_first_then_what_is_freshest(spoken: History) -> None:
    found = [hit.text for hit in spoken.search(None, k=9)]
    assert found[0] == "tokens saved for omoide"
    assert found[1] == "tokens saved for another"


def test_a_blank_question_finds_nothing(spoken: History) -> None:
    assert spoken.search("  ") == []


def test_lists_of_segments_and_sessions_take_filters(spoken: History) -> None:
    assert [s.project for s in spoken.list(project="another")] == ["another"]
    assert [s.project for s in spoken.list(kind="debug")] == ["another"]
    assert [s.project for s in spoken.list(tags="Keep")] == ["omoide"]
    assert [s.project for s in spoken.list(entity="ab-12")] == ["another"]
    assert spoken.list(since="2026-07-01") == []
    assert [e.id for e in spoken.sessions(project="omoide")] == ["s-1"]
    assert [e.id for e in spoken.sessions(domain="auth", host="claude-code")] == ["s-1"]
    assert spoken.sessions(domain="search") == []
    assert spoken.sessions(until="2026-01-01") == []


def test_domains_are_counted_by_project(spoken: History) -> None:
    assert spoken.domains() == {"auth": 2, "search": 1}
    assert spoken.domains("another") == {"search": 1}


def test_a_project_may_have_a_list_of_domains(spoken: History, tmp_path: Path) -> None:
    spoken.choose_domains("omoide", ["auth", "billing"])
    assert spoken.domains("omoide") == {"auth": 2, "billing": 0}
    with pytest.raises(InvalidInputError, match="auth, billing"):
        spoken.save("x", project="omoide", domain="cooking")
    with pytest.raises(InvalidInputError, match="auth, billing"):
        spoken.ingest(tmp_path / "s-1.jsonl", project="omoide", domain="cooking")
    spoken.choose_domains("omoide", None)
    assert spoken.save("x", project="omoide", domain="cooking")


def test_the_status_counts_what_there_is(spoken: History) -> None:
    status = spoken.status()["default"]
    told = {name: status[name] for name in ("sessions", "ingested", "records", "turns", "segments", "archived")}
    assert told == {"sessions": 1, "ingested": 1, "records": 3, "turns": 3, "segments": 2, "archived": 0}
    assert (status["pending"], status["failed"], status["embedder"]) == (0, [], None)


def test_counts_go_beyond_a_thousand(his: History, tmp_path: Path) -> None:
    file = tmp_path / "s-1.jsonl"
    file.write_text("".join(line(n % 27 + 1, f"turn {n}", session="s-1", uuid=f"u-{n}") for n in range(1200)))
    his.ingest(file)
    assert his.status()["default"]["turns"] == 1200
    assert his.read("s-1", 1200).place == "turns 1200-1200 of 1200"


@pytest.mark.parametrize(
    "text,asked,typed",
    [
        ("Nous avons déplacé la vérification des jetons", "verification des jetons", "verificaton"),
        ("認証トークンの有効期限は毎時更新する", "トークンの有効期限", "トークンの有功期限"),
        ("Проверка подлинности теперь в шлюзе", "проверка подлинности", "подленности"),
        ("JWT の検証は gateway でするように変更した", "gateway 検証", "gatewey"),
        ("Die Prüfung der Straße ist fertig", "strasse prufung", "Prüfng"),
    ],
)
def test_any_script_is_found_by_search_grep_and_fuzzy_grep(his: History, text: str, asked: str, typed: str) -> None:
    made = his.save(text, project="p")
    his.save("something else altogether", project="p")
    assert his.search(asked)[0].id == made
    assert his.grep(text[3:9], literal=True)[0].id == made
    assert [each.id for each in his.grep(typed, fuzzy=True)] == [made]


@pytest.mark.parametrize("name", ["my session", "セッション 一", "сессия/1", "a#b", "s" * 300, "emoji 🦊", "%_'\""])
def test_sessions_of_any_name_can_be_read(his: History, tmp_path: Path, name: str) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(line(1, "rotate the tokens", session=name), encoding="utf-8")
    his.ingest(file)
    hit = his.search("tokens", session=name)[0]
    assert his.read(hit.id) == "rotate the tokens"
    assert his.read(name) == "user: rotate the tokens"


@pytest.mark.parametrize(
    "pattern",
    ["^(a+)+$", "(a|a)*b", "(a*)*c", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", "(?:a?){28}a{28}"],
)
def test_no_pattern_takes_more_than_linear_time(his: History, pattern: str) -> None:
    """Each of these takes a backtracking engine minutes on this text."""
    his.save("a" * 28 + "!" + "x" * 40 + " " + "a" * 5000)
    assert his.grep(pattern).searched == 1


def test_anchors_mean_lines_and_a_text_is_looked_at_as_a_whole(his: History) -> None:
    his.save("first line\nsecond line")
    his.save("third line")
    assert [each.text for each in his.grep("^second")] == ["second line"]
    assert his.grep("line$").total == 3
    assert {each.text for each in his.grep(r"\Afirst|\Athird")} == {"first line", "third line"}
    assert his.grep("line\nthird").total == 0
    assert his.grep("(?i)FIRST", case=True).total == 1


def test_a_capital_that_another_letter_folds_to_is_found(his: History) -> None:
    his.save("300 \u212a, ba\u017fe")
    assert his.grep("300 k").total == 1
    assert his.grep("base").total == 1


def test_a_hit_carries_the_lines_around_what_matched(his: History) -> None:
    made = his.save("\n".join(f"line {n} says nothing" for n in range(400)) + "\nthe xylophone is here\n" + "end\n" * 9)
    (hit,) = his.search("xylophone")
    assert "the xylophone is here" in hit.text
    assert len(hit.text) < 4000
    where = hit.metadata
    assert where["line_from"] <= 401 <= where["line_to"]
    assert "xylophone" in his.read(made, where["line_from"], where["line_to"])


@pytest.mark.parametrize("bad", [{"k": 0}, {"k": -3}, {"k": "many"}])
def test_numbers_that_mean_nothing_are_refused(his: History, bad: dict[str, Any]) -> None:
    his.save("tokens")
    with pytest.raises(InvalidInputError):
        his.search("tokens", **bad)
    with pytest.raises(InvalidInputError):
        his.grep("tokens", limit=-1)
    with pytest.raises(InvalidInputError):
        his.list(limit=-1)
    with pytest.raises(InvalidInputError):
        his.grep("tokens", fuzzy=True, threshold=3)


def test_a_budget_counts_the_tokens_of_japanese(his: History) -> None:
    made = his.save("\n".join(["認証の設計を見直しました。" * 4] * 40))
    part = his.read(made, max_tokens=200)
    assert part.truncated
    assert len(part) < 400
    assert part.rest == part.end + 1


def test_short_lines_are_no_likeness_of_a_long_word(his: History) -> None:
    his.save("id\nida\nva\nlid\nvalid")
    assert his.grep("validation", fuzzy=True).total == 0


def test_reading_goes_on_while_somebody_holds_the_store_for_writing(path: Path, clock: FakeClock) -> None:
    with History(path, embedder="none", clock=clock) as his:
        made = his.save("rotate the tokens")
        holder = apsw.Connection(str(database(path)))
        holder.execute("BEGIN IMMEDIATE")
        assert his.read(made) == "rotate the tokens"
        assert his.search("tokens")[0].id == made
        assert his.grep("tokens").total == 1
        assert [each.id for each in his.list()] == [made]
        holder.execute("ROLLBACK")
        holder.close()


def test_a_look_is_lost_rather_than_waited_for(path: Path, clock: FakeClock) -> None:
    """Another process holds the store for longer than a test may last."""
    with History(path, embedder="none", clock=clock, busy_timeout=3_600) as his:
        his.read(his.save("rotate the tokens"))
        holder = apsw.Connection(str(database(path)))
        holder.execute("BEGIN IMMEDIATE")
        his.retention_preview()
        holder.execute("ROLLBACK")
        holder.close()


def test_every_way_of_looking_counts_as_one(his: History, clock: FakeClock) -> None:
    """Search, grep, fuzzy grep and reading each protect from being archived."""
    names: dict[str, str] = {}
    looks: dict[str, Callable[[], object]] = {
        "searched one": lambda: his.search("searched"),
        "grepped two": lambda: his.grep("grepped"),
        "likened three": lambda: his.grep("likenned", fuzzy=True),
        "read four": lambda: his.read(names["read four"]),
        "left alone five": lambda: None,
    }
    names |= {text: his.save(text) for text in looks}
    clock.advance(31 * DAY)
    for look in looks.values():
        look()
    assert his.retention_run().archived == (names["left alone five"],)


def test_a_purge_of_a_segment_leaves_its_session_with_the_right_count(his: History) -> None:
    first, _ = his.save("one", session="s"), his.save("two", session="s")
    his.purge(first)
    assert [(e.id, e.segments) for e in his.sessions()] == [("s", 1)]
    with pytest.raises(NotFoundError):
        his.read(first)


def test_a_name_with_underscores_stays_whole(his: History) -> None:
    made = his.save("one", project="my_project_x")
    assert his.list(project="my_project_x")[0].id == made
    assert his.list()[0].project == "my_project_x"


def test_without_a_project_it_is_that_of_the_folder(
    path: Path, clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / "repo"
    (repository / ".git").mkdir(parents=True)
    (repository / ".git" / "config").write_text('[remote "origin"]\n\turl = git@example.org:team/omoide.git\n')
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    (repository / ".git" / "worktrees" / "tree").mkdir(parents=True)
    (repository / ".git" / "worktrees" / "tree" / "commondir").write_text("../..\n")
    (tree / ".git").write_text(f"gitdir: {repository / '.git' / 'worktrees' / 'tree'}\n")
    plain = tmp_path / "plain"
    plain.mkdir()
    with History(path, embedder="none", clock=clock) as his:
        for folder in (repository, tree, plain):
            monkeypatch.chdir(folder)
            his.save(f"saved in {folder.name}")
        his.save("of none", project="")
    with History(path, embedder="none", clock=clock, door="http") as served:
        served.save("said to a server")
    with History(path, embedder="none", clock=clock) as his:
        projects = {segment.summary: segment.project for segment in his.list()}
    assert projects == {
        "saved in repo": "example.org/team/omoide", "saved in tree": "example.org/team/omoide",
        "saved in plain": plain.as_posix(), "of none": None, "said to a server": None,
    }  # fmt: skip


def test_the_async_twins_do_the_same(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "s-1.jsonl"
    file.write_text(line(1, "rotate the tokens"), encoding="utf-8")

    async def work() -> list[Any]:
        with History(path, embedder="none") as his:
            made = await his.asave("tokens saved")
            await his.aingest(file)
            found = {hit.id for hit in await his.asearch("tokens")}
            lines = await his.agrep("tokens")
            read = await his.aread(made)
            listed = [each.id for each in await his.alist()]
            sessions = [each.id for each in await his.asessions()]
            await his.aarchive(made)
            await his.aunarchive(made)
            status = await his.astatus()
            return [found == {made, "s-1#1"}, lines.total, read, listed == [made], sessions, status["default"]["turns"]]

    assert asyncio.run(work()) == [True, 2, "tokens saved", True, ["s-1"], 1]


def test_history_is_recalled_beside_memories_and_never_across_namespaces(path: Path) -> None:
    with Memory(path, embedder="none") as mem, History(path, embedder="none") as his:
        his.save("tokens saved")
        mem.remember("tokens remembered")
        both = {hit.origin for hit in mem.recall("tokens", include=["memories", "history"])}
        assert both == {"memory", "history"}
    with Memory(path, "other", embedder="none") as other:
        assert other.recall("tokens", include=["memories", "history"]) == []
    with History(path, "other", embedder="none") as other:
        assert other.grep("tokens").total == 0
        with pytest.raises(NotFoundError):
            other.read("2026-06-01_x_001")
