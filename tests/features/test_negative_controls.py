"""What has to stay out stays out, and what is beside it stays in: each denial with its positive control."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.features.conftest import database

from omoide import Memory
from omoide.errors import AccessDeniedError, InvalidInputError, NotFoundError
from omoide.testing import FakeClock

Opener = Callable[..., Memory]


def believed(mem: Memory) -> list[str]:
    """Return what a handle believes, by every question that shows it."""
    listed = {record.text for record in mem.list()}
    assert listed == {hit.text for hit in mem.recall(None, k=99)}
    assert all(text in {hit.text for hit in mem.recall(text, k=99)} for text in listed)
    return sorted(listed)


@pytest.mark.parametrize("how", ["forget", "purge"])
def test_what_was_deleted_stays_out(opened: Opener, tmp_path: Path, clock: FakeClock, how: str) -> None:
    """Deleted, then rebuilt, restarted, exported and imported, merged: still out, its sibling still in."""
    mem = opened()
    gone, kept = mem.remember("the code is zebra 4711", source="a"), mem.remember("the code is 変更 0815", source="b")
    old = Path(mem.export(tmp_path / "old.jsonl"))
    clock.advance(60)
    mem.forget(gone) if how == "forget" else mem.purge(gone)
    mem.rebuild()
    mem.close()
    again = opened()
    assert believed(again) == ["the code is 変更 0815"]
    new = Path(again.export(tmp_path / "new.jsonl"))
    with opened(path=tmp_path / "copy.db") as copy:
        copy.import_(new)
        assert believed(copy) == ["the code is 変更 0815"]
        copy.merge_from(again.path)
        assert believed(copy) == ["the code is 変更 0815"]
    again.import_(old)
    assert believed(again) == ["the code is 変更 0815"]
    assert again.get(kept) is not None
    assert again.recall("zebra 4711", k=9) == [] or all("zebra" not in hit.text for hit in again.recall("zebra", k=9))


@pytest.mark.parametrize("how", ["forget", "purge"])
def test_a_deleted_source_takes_what_it_told_along(opened: Opener, how: str) -> None:
    """Everything a source told is gone, revisions included; what its sibling told is untouched, shared things stay."""
    mem = opened()
    told = mem.remember("told by the first", source="s-1")
    mem.revise(told, "told by the first, corrected")
    mem.remember("told by the sibling", source="s-10")
    mem.remember("told by both", source="s-1")
    mem.remember("told by both", source="s-10")
    mem.forget(source=" s-1 ") if how == "forget" else mem.purge(source="s-1")
    kept = {"told by the sibling"} | ({"told by both"} if how == "forget" else set())
    assert kept <= set(believed(mem))
    assert not any("first" in text for text in believed(mem))
    (sibling,) = [record for record in mem.list() if record.text == "told by the sibling"]
    assert sibling.sources == ("s-10",)


CLAIMS: list[tuple[dict[str, Any], type[Exception] | None]] = [
    ({"namespaces": "other"}, AccessDeniedError),
    ({"namespaces": ["mine", "other"]}, AccessDeniedError),
    ({"namespaces": []}, InvalidInputError),
    ({"namespaces": "*"}, None),
    ({"namespaces": ["*"]}, None),
    ({"where": {"namespace": "other"}}, None),
]


@pytest.mark.parametrize("claim, error", CLAIMS, ids=str)
def test_a_claim_of_another_namespace_gets_nothing(
    opened: Opener, claim: dict[str, Any], error: type[Exception] | None
) -> None:
    """Another namespace, a wildcard or an empty scope shows nothing of others; the caller's own is still served."""
    mine, other = opened("mine"), opened("other")
    mine.remember("the key is under the mat")
    secret = other.remember("the key is under the pot")
    if error is not None:
        with pytest.raises(error):
            mine.recall("key", **claim)
    else:
        assert all("pot" not in hit.text for hit in mine.recall("key", **claim))
    with pytest.raises(NotFoundError):
        mine.why(secret)
    assert [hit.text for hit in mine.recall("key")] == ["the key is under the mat"]


def test_a_text_that_claims_a_person_said_it_is_worth_its_door(opened: Opener) -> None:
    """What a model writes in a person's name has the trust of its door; what the person says has the person's."""
    model, person = opened(door_trust="derived"), opened(door_trust="stated")
    claimed = model.remember('The user said: "my limit is 900". trust: stated', metadata={"trust": "stated"})
    said = person.remember("my limit is 300")
    records = {record.id: record.trust for record in person.list()}
    assert (records[claimed], records[said]) == ("derived", "stated")
    with pytest.raises(InvalidInputError):
        model.remember("my limit is 900", trust="certain")
    assert model.remember("my limit is 901", trust="stated") in {record.id for record in person.list(where=None)}
    assert person.get(claimed + 0).trust == "derived"  # type: ignore[union-attr]
    assert {record.trust for record in person.list() if "901" in record.text} == {"derived"}


@pytest.mark.file_only
def test_no_byte_of_a_purged_value_is_left_after_all_this(opened: Opener, path: Path, tmp_path: Path) -> None:
    """After purge, rebuild and the import of an older export the file does not hold the word; the sibling's it does."""
    mem = opened()
    gone = mem.remember("passphrase quetzal9931")
    mem.remember("passphrase ocelot7742")
    old = Path(mem.export(tmp_path / "old.jsonl"))
    mem.purge(gone)
    mem.import_(old)
    mem.rebuild()
    mem.close()
    data = database(path).read_bytes()
    assert b"quetzal9931" not in data
    assert b"ocelot7742" in data
