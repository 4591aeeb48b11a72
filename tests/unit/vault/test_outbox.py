"""Files written for a committed transaction."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from omoide.vault import outbox
from omoide.vault.files import FileWrite, hash_of
from omoide.vault.outbox import Order


def order(
    path: str, old: bytes | None, new: bytes | None, source: str | None = None, moved: bytes | None = None
) -> Order:
    """Return an order by bytes instead of hashes."""
    hashed = None if old is None else hash_of(old)
    return Order(FileWrite(path, hashed, new, source), None if moved is None else hash_of(moved))


def test_orders_survive_the_outbox() -> None:
    """What is packed comes out as it was."""
    orders = [
        order("a/ノート.md", b"old", b"new\x00\xff"),
        order("b.md", b"x", None),
        order("c.md", None, b"m", "d.md", b"m"),
    ]
    assert outbox.unpack(outbox.pack(orders)) == orders


def test_new_changed_and_gone(tmp_path: Path) -> None:
    """A file is made with its folders, changed, and removed with folders that are then empty."""
    outbox.carry_out(tmp_path, [order("x/y/a.md", None, b"one")])
    assert (tmp_path / "x" / "y" / "a.md").read_bytes() == b"one"
    outbox.carry_out(tmp_path, [order("x/y/a.md", b"one", b"two")])
    assert (tmp_path / "x" / "y" / "a.md").read_bytes() == b"two"
    outbox.carry_out(tmp_path, [order("x/y/a.md", b"two", None)])
    assert not (tmp_path / "x").exists()


def test_moved(tmp_path: Path) -> None:
    """A file that is moved is at its new place and no longer at the old one."""
    (tmp_path / "old.md").write_bytes(b"text")
    outbox.carry_out(tmp_path, [order("new/place.md", None, b"text", "old.md", b"text")])
    assert not (tmp_path / "old.md").exists()
    assert (tmp_path / "new" / "place.md").read_bytes() == b"text"


@pytest.mark.parametrize(
    "given", [order("a.md", b"known", b"new"), order("a.md", b"known", None), order("a.md", None, b"new")]
)
def test_an_edit_is_never_overwritten(tmp_path: Path, given: Order) -> None:
    """A file whose bytes are not those that were to be replaced stays, and nobody is kept waiting for it."""
    (tmp_path / "a.md").write_bytes(b"edited by a person")
    assert outbox.carry_out(tmp_path, [given]) == []
    assert (tmp_path / "a.md").read_bytes() == b"edited by a person"


def test_an_edited_file_is_not_moved_away(tmp_path: Path) -> None:
    """The old place of a moved file is left when somebody changed it meanwhile."""
    (tmp_path / "old.md").write_bytes(b"edited")
    outbox.carry_out(tmp_path, [order("new.md", None, b"text", "old.md", b"text")])
    assert (tmp_path / "old.md").read_bytes() == b"edited"


def test_done_twice(tmp_path: Path) -> None:
    """Orders that were carried out can be carried out again."""
    orders = [order("a.md", None, b"one"), order("gone.md", b"x", None)]
    outbox.carry_out(tmp_path, orders)
    assert outbox.carry_out(tmp_path, orders) == []
    assert (tmp_path / "a.md").read_bytes() == b"one"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_what_cannot_be_written_is_owed(tmp_path: Path) -> None:
    """A folder that may not be written keeps its order for later."""
    (tmp_path / "x").mkdir(mode=0o500)
    given = order("x/a.md", None, b"one")
    assert outbox.carry_out(tmp_path, [given]) == [given]
    (tmp_path / "x").chmod(0o700)
    assert outbox.carry_out(tmp_path, [given]) == []


def test_nothing_is_left_over(tmp_path: Path) -> None:
    """No file that was being made ready remains, whatever went wrong."""
    (tmp_path / "a.md").mkdir()
    with pytest.raises(OSError, match=r"a\.md"):
        outbox.replace(tmp_path / "a.md", b"one")
    assert [file.name for file in tmp_path.rglob("*")] == ["a.md"]
