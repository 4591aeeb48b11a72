"""Names joined and parted at random: every verb sees exactly the names that stand for one subject."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws.depth import DEEP, examples

from omoide import Memory
from omoide.errors import InvalidInputError

NAMES = ("bob", "Robert", "東京", "svc-a", "Éva")
OPS = st.lists(
    st.tuples(st.sampled_from(["alias", "alias", "rename", "unalias"]), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    max_size=14,
)


class Model:
    """What each name stands for."""

    def __init__(self) -> None:
        self.title = {name: name for name in NAMES}

    def group(self, name: str) -> set[str]:
        return {other for other in NAMES if self.title[other] == self.title[name]}

    def apply(self, op: str, one: str, other: str) -> bool:
        """Do it if it is allowed; say whether it is."""
        if op == "unalias":
            self.title[one] = one
            return True
        named, subject = (one, other) if op == "alias" else (other, one)
        foreign = self.title[named] not in (named, self.title[subject])
        circle = op == "alias" and (named == subject or self.title[subject] == named)
        if foreign or circle:
            return False
        title = self.title[subject] if op == "alias" else named
        for name in self.group(named) | self.group(subject):
            self.title[name] = title
        return True


def carry_out(mem: Memory, op: str, one: str, other: str) -> None:
    """Do the same to a store."""
    if op == "alias":
        mem.alias_subject(one, of=other)
    elif op == "rename":
        mem.rename_subject(one, other)
    else:
        mem.unalias_subject(one)


@pytest.mark.timeout(0 if DEEP else 120)
@settings(max_examples=examples(50, 1000), derandomize=not DEEP, suppress_health_check=list(HealthCheck))
@given(ops=OPS)
def test_names_that_stand_for_one_subject_are_one(ops: list[tuple[str, str, str]]) -> None:
    """Reads by any name, counts, repeats and the past agree with the model after every history of names."""
    with tempfile.TemporaryDirectory() as folder:
        model = Model()
        with Memory(Path(folder) / "agents.db", embedder="none") as mem:
            ids = {name: int(mem.remember(f"of {name}", subject=name)) for name in NAMES}
            for op, one, other in ops:
                if model.apply(op, one, other):
                    carry_out(mem, op, one, other)
                else:
                    with pytest.raises(InvalidInputError):
                        carry_out(mem, op, one, other)
            for name in NAMES:
                group = {ids[other] for other in model.group(name)}
                assert {hit.id for hit in mem.recall(None, k=99, subject=name.upper())} == group
                assert {version.memory_id for version in mem.timeline(name)} == group
                assert mem.remember(f"of {name}", subject=model.title[name]) == ids[name]
            titles = {model.title[name] for name in NAMES}
            assert dict(mem.subjects()) == {title: len(model.group(title)) for title in titles}
            assert mem.integrity_check() == []
