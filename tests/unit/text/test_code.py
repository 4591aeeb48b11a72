"""Source code by its syntax: every language names what is defined where."""

from __future__ import annotations

import sys

import pytest

from omoide.text.chunkers import cut
from omoide.text.chunking import syntax
from omoide.text.chunking.languages import LANGUAGES

GO = """package main

import "fmt"

// Add adds.
func Add(a, b int) int {
	return a + b
}

type Point struct {
	X int
}

func (p *Point) Len() int { return p.X }
"""
SCRIPT = """import x from "y";
/** About A. */
export class A extends B {
  constructor() { super(); }
  /** About m. */
  async m(a) { return 1; }
}
export const add = (a, b) => a + b;
export default function main() { return 2; }
"""
TYPED = "interface Shape { area(): number }\ntype Id = string;\nenum E { A }\nnamespace N { function f() {} }\n"
RUST = """use std::fmt;
/// About P.
#[derive(Debug)]
pub struct P { x: i32 }
impl fmt::Display for P {
    // « é »
    fn fmt(&self) -> u8 { 1 }
    fn other(&self) -> u8 { 2 }
}
"""
JAVA = """package a;
/** About Foo. */
@Ann
public class Foo<T> {
  Foo() {}
  @Override public int bar() { return 1; }
}
"""
C = """#include <x.h>
#ifdef X
static char *name(int a) { return 0; }
#endif
struct point { int x; };
typedef struct { int a; } Foo;
"""
CPP = """namespace geo {
template <typename T> class P {
public:
  int f() const { return 1; }
};
}
int geo::add(int a) { return a; }
"""


def headings(text: str, language: str, size: int = 60) -> list[str]:
    return [piece.heading for piece in cut(text, language, size=size, overlap=0)]


@pytest.mark.parametrize(
    "language, text, expected",
    [
        ("go", GO, ["func Add", "type Point", "func (p *Point) Len"]),
        (
            "javascript",
            SCRIPT,
            ["class A", "class A > method constructor", "class A > method m", "add", "function main"],
        ),
        ("typescript", TYPED, ["interface Shape", "type Id", "enum E", "namespace N"]),
        ("tsx", "const App = () => <p>hi</p>;\nfunction B() { return <b/>; }\n", ["App", "function B"]),
        ("rust", RUST, ["struct P", "impl fmt::Display for P > fn fmt", "impl fmt::Display for P > fn other"]),
        ("java", JAVA, ["class Foo", "class Foo > constructor Foo", "class Foo > method bar"]),
        ("c", C, ["function name", "struct point", "typedef Foo"]),
        ("cpp", CPP, ["namespace geo > class P", "namespace geo > class P > function f", "function geo::add"]),
    ],
)
def test_definitions_are_named_with_what_encloses_them(language: str, text: str, expected: list[str]) -> None:
    found = headings(text, language)
    assert [name for name in expected if name not in found] == []


def test_comments_and_attributes_above_belong_to_a_definition() -> None:
    piece = next(piece for piece in cut(RUST, "rust", size=70, overlap=0) if piece.heading == "struct P")
    assert "/// About P.\n#[derive(Debug)]\npub struct P" in piece.text


def test_wide_characters_do_not_move_a_cut() -> None:
    text = "// 日本語のコメント 🎌\nfn a() {}\n\n// é\nfn b() {}\n"
    assert [piece.text for piece in cut(text, "rust")] == ["// 日本語のコメント 🎌\nfn a() {}\n\n", "// é\nfn b() {}\n"]


def test_the_suffix_names_the_language() -> None:
    assert cut(GO, "code", path="x/main.go")[0].heading == "func Add"


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_broken_code_is_cut_all_the_same(language: str) -> None:
    text = "class { fn ((( }}} func\n" * 40
    assert "".join(piece.text for piece in cut(text, language, size=80, overlap=0)) == text


def test_without_the_extra_code_is_cut_at_blank_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    syntax._parser.cache_clear()
    try:
        pieces = cut(GO, "go", size=70, overlap=0)
        assert "".join(piece.text for piece in pieces) == GO
        assert not syntax.has_grammar("go")
        assert not any(piece.heading for piece in pieces)
    finally:
        syntax._parser.cache_clear()
