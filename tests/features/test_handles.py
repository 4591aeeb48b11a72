"""Opening and closing a handle: where it opens, and what it tells of what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide import History, Index, Memory
from omoide.errors import InvalidInputError, OmoideError, StoreClosedError

FACES = (Memory, Index, History)


def test_a_path_at_home_is_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``~`` means the home folder wherever a path is given, as at the command line."""
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    with Memory("~/agents.db", namespace="a", embedder="none") as mem:
        mem.remember("Aiko lives in Osaka")
        mem.backup("~/copy.db")
        mem.export("~/lines.jsonl")
        assert mem.import_("~/lines.jsonl").known == 1
    with Memory(str(tmp_path / "home" / "copy.db"), namespace="b", embedder="none") as other:
        other.merge_from("~/agents.db")
    with Memory("~/notes/", namespace="a", embedder="none") as vault:
        vault.remember("Aiko lives in Tokyo")
    assert (tmp_path / "home" / "notes").is_dir()
    assert not (tmp_path / "~").exists()


@pytest.mark.parametrize("name", ["a\0b.db", "\0", "", "  "])
def test_a_name_that_no_file_can_have_is_a_typed_error(name: str) -> None:
    with pytest.raises(OmoideError):
        Memory(name, namespace="a", embedder="none")


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("given", [{"clock": 5}, {"policy": 5}, {"policy": "open"}], ids=str)
def test_a_part_that_cannot_do_its_work_is_refused_at_once(tmp_path: Path, face: Any, given: dict[str, Any]) -> None:
    """Not at the first call that needs it; nothing is made."""
    with pytest.raises(InvalidInputError, match=next(iter(given))):
        face(tmp_path / "a.db", namespace="a", embedder="none", **given)
    assert not list(tmp_path.iterdir())


def test_a_closed_handle_is_not_entered(opened: Callable[..., Memory]) -> None:
    mem = opened()
    mem.close()
    mem.close()
    with pytest.raises(StoreClosedError), mem:
        pass


def test_an_age_beyond_all_times_archives_nothing(opened: Callable[..., Memory]) -> None:
    """Any number of seconds is an age; a negative one lies in the future, so everything is older."""
    mem = opened()
    mem.remember("Aiko lives in Osaka")
    assert mem.forget_older_than(1e300) == 0
    assert mem.forget_older_than(-1e300) == 1
