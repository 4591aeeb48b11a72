"""``omoide doctor`` beside a vault: notes that are set aside, and a folder that several machines may have open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.features.test_doctor_hosts import Patient, patient

from omoide import Memory
from omoide.vault import share

__all__ = ["patient"]


@pytest.fixture
def vault(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = patient.home / "notes"
    root.mkdir()
    with Memory(root, embedder="none") as memory:
        memory.remember("lives in Osaka", subject="user")
    monkeypatch.setenv("OMOIDE_STORE", str(root))
    return root


def found(patient: Patient, code: str) -> dict[str, str]:
    (check,) = [check for check in patient.checks(status=None) if check["code"] == code]
    return check


def test_a_vault_without_damage_is_in_order(patient: Patient, vault: Path) -> None:
    assert found(patient, "vault_notes")["state"] == "ok"
    assert found(patient, "vault_place")["state"] == "ok"
    assert vault.is_dir()


def test_a_second_file_of_one_memory_is_told_with_its_path(patient: Patient, vault: Path) -> None:
    (note,) = (vault / "fact").rglob("*.md")
    note.with_name("second.md").write_bytes(note.read_bytes())
    check = found(patient, "vault_notes")
    assert check["state"] == "warn"
    assert "second.md (duplicate)" in check["detail"]
    assert "inspect" in check["fix"]


@pytest.mark.skipif(os.name == "nt", reason="Windows tells it in another way")
@pytest.mark.parametrize(
    "language, word", [("en", "network share"), ("fr", "partage réseau"), ("ja", "ネットワーク共有")]
)
def test_a_vault_on_a_network_share_is_warned_of(
    patient: Patient, vault: Path, monkeypatch: pytest.MonkeyPatch, language: str, word: str
) -> None:
    mounts = patient.home / "mounts"
    place = str(vault.resolve()).replace(" ", "\\040")
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\nhost:/x {place} nfs4 rw 0 0\n", encoding="utf-8")
    monkeypatch.setattr(share, "_MOUNTS", mounts)
    monkeypatch.setenv("OMOIDE_LANG", language)
    check = found(patient, "vault_place")
    assert check["state"] == "warn"
    assert word in check["detail"]
    assert "nfs4" in check["detail"]


def test_a_store_in_a_file_has_no_such_checks(patient: Patient) -> None:
    assert not [check for check in patient.checks(status=None) if check["code"].startswith("vault_")]
