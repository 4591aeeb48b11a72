from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from tests.features.conftest import database

from omoide import Memory
from omoide.errors import EmbedderMismatchError
from omoide.testing import FakeEmbedder

Opener = Callable[..., Memory]
QUESTIONS = ["tea in the garden", "backup host 7", "東京タワー", "zebra"]


class Custom:
    """The least that an embedder can be."""

    model_name = "custom"

    def embed(self, texts: list[str], /) -> list[list[float]]:
        """Return the length and the first letter as a vector."""
        return [[float(len(text)), float(ord(text[0])), 1.0] for text in texts]


def fill(mem: Memory) -> None:
    """Write a small history: repeats, revisions, forgotten ones."""
    with mem.bulk():
        for n in range(40):
            mem.remember(f"backup of host {n} runs at {n % 24}", subject="svc")
        tower = mem.remember("東京タワーに行きました", subject="user")
        tea = mem.remember("tea is served in the garden", subject="user")
        gone = mem.remember("tea is served in the zebra house")
    mem.revise(tea, "tea is served in the kitchen garden")
    mem.forget(gone)
    mem.remember("東京タワーに行きました", subject="user")
    assert tower


def answers(mem: Memory) -> list[list[tuple[int, str, float]]]:
    """Ask everything, and give ids, texts and scores."""
    return [[(hit.id, hit.text, round(hit.score, 6)) for hit in mem.recall(q, k=10)] for q in QUESTIONS]


def run(path: Path, *statements: str) -> None:
    """Change the file behind the library's back."""
    connection = apsw.Connection(str(database(path)))
    for statement in statements:
        connection.execute(statement)
    connection.close()


@pytest.fixture(params=["none", "fake"])
def embedder(request: pytest.FixtureRequest) -> object:
    """Without vectors and with."""
    return "none" if request.param == "none" else FakeEmbedder(16)


def test_rebuild_changes_no_answer(opened: Opener, embedder: object) -> None:
    """After a rebuild every question has the same answer."""
    mem = opened(embedder=embedder)
    fill(mem)
    before = answers(mem)
    mem.rebuild()
    assert answers(mem) == before
    assert mem.integrity_check() == []


@pytest.mark.parametrize("table", ["entry", "term", "posting", "block"])
def test_a_lost_index_is_found_and_rebuilt(opened: Opener, path: Path, table: str) -> None:
    """An emptied index is reported, and ``repair`` brings every answer back from the texts."""
    mem = opened(embedder=FakeEmbedder(16))
    fill(mem)
    before = answers(mem)
    mem.close()
    run(path, f'DELETE FROM "{table}"')
    again = opened(embedder=FakeEmbedder(16))
    assert again.integrity_check() != []
    again.repair()
    assert again.integrity_check() == []
    assert answers(again) == before


VECTORS = "(id >> 28) & 15 = 1"
FF = "unhex(replace(hex(zeroblob(300)), '00', 'FF'))"
DAMAGE = {
    "cut off": f"UPDATE block SET data = x'ffff' WHERE {VECTORS}",
    "gone": f"DELETE FROM block WHERE {VECTORS}",
    "overwritten": "UPDATE block SET data = CAST(substr(data, 1, 100)"
    f" || {FF} || substr(data, 401) AS BLOB) WHERE {VECTORS}",
}


@pytest.mark.parametrize("damage", list(DAMAGE))
def test_damaged_vectors_do_not_stop_the_keywords(opened: Opener, path: Path, damage: str) -> None:
    """With damaged vectors the store opens, keywords answer with a warning, and repair restores all."""
    mem = opened(embedder=FakeEmbedder(16))
    with mem.bulk():
        for n in range(300):
            mem.remember(f"note {n} on tea")
    before = [(hit.id, round(hit.score, 6)) for hit in mem.recall("note 17 on tea", k=5)]
    mem.close()
    run(path, DAMAGE[damage])
    again = opened(embedder=FakeEmbedder(16))
    hits = again.recall("note 17 on tea", k=5)
    assert hits[0].text == "note 17 on tea"
    assert hits.degraded
    report = again.repair()
    assert report.rebuilt >= 1
    assert again.integrity_check() == []
    assert [(hit.id, round(hit.score, 6)) for hit in again.recall("note 17 on tea", k=5)] == before


