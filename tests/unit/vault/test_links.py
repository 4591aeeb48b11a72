from __future__ import annotations

import pytest

from omoide.vault.links import Link, Names, links_in, rewritten, without_code


def names(*paths: str, **aliases: str) -> Names:
    found = Names()
    for path in paths:
        found.add(path, [alias for alias, owner in aliases.items() if owner == path])
    return found


def told(text: str, **fields: object) -> list[tuple[str, str, str | None, str | None]]:
    return [(link.kind, link.target, link.heading, link.alias) for link in links_in(text, fields)]


def test_every_way_of_writing_a_link_is_read() -> None:
    text = "[[b#H|c]] ![[d]] [x](../y.md#z) [u](a%20b.md) [q](<sp ace.md>) [[#here]]"
    assert told(text, links=["m", "[[n]]"], up="[[o|p]]") == [
        ("front", "m", None, None), ("front", "n", None, None), ("front", "o", None, "p"),
        ("wiki", "b", "H", "c"), ("wiki", "d", None, None), ("markdown", "../y.md", "z", "x"),
        ("markdown", "a b.md", None, "u"), ("markdown", "sp ace.md", None, "q"), ("wiki", "", "here", None),
    ]  # fmt: skip


def test_links_into_the_web_and_to_pictures_are_none_of_ours() -> None:
    assert told("[a](https://x.org/y.md) [b](mailto:x@y.md) ![c](pic.png) [d](//host/x.md)") == []


def test_code_has_no_links() -> None:
    text = "`[[a]]` and ``x `[[b]]` y``\n```md\n[[c]]\n```\n~~~\n[[d]]\n~~~\n[[e]]"
    assert told(text) == [("wiki", "e", None, None)]
    assert len(without_code(text)) == len(text)


def test_a_link_in_a_table_has_its_bar_escaped() -> None:
    assert told("| [[t\\|shown]] |") == [("wiki", "t", None, "shown")]


@pytest.mark.parametrize(
    "source, text, found",
    [
        ("a/x.md", "[[y]]", "a/y.md"),
        ("b/x.md", "[[y]]", "y.md"),
        ("b/x.md", "[[Y#part|shown]]", "y.md"),
        ("b/x.md", "[[a/y]]", "a/y.md"),
        ("b/x.md", "[q](../a/y.md)", "a/y.md"),
        ("b/x.md", "[q](/a/y.md)", "a/y.md"),
        ("b/x.md", "[q](y.md)", "y.md"),
        ("b/x.md", "[q](z.md)", None),
        ("b/x.md", "[[nickname]]", "c/long-name.md"),
        ("b/x.md", "[[café]]", "c/cafe\u0301.md"),
        ("b/x.md", "[[Label|foo.bar]]", "foo.bar.md"),
        ("b/x.md", "[[Space/Page]]", "Space___Page.md"),
        ("b/x.md", "[[nothing]]", None),
        ("b/x.md", "[[#here]]", "b/x.md"),
    ],
)
def test_a_link_leads_where_note_programs_lead_it(source: str, text: str, found: str | None) -> None:
    known = names("a/y.md", "y.md", "b/x.md", "c/long-name.md", "c/cafe\u0301.md", "foo.bar.md", "Space___Page.md",
                  nickname="c/long-name.md")  # fmt: skip
    (link,) = links_in(text)
    assert known.resolve(source, link) == found


def test_a_rename_rewrites_the_links_that_would_break_and_no_others() -> None:
    before = names("a/old.md", "b/x.md", "c.md")
    after = names("a/new name.md", "b/x.md", "c.md")
    text = "[[old]] [[old#Part|shown]] ![[a/old]] [t](../a/old.md#z) [[c]] `[[old]]` [[old|new]]"
    changed, changes = rewritten(text, "b/x.md", {"a/old.md": "a/new name.md"}, before, after)
    assert changed == (
        "[[new name]] [[new name#Part|shown]] ![[a/new name]] [t](../a/new%20name.md#z) [[c]] `[[old]]`"
        " [[new name|new]]"
    )
    assert [(each.before, each.after) for each in changes[:2]] == [("old", "new name"), ("old", "new name")]


def test_a_note_that_moves_keeps_its_own_links_right() -> None:
    before = names("a/x.md", "a/y.md")
    after = names("z/deep/x.md", "a/y.md")
    changed, changes = rewritten("[t](y.md) [[y]]", "a/x.md", {"a/x.md": "z/deep/x.md"}, before, after)
    assert changed == "[t](../../a/y.md) [[y]]"
    assert [each.path for each in changes] == ["z/deep/x.md"]


def test_a_name_that_would_lead_elsewhere_is_written_with_its_path() -> None:
    before = names("a/one.md", "b/x.md", "b/two.md")
    after = names("a/two.md", "b/x.md", "b/two.md")
    changed, _ = rewritten("[[one]]", "b/x.md", {"a/one.md": "a/two.md"}, before, after)
    assert changed == "[[a/two]]"


def test_where_a_link_stands_is_told() -> None:
    (link,) = links_in("one\ntwo [[there|x]]")
    assert link == Link("there", "wiki", None, "x", 2, 10, 15)
