"""Links between notes are read, told both ways, and put right when a note is renamed."""

from __future__ import annotations

import pytest
from tests.features.vault_kit import Vault

from omoide.errors import InvalidInputError, NotFoundError, OmoideError


@pytest.fixture
def web(vault: Vault) -> Vault:
    vault.mem.list()
    vault.write(
        "projects/omoide.md", "---\naliases: [思い出, the memory]\n---\n# omoide\n\nSee [[storage#SQLite|the store]].\n"
    )
    vault.write(
        "projects/storage.md", "# Storage\n\n## SQLite\n\nBack to [omoide](omoide.md) and [gone](nowhere.md).\n"
    )
    vault.write(
        "daily/2026-06-01.md", "---\nlinks: [storage, projects/omoide]\nup: '[[思い出]]'\n---\n[[nobody]] `[[code]]`\n"
    )
    return vault


def told(links: tuple) -> list[tuple[str, str | None]]:
    return [(link.text, link.target) for link in links]


def test_a_note_tells_its_links_its_backlinks_and_its_neighbours(web: Vault) -> None:
    found = web.mem.links("projects/omoide.md")
    assert told(found.links) == [("storage", "projects/storage.md")]
    assert [(link.source, link.kind) for link in found.backlinks] == [
        ("daily/2026-06-01.md", "front"), ("daily/2026-06-01.md", "front"), ("projects/storage.md", "markdown"),
    ]  # fmt: skip
    assert found.neighbours == ("projects/storage.md",)
    (link,) = found.links
    assert (link.heading, link.alias, link.line) == ("SQLite", "the store", 6)


def test_a_note_is_named_by_path_name_alias_or_memory(web: Vault) -> None:
    id = web.mem.remember("see [[omoide]]", subject="user")
    assert web.mem.links(id).memory_id == id
    assert web.mem.links(str(int(id))).memory_id == id  # as a command and a tool name it
    assert told(web.mem.links(id).links) == [("omoide", "projects/omoide.md")]
    assert web.mem.links("思い出").path == web.mem.links("omoide").path == "projects/omoide.md"
    with pytest.raises(NotFoundError):
        web.mem.links("nothing")


def test_links_that_lead_nowhere_are_listed(web: Vault) -> None:
    assert [(link.source, link.text) for link in web.mem.dangling_links()] == [
        ("daily/2026-06-01.md", "nobody"), ("projects/storage.md", "nowhere.md"),
    ]  # fmt: skip
    web.write("nobody.md", "here\n")
    assert [link.text for link in web.mem.dangling_links()] == ["nowhere.md"]


def test_a_rename_shows_first_what_it_would_change(web: Vault) -> None:
    before = {path: (web.root / path).read_bytes() for path in web.notes()}
    preview = web.mem.rename_note("omoide", "archive of mine/memory.md")
    assert (preview.old, preview.new, preview.done) == ("projects/omoide.md", "archive of mine/memory.md", False)
    assert [(each.path, each.before, each.after) for each in preview.rewrites] == [
        ("daily/2026-06-01.md", "projects/omoide", "archive of mine/memory"),
        ("projects/storage.md", "omoide.md", "../archive%20of%20mine/memory.md"),
    ]  # fmt: skip
    assert {path: (web.root / path).read_bytes() for path in web.notes()} == before


def test_a_rename_keeps_every_link_and_nothing_else_changes(web: Vault) -> None:
    id = web.mem.remember("see [[storage]] and `[[storage]]`", subject="user")
    done = web.mem.rename_note("projects/storage.md", "projects/databases.md", dry_run=False)
    assert done.done
    assert (web.root / "projects/omoide.md").read_text(encoding="utf-8") == (
        "---\naliases: [思い出, the memory]\n---\n# omoide\n\nSee [[databases#SQLite|the store]].\n"
    )
    assert (web.root / "daily/2026-06-01.md").read_text(encoding="utf-8") == (
        "---\nlinks: [databases, projects/omoide]\nup: '[[思い出]]'\n---\n[[nobody]] `[[code]]`\n"
    )
    assert web.record(id).text == "see [[databases]] and `[[storage]]`"
    assert [link.text for link in web.mem.dangling_links()] == ["nobody", "nowhere.md"]


def test_the_note_of_a_memory_is_renamed_with_its_memory(web: Vault) -> None:
    id = web.mem.remember("lives in Osaka", subject="user")
    web.write("x.md", "[[user-lives-in-osaka]]\n")
    web.mem.rename_note(id, "people/me", dry_run=False)
    assert web.mem.links(id).path == "people/me.md"
    assert (web.root / "x.md").read_text(encoding="utf-8") == "[[me]]\n"
    assert web.record(id).text == "lives in Osaka"
    assert len(web.mem.why(id).versions) == 1


@pytest.mark.parametrize(
    "place",
    [
        "../out.md", "/etc/x.md", ".hidden/x.md", "projects/STORAGE.md", "C:\\x.md", ".index/x.md", "a\0b.md",
        "a\nb.md", "思" * 90 + ".md", "MEMORY.md", "node_modules/x.md",
    ],
)  # fmt: skip
def test_a_note_is_renamed_to_a_free_path_inside_the_vault_only(web: Vault, place: str) -> None:
    with pytest.raises(InvalidInputError):
        web.mem.rename_note("omoide", place, dry_run=False)
    assert (web.root / "projects/omoide.md").exists()
    assert web.another().links("omoide").links
    assert not web.mem.integrity_check()


def test_no_note_is_renamed_through_a_link(web: Vault, tmp_path_factory: pytest.TempPathFactory) -> None:
    try:
        (web.root / "away").symlink_to(tmp_path_factory.mktemp("outside"), target_is_directory=True)
    except OSError:
        pytest.skip("this account may not make links")
    with pytest.raises(InvalidInputError, match="link"):
        web.mem.rename_note("omoide", "away/x.md", dry_run=False)
    assert (web.root / "projects/omoide.md").exists()


def test_links_stay_where_a_note_cannot_be_moved(web: Vault) -> None:
    """What lies where a folder has to be keeps the note from its place; nothing leads to where it is not."""
    web.write("closed", "no folder")
    with pytest.raises(OmoideError):
        web.mem.rename_note("storage", "closed/x.md", dry_run=False)
    assert told(web.mem.links("omoide").links) == [("storage", "projects/storage.md")]


def test_of_names_that_differ_by_case_alone_each_link_means_its_own(web: Vault) -> None:
    web.write("Paris.md", "[[Paris]] [[paris]] [x](paris.md) [y](Paris.md)")
    lower = web.root / "paris.md"
    if lower.exists():
        pytest.skip("this file system knows no case")
    web.write("paris.md", "the myth")
    found = {link.text: link.target for link in web.mem.links("Paris.md").links}
    assert found == {"Paris": "Paris.md", "paris": "paris.md", "paris.md": "paris.md", "Paris.md": "Paris.md"}
    assert web.mem.links("daily/2026-06-01.md").links


def test_notes_of_a_namespace_that_may_not_be_read_are_not_told(web: Vault) -> None:
    web.another(namespace="secret").remember("see [[omoide]]", subject="boss")
    backlinks = web.another(namespace="default").links("omoide").backlinks
    assert all(link.source.startswith(("daily/", "projects/")) for link in backlinks)


def test_code_and_addresses_are_no_links(web: Vault) -> None:
    web.write("code.md", "```\n[[storage]]\n# [[omoide]]\n```\n[x](https://a.b/c.md)\n")
    assert web.mem.links("code.md").links == ()
