"""The one door: complete, alphabetical, and nothing heavy behind it until it is used."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import omoide

DOOR = Path(omoide.__file__)
HEAVY = {"apsw", "numpy", "onnxruntime", "rapidfuzz", "sqlite3", "Stemmer", "turbovec"}


def modules_after(code: str) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after a piece of code, and had not before."""
    script = (
        f"import sys; sys.path.insert(0, {str(DOOR.parents[1])!r}); before = set(sys.modules)\n"
        f"{code}\nprint(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def names_for_type_checkers() -> set[str]:
    """Return what the guarded imports of the door bring in."""
    guards = [node for node in ast.parse(DOOR.read_text(encoding="utf-8")).body if isinstance(node, ast.If)]
    return {
        alias.asname or alias.name
        for guard in guards
        for node in guard.body
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("omoide")
        for alias in node.names
    }


@pytest.mark.parametrize("name", omoide.__all__)
def test_every_exported_name_exists(name: str) -> None:
    assert getattr(omoide, name) is not None


def test_all_is_sorted_and_without_repeats() -> None:
    assert omoide.__all__ == sorted(set(omoide.__all__))


def test_all_is_complete() -> None:
    assert set(omoide.__all__) == set(omoide._HOMES) | {"__version__", "errors"}


def test_type_checkers_see_what_the_door_exports() -> None:
    assert names_for_type_checkers() == set(omoide.__all__) - {"__version__"}


def test_dir_shows_the_exports() -> None:
    assert dir(omoide) == omoide.__all__


def test_an_unknown_name_is_an_attribute_error_that_says_it() -> None:
    with pytest.raises(AttributeError, match="'omoide' has no attribute 'nothing'"):
        omoide.nothing


def test_import_alone_loads_only_the_door() -> None:
    assert modules_after("import omoide") == {"omoide", "__future__"}


def test_types_and_errors_load_nothing_heavy() -> None:
    loaded = modules_after("import omoide; omoide.Hits; omoide.errors; omoide.Policy; omoide.__version__")
    assert not {name.split(".")[0] for name in loaded} & HEAVY


def test_the_version_is_a_release_number() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", omoide.__version__)


def test_the_package_is_typed() -> None:
    assert DOOR.with_name("py.typed").is_file()
