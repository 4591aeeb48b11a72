from __future__ import annotations

import os
import sys
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

MODEL = Path(__file__).resolve().parents[3] / "models" / "e5-small"
CONTENT = {"a.bin": b"first", "b.bin": b"second"}
FILES = {name: (len(content), sha256(content).hexdigest()) for name, content in CONTENT.items()}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the build's module that keeps finished files, with an empty cache folder."""
    monkeypatch.setenv("OMOIDE_CACHE", str(tmp_path / "cache"))
    spec = spec_from_file_location("e5_small_cache", MODEL / "builder" / "cache.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Maker:
    """Makes the files and counts how often."""

    def __init__(self, content: dict[str, bytes]) -> None:
        self.content, self.calls = content, 0

    def __call__(self) -> dict[str, bytes]:
        self.calls += 1
        return self.content


@pytest.mark.model
def test_every_byte_of_the_installed_data_is_the_pinned_one() -> None:
    assert pytest.importorskip("omoide_e5_small").check(full=True) == []


def test_a_warm_cache_makes_nothing(cache: Any) -> None:
    maker = Maker(CONTENT)
    folders = {cache.ensure(FILES, maker) for _ in range(3)}
    assert len(folders) == 1
    assert maker.calls == 1


def test_a_damaged_file_in_the_cache_is_made_again(cache: Any) -> None:
    folder = cache.ensure(FILES, Maker(CONTENT))
    (folder / "a.bin").write_bytes(b"fir5t")
    assert (cache.ensure(FILES, Maker(CONTENT)) / "a.bin").read_bytes() == b"first"


def test_other_bytes_than_the_pinned_ones_are_refused_and_not_kept(cache: Any, tmp_path: Path) -> None:
    with pytest.raises(cache.ContentError, match=r"b\.bin"):
        cache.ensure(FILES, Maker(CONTENT | {"b.bin": b"forged"}))
    assert not list((tmp_path / "cache").rglob("*.bin"))


def test_no_temporary_file_stays(cache: Any) -> None:
    assert sorted(path.name for path in cache.ensure(FILES, Maker(CONTENT)).iterdir()) == sorted(CONTENT)


def test_copies_are_verified_before_they_are_trusted(cache: Any, tmp_path: Path) -> None:
    source, target = cache.ensure(FILES, Maker(CONTENT)), tmp_path / "package"
    target.mkdir()
    (target / "a.bin").write_bytes(b"fir5t")
    cache.copy(source, target, FILES)
    assert cache.right(target, FILES)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_cache_folder_does_not_stop_a_build(cache: Any, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir(mode=0o500)
    assert cache.right(cache.ensure(FILES, Maker(CONTENT)), FILES)


def test_a_cache_folder_that_is_a_file_does_not_stop_a_build(cache: Any, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("not a folder")
    assert cache.right(cache.ensure(FILES, Maker(CONTENT)), FILES)


def test_no_weights_are_part_of_the_sources() -> None:
    sources = [path for path in (MODEL / "builder").rglob("*") if "__pycache__" not in path.parts]
    assert all(path.stat().st_size < 64_000 for path in sources if path.is_file())
