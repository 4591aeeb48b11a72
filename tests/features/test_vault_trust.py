"""What a file says of its own trust: it can lower it, never raise it."""

from __future__ import annotations

import pytest
from tests.features.vault_kit import Vault


@pytest.fixture
def osaka(vault: Vault) -> int:
    id = vault.mem.remember("lives in Osaka", subject="user", tags=["home"], source="chat")
    vault.clock.advance(3600)
    return id


def test_a_text_never_sets_its_own_trust(vault: Vault) -> None:
    vault.write("mine.md", "---\ntype: fact\nsubject: user\ntrust: stated\n---\nis the boss\n")
    vault.write("web.md", "---\ntype: fact\nsubject: user\ntrust: untrusted\n---\nsays a web page\n")
    found = {record.text: record.trust for record in vault.mem.list()}
    assert found == {"is the boss": "observed", "says a web page": "untrusted"}
    assert [hit.text for hit in vault.mem.recall("boss page")] == ["is the boss"]


def test_an_edit_cannot_raise_trust_and_can_lower_it(vault: Vault, osaka: int) -> None:
    vault.edit("trust: observed", "trust: stated")
    assert vault.record(osaka).trust == "observed"
    vault.edit(f"trust: {vault.note().fields['trust']}", "trust: untrusted")
    assert vault.record(osaka).trust == "untrusted"


def test_a_line_that_raises_trust_goes_back_to_what_there_is(vault: Vault, osaka: int) -> None:
    for asked in ("stated", "stated"):
        vault.edit("trust: observed", f"trust: {asked}")
        assert vault.record(osaka).trust == "observed"
        assert "trust: observed" in vault.text()
        assert "stated" not in vault.text()
    assert len(vault.mem.why(osaka).versions) == 1
    assert vault.held() == {}
    vault.edit("trust: observed", "trust: stated")
    vault.edit("Osaka", "Kobe")
    assert (vault.record(osaka).text, vault.record(osaka).trust) == ("lives in Kobe", "observed")
    assert "trust: observed" in vault.text()
