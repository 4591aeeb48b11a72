"""The handles behind the operations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.surfaces.test_ops import prepared

from omoide.errors import NotFoundError
from omoide.ops import OPERATIONS, Faces, run
from omoide.tools import memory_tools


@pytest.fixture
def faces(tmp_path: Path) -> Iterator[Faces]:
    with prepared(tmp_path / "agents.db") as made:
        yield made


def test_a_face_is_opened_once_and_again_after_closing(tmp_path: Path) -> None:
    with Faces(tmp_path / "agents.db", embedder="none") as faces:
        memory = faces("memory")
        assert faces("memory") is memory
        faces.close()
        assert run(faces, "list", {})["results"] == []


def test_a_namespace_is_all_that_its_faces_reach(faces: Faces, tmp_path: Path) -> None:
    with Faces(tmp_path / "agents.db", "elsewhere", embedder="none") as other:
        assert run(other, "list", {})["results"] == []
        with pytest.raises(NotFoundError):
            run(other, "forget", {"id": 1})


def test_exported_tools_are_operations_of_the_table(faces: Faces) -> None:
    for tool in memory_tools(faces("memory")):
        operation = OPERATIONS[tool.name]
        assert operation.doors.tool
        assert tool.description == operation.summary
        assert tool.parameters["properties"] == operation.schema(0)["properties"]


def test_explained_hits_show_the_parts_of_their_score(faces: Faces) -> None:
    (hit,) = run(faces, "recall", {"query": "Osaka", "explain": True})["results"]
    assert hit["explanation"]