def test_a_sound_store_has_nothing_to_repair(opened: Opener, embedder: object) -> None:
    """Repairing a sound store finds nothing and changes no answer."""
    mem = opened(embedder=embedder)
    fill(mem)
    before = answers(mem)
    assert mem.repair().findings == ()
    assert answers(mem) == before


def test_another_model_is_a_mismatch(opened: Opener) -> None:
    """A store with one model's vectors is not opened with another's, whatever its dimension."""
    mem = opened(embedder=FakeEmbedder(16, model_name="one"))
    mem.remember("tea")
    for other in (FakeEmbedder(16, model_name="two"), FakeEmbedder(32, model_name="three")):
        with pytest.raises(EmbedderMismatchError, match="rebuild"):
            opened(embedder=other).remember("x")


def test_rebuild_changes_the_model(opened: Opener) -> None:
    """``rebuild(embedder=...)`` gives every memory a vector of the new model."""
    mem = opened(embedder=FakeEmbedder(16, model_name="one"))
    fill(mem)
    mem.rebuild(embedder=FakeEmbedder(24, model_name="two"))
    mem.remember("coffee at ten")
    assert mem.recall("coffee at ten", use_bm25=False, k=1)[0].text == "coffee at ten"
    mem.close()
    again = opened(embedder=FakeEmbedder(24, model_name="two"))
    assert again.integrity_check() == []
    assert len(again.recall("anything", use_bm25=False, k=99)) == again.stats()["default"]["count"]


def test_a_custom_embedder_needs_only_a_name_and_embed(opened: Opener) -> None:
    """Any object with ``model_name`` and ``embed`` serves."""
    mem = opened(embedder=Custom())
    mem.remember("zebra")
    mem.remember("an apple")
    assert mem.recall("zebra", use_bm25=False, k=1)[0].text == "zebra"


def test_keyword_only_opens_any_store(opened: Opener) -> None:
    """``"none"`` opens a store that has vectors, and writes to it are found later by keyword and vector."""
    mem = opened(embedder=FakeEmbedder(16))
    mem.remember("tea at four")
    plain = opened(embedder="none")
    assert [hit.text for hit in plain.recall("tea")] == ["tea at four"]
    plain.remember("coffee at ten")
    assert mem.recall("coffee")[0].text == "coffee at ten"
    for _ in range(1000):
        if mem.recall("coffee at ten", use_bm25=False, k=1)[0].text == "coffee at ten":
            break
        time.sleep(0.01)
    assert mem.recall("coffee at ten", use_bm25=False, k=1)[0].text == "coffee at ten"


def test_backup_while_in_use(opened: Opener, tmp_path: Path) -> None:
    """A backup taken while the store is open holds all that was acknowledged."""
    mem = opened(embedder=FakeEmbedder(16))
    fill(mem)
    target = tmp_path / "copy" / "backup.db"
    target.parent.mkdir()
    mem.backup(target)
    mem.remember("after the backup")
    copy = opened(embedder=FakeEmbedder(16), path=target)
    assert copy.integrity_check() == []
    assert copy.recall("after the backup", k=1) == [] or copy.recall("after the backup")[0].text != ("after the backup")
    assert copy.stats()["default"]["count"] == mem.stats()["default"]["count"] - 1


def test_backup_does_not_overwrite(opened: Opener, tmp_path: Path) -> None:
    """A file that exists is not overwritten by a backup."""
    mem = opened()
    mem.remember("A")
    target = tmp_path / "precious.db"
    target.write_text("precious")
    with pytest.raises((OSError, ValueError)):
        mem.backup(target)
    assert target.read_text() == "precious"


@pytest.mark.file_only("a vault is a folder to copy")
def test_a_closed_store_is_one_file_to_copy(opened: Opener, path: Path, tmp_path: Path) -> None:
    """After close the one file is the store: copied elsewhere it answers the same."""
    mem = opened()
    fill(mem)
    before = answers(mem)
    mem.close()
    assert [p.name for p in path.parent.iterdir() if p.name.startswith("agents.db")] == ["agents.db"]
    target = tmp_path / "elsewhere.db"
    shutil.copy(path, target)
    assert answers(opened(path=target)) == before
