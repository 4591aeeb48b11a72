"""Real vaults of others are taken in, found and rebuilt without a byte of theirs being changed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from tests.features.vault_kit import Vault

from omoide import Index
from omoide.vault.damage import DamagedNoteError
from omoide.vault.frontmatter import parse, render

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "vaults" / "files.tar.gz"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="the public vaults are not on this machine")


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("public")
    with tarfile.open(DATA) as archive:
        archive.extractall(place, filter="data")
    return place


@needs_data
def test_every_public_note_is_read_and_written_back_byte_for_byte(public: Path) -> None:
    refused = []
    for file in public.rglob("*.md"):
        data = file.read_bytes()
        try:
            note = parse(data)
        except DamagedNoteError as error:
            refused.append((file.name, error.code))
            continue
        assert render(note, {"id": note.fields.get("id"), "uid": None}, note.body) == data
        changed = render(note, {"omoide_test": 1}, note.body)
        assert parse(changed).fields == {**note.fields, "omoide_test": 1}
        plain = changed.replace(b"---\nomoide_test: 1\n---\n" if note.head is None else b"omoide_test: 1\n", b"")
        assert plain.rstrip() == data.rstrip()
    assert refused == []


@needs_data
@pytest.mark.parametrize("name", ["foam", "madr", "logseq"])
def test_a_public_vault_is_used_beside_memories_and_stays_as_it_is(
    vault: Vault, public: Path, name: str
) -> None:  # fmt: skip
    shutil.copytree(public / name, vault.root, dirs_exist_ok=True)
    before = {path: path.read_bytes() for path in vault.root.rglob("*") if path.is_file()}
    id = vault.mem.remember("the release is on Friday", subject="project")
    vault.mem.revise(id, "the release is on Monday")
    found = vault.mem.recall("release Monday", include=["memories", "documents"])
    assert found[0].id == id
    with Index(vault.root, embedder="none", clock=vault.clock) as index:
        counted = index.stats()["default"]["documents"]
        hits = {query: [hit.source for hit in index.search(query, k=5)] for query in ("link", "decision", "page")}
    assert counted >= 0.95 * sum(path.suffix == ".md" and bool(data.strip()) for path, data in before.items())
    assert any(hits.values())
    assert not vault.mem.quarantine()
    vault.close()
    shutil.rmtree(vault.root / ".index")
    with Index(vault.root, embedder="none", clock=vault.clock) as index:
        assert index.stats()["default"]["documents"] == counted
        assert {query: [hit.source for hit in index.search(query, k=5)] for query in hits} == hits
    assert vault.record(id).text == "the release is on Monday"
    assert {path: path.read_bytes() for path in before} == before


@needs_data
def test_a_public_note_is_renamed_with_its_links_and_back(vault: Vault, public: Path) -> None:
    shutil.copytree(public / "foam", vault.root, dirs_exist_ok=True)
    before = {path: path.read_bytes() for path in vault.root.rglob("*.md")}
    vault.mem.list()
    dangling = len(vault.mem.dangling_links())
    pairs = {path: len(vault.mem.links(path).backlinks) for path in vault.notes()[:30]}
    path = max(pairs, key=lambda each: pairs[each])
    vault.mem.rename_note(path, "renamed here", dry_run=False)
    assert len(vault.mem.links("renamed here.md").backlinks) == pairs[path]
    assert len(vault.mem.dangling_links()) == dangling
    vault.mem.rename_note("renamed here.md", path, dry_run=False)
    assert len(vault.mem.links(path).backlinks) == pairs[path]
    changed = [each for each in before if each.read_bytes() != before[each]]
    assert len(changed) <= pairs[path]


def test_notes_without_a_log_are_memories_with_their_ids_and_uids(vault: Vault) -> None:
    first = vault.mem.remember("lives in Osaka", subject="user", tags=["home"], valid_from="2026-01-10", pinned=True)
    gone = vault.mem.remember("no subject at all", importance="high", metadata={"a": [1]})
    new = vault.mem.supersede([gone], "もう一つ", source="chat", confidence=0.5)
    archived = vault.mem.remember("old", subject="x")
    person = vault.another(door_trust="stated")
    stated = person.remember("said by a person", subject="user")
    vault.mem.forget(archived)
    before = {record.id: record for record in vault.mem.list()}
    vault.close()
    shutil.rmtree(vault.root / ".index")
    shutil.rmtree(vault.root / ".omoide")
    after = {record.id: record for record in vault.mem.list()}
    assert sorted(after) == sorted(before) == sorted([first, new, stated])
    for id, record in after.items():
        told = before[id]
        assert (record.uid, record.text, record.subject, record.tags, record.importance, record.metadata) == (
            told.uid, told.text, told.subject, told.tags, told.importance, told.metadata,
        )  # fmt: skip
        assert (record.valid_from, record.source, record.confidence, record.pinned) == (
            told.valid_from, told.source, told.confidence, told.pinned,
        )  # fmt: skip
        assert record.trust == "observed"
    assert vault.mem.why(new).supersedes == (gone,)
    assert vault.mem.remember("next", subject="user") > stated


def test_of_two_notes_with_one_id_the_earlier_uid_keeps_it_and_the_other_shows_what_it_was(vault: Vault) -> None:
    uids = [f"019ee2c4-6b40-7d3c-9a55-2f8d5b8f5a0{number}" for number in range(4)]
    for name, id, uid in (("late", 2, uids[3]), ("early", 2, uids[1]), ("third", 3, uids[2]), ("first", 1, uids[0])):
        front = f"---\nid: {id}\nuid: {uid}\ntype: fact\nsubject: {name}\ntrust: observed\n---\n{name}\n"
        vault.write(f"fact/general/{name}.md", front)
    vault.write("fact/general/new.md", "---\ntype: fact\nsubject: new\n---\nnew\n")
    found = {record.text: record.id for record in vault.mem.list()}
    assert {name: found[name] for name in ("first", "early", "third")} == {"first": 1, "early": 2, "third": 3}
    assert {found["late"], found["new"]} == {4, 5}
    late = vault.note(found["late"])
    assert late.fields["was"] == [2]
    vault.mem.revise(found["late"], "later")
    assert vault.note(found["late"]).fields["was"] == [2]
    assert vault.mem.list()
    assert vault.held() == {}


def test_a_store_in_a_file_loads_nothing_of_a_vault(tmp_path: Path) -> None:
    code = (
        "import sys; from omoide import Memory\n"
        "with Memory(sys.argv[1], embedder='none') as mem:\n"
        "    mem.remember('x'), mem.recall('x')\n"
        "parts = ('omoide.vault', 'yaml', 'omoide.verbs.note')\n"
        "print([name for name in sys.modules if name.startswith(parts)])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.db")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("old, new", [("page", "site"), ("type: fact", "type: fact\ntags: [web]")])
@pytest.mark.parametrize("line", ["trust: untrusted", "trust: stated", "importance: medium"])
def test_an_edit_of_an_untrusted_note_leaves_it_untrusted(vault: Vault, old: str, new: str, line: str) -> None:
    page = vault.mem.remember("says a web page", subject="user", trust="untrusted")
    vault.edit("trust: untrusted", line)
    vault.edit(old, new)
    assert (vault.record(page).trust, vault.mem.recall("web")) == ("untrusted", [])
