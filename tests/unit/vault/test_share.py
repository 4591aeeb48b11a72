"""Which file systems are network shares, told by what is mounted where."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from omoide.vault import share
from omoide.vault.share import kind_at, share_of

MOUNTS = [("/", "ext4"), ("/mnt/team", "nfs4"), ("/mnt/team/local disk", "xfs"), ("/home/a/cloud", "fuse.sshfs")]


@pytest.mark.parametrize(
    "place, kind",
    [
        ("/home/a/notes", "ext4"),
        ("/mnt/team", "nfs4"),
        ("/mnt/team/notes", "nfs4"),
        ("/mnt/teamwork/notes", "ext4"),
        ("/mnt/team/local disk/notes", "xfs"),
        ("/home/a/cloud/思い出", "fuse.sshfs"),
    ],
)
def test_the_deepest_mounted_folder_counts(place: str, kind: str) -> None:
    assert kind_at(place, MOUNTS) == kind


@pytest.mark.skipif(os.name == "nt", reason="Windows tells it in another way")
def test_a_folder_on_a_share_is_told_by_its_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mounts"
    place = str(tmp_path.resolve()).replace(" ", "\\040")
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\nhost:/x {place} nfs4 rw 0 0\n", encoding="utf-8")
    monkeypatch.setattr(share, "_MOUNTS", mounts)
    assert share_of(tmp_path / "notes") == "nfs4"


@pytest.mark.skipif(os.name == "nt", reason="Windows tells it in another way")
def test_a_folder_on_a_disk_of_its_own_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("/dev/sda1 / ext4 rw 0 0\n", encoding="utf-8")
    monkeypatch.setattr(share, "_MOUNTS", mounts)
    assert share_of(tmp_path) is None
