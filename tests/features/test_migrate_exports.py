"""Exports in the shapes of other systems: what they hold, and that they come back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.features import foreign

from omoide import Memory, Policy
from omoide.errors import InvalidInputError
from omoide.integrations import mem0_compat
from omoide.migrate import SHAPES, Migration, export_as, import_into
from omoide.model.catalog import upkeep
from omoide.testing import FakeClock

Opener = Callable[..., Memory]


@pytest.fixture
def full(mem: Memory, clock: FakeClock) -> Memory:
    """A store with a past, several subjects, and texts of several lines and scripts."""
    home = mem.remember("lives in Osaka", subject="Zoë", predicate="city", tags=["home"])
    clock.advance(60)
    mem.revise(home, "lives in Tokyo\nsince May")
    mem.remember("お茶が好き", subject="CON", kind="preference")
    mem.remember("belongs to nobody [really]", metadata={"n": 1})
    mem.forget(mem.remember("a mistake", subject="Zoë"))
    return mem


def graph_of(path: Path) -> tuple[dict[str, list[str]], list[Any]]:
    """Return the observations by entity and the relations of a graph file."""
    items = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    entities = {item["name"]: item["observations"] for item in items if item["type"] == "entity"}
    return entities, [item for item in items if item["type"] == "relation"]


def test_the_table_of_operations_names_the_same_shapes() -> None:
    """What the command offers is what can be written."""
    assert ("jsonl", *SHAPES) == upkeep.SHAPES


def test_a_graph_holds_what_is_believed_now(full: Memory, tmp_path: Path) -> None:
    """Entities with their observations; neither what was corrected nor what was forgotten."""
    entities, relations = graph_of(Path(export_as(full, tmp_path / "g.jsonl", "memory-server")))
    assert entities == {
        "Zoë": ["city: lives in Tokyo\nsince May"], "CON": ["お茶が好き"], "notes": ["belongs to nobody [really]"],
    }  # fmt: skip
    assert relations == []


def test_a_graph_comes_back_as_it_was(mem: Memory, opened: Opener, tmp_path: Path) -> None:
    """Imported and exported, the graph is the same; imported again elsewhere, so are its memories."""
    source = foreign.graph(tmp_path / "memory.jsonl")
    import_into(mem, source)
    written = Path(export_as(mem, tmp_path / "out.jsonl", "memory-server"))
    assert sorted(written.read_text(encoding="utf-8").splitlines()) == sorted(
        json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":"))
        for line in source.read_text(encoding="utf-8").splitlines()
    )
    other = opened(path=tmp_path / "other.db")
    import_into(other, written)
    assert {record.text for record in other.list()} == {record.text for record in mem.list()}


def test_mem0_json_has_mem0s_fields(full: Memory, tmp_path: Path) -> None:
    """Each item has id, memory, hash, times, a user, and the metadata of its memory."""
    path = Path(export_as(full, tmp_path / "m.json", "mem0"))
    items = json.loads(path.read_text(encoding="utf-8"))["results"]
    assert {item["memory"] for item in items} == {record.text for record in full.list()}
    last = next(item for item in items if item["metadata"] == {"n": 1})
    assert set(last) == {"id", "memory", "hash", "metadata", "created_at", "updated_at", "user_id"}
    assert last["user_id"] == "default"


def test_mem0_ids_and_times_survive_the_way_through(mem: Memory, tmp_path: Path) -> None:
    """What came from mem0 leaves with the id, the user, the metadata and the times that it had."""
    source = foreign.mem0_export(tmp_path / "in.json")
    mem.remember("was here before")
    import_into(mem, source)
    path = Path(export_as(mem, tmp_path / "out.json", "mem0"))
    items = {item["id"]: item for item in json.loads(path.read_text(encoding="utf-8"))["results"]}
    assert (items["m1"]["memory"], items["m1"]["metadata"], items["m1"]["user_id"]) == (
        "likes green tea", {"cat": "drinks"}, "alex",
    )  # fmt: skip
    assert items["m1"]["updated_at"] == "2026-02-03T15:00:00+00:00"
    assert items["m2"]["metadata"] is None


def test_the_adapter_of_mem0_finds_what_came_in_through_it(path: Path, clock: FakeClock, tmp_path: Path) -> None:
    """A program that moves to the adapter finds its memories by user, with their metadata, and exports them again."""
    memory = mem0_compat.Memory(path, clock=clock, embedder="none")
    source = tmp_path / "in.json"
    both = [
        {"id": "a", "memory": "likes tea", "user_id": "alex", "metadata": {"cat": "drinks"}},
        {"id": "b", "memory": "secret of yuki", "user_id": "yuki", "agent_id": "bot"},
    ]
    source.write_text(json.dumps(both), encoding="utf-8")
    assert len(import_into(memory, source).added) == 2
    found = memory.get_all(filters={"user_id": "alex"})["results"]
    assert [(item["memory"], item["metadata"]) for item in found] == [("likes tea", {"cat": "drinks"})]
    assert memory.search("secret", filters={"user_id": "alex"})["results"] == []
    items = json.loads(Path(export_as(memory, tmp_path / "o.json", "mem0")).read_text(encoding="utf-8"))["results"]
    assert {(item["id"], item["user_id"], item.get("agent_id")) for item in items} == {
        ("a", "alex", None), ("b", "yuki", "bot"),
    }  # fmt: skip


def test_markdown_is_one_file_or_a_folder_of_notes(full: Memory, tmp_path: Path) -> None:
    """A path that ends in .md is one document; any other is a folder with a note for each subject, safely named."""
    one = Path(export_as(full, tmp_path / "all.md", "markdown")).read_text(encoding="utf-8")
    assert "# Zoë\n\n- [city] lives in Tokyo #home (since 2026-06-01)\n  since May\n" in one
    assert "a mistake" not in one
    folder = Path(export_as(full, tmp_path / "written", "markdown"))
    names = sorted(file.name for file in folder.iterdir())
    assert [name for name in names if not name.startswith("CON-")] == ["Zoë.md", "notes.md"]
    assert len(names) == 3


def test_notes_are_read_by_whoever_reads_basic_memory(full: Memory, opened: Opener, tmp_path: Path) -> None:
    """The notes of an export are notes with observations."""
    folder = export_as(full, tmp_path / "written", "markdown")
    other = opened(path=tmp_path / "other.db")
    assert import_into(other, folder).source == "basic-memory"
    assert other.list(where={"context": "since 2026-06-01"})[0].subject in ("Zoë", "CON", "notes")
    assert "お茶が好き" in {record.text for record in other.list()}


def test_nothing_of_others_is_overwritten(full: Memory, tmp_path: Path) -> None:
    """A folder that holds something, or the store itself, is no place for an export."""
    (tmp_path / "written").mkdir()
    (tmp_path / "written" / "mine.md").write_text("mine", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="new or empty folder"):
        export_as(full, tmp_path / "written", "markdown")
    with pytest.raises(InvalidInputError, match=r"onto itself|is a folder"):
        export_as(full, full.path, "mem0")
    with pytest.raises(InvalidInputError, match="jsonl, markdown, memory-server, mem0"):
        export_as(full, tmp_path / "x", "yaml")


def test_only_what_may_be_read_leaves(full: Memory, opened: Opener, tmp_path: Path) -> None:
    """A handle exports the namespaces that its policy opens, and one subject when asked."""
    opened("other").remember("of another namespace", subject="Zoë")
    for shape in SHAPES:
        text = Path(export_as(full, tmp_path / f"{shape}.md", shape)).read_text(encoding="utf-8")
        assert "of another namespace" not in text
        assert "Tokyo" in text
    wide = opened(policy=Policy.open())
    assert "of another namespace" in Path(export_as(wide, tmp_path / "w.json", "mem0")).read_text(encoding="utf-8")
    about = Path(export_as(full, tmp_path / "s.json", "mem0", subject="Zoë")).read_text(encoding="utf-8")
    assert "お茶" not in about


def test_a_purge_names_the_copies(full: Memory, tmp_path: Path) -> None:
    """The receipt of a purge says where exports may still hold what was erased."""
    export_as(full, tmp_path / "g.jsonl", "memory-server")
    receipt = full.purge(subject="Zoë")
    assert any("g.jsonl" in place for place in receipt.remaining)


def test_the_handle_of_doors_does_both(path: Path, clock: FakeClock, tmp_path: Path) -> None:
    """Migration is a Memory that imports and exports."""
    with Migration(path, clock=clock, embedder="none") as handle:
        handle.import_from(foreign.graph(tmp_path / "g.jsonl"))
        handle.export_as(tmp_path / "own.jsonl")
        assert json.loads((tmp_path / "own.jsonl").read_text(encoding="utf-8").splitlines()[0])["omoide"] == "export"
