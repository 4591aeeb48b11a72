"""Dependencies point one way: a lower part of the house never imports a higher one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import omoide

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "omoide"

# Lowest first. Names on one line are of one height and may import each other.
HEIGHTS: list[tuple[str, ...]] = [
    ("beside", "types"),
    ("errors",),
    ("ports",),
    ("model",),
    ("text",),
    ("embed", "transcripts"),
    ("search",),
    ("store",),
    ("vault",),
    ("verbs", "tools", "aio", "deferred"),
    ("sleep",),
    ("faces", "maintenance", "handle", "memory", "index", "history"),
    ("ops", "shaping"),
    ("serve", "server"),
    ("capture",),
    ("integrations",),
    ("migrate",),
    ("compat",),
    ("testing", "__main__"),
]
HEIGHT = {name: height for height, names in enumerate(HEIGHTS) for name in names}
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def part_of(path: Path) -> str:
    """Return the top-level name below the package to which a file belongs."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def called(node: ast.Call) -> str:
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


def runtime_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield every node that runs, whatever its depth."""
    for child in ast.iter_child_nodes(tree):
        if is_type_checking(child):
            assert isinstance(child, ast.If)
            for other in child.orelse:
                yield other
                yield from runtime_nodes(other)
        else:
            yield child
            yield from runtime_nodes(child)


def absolute(node: ast.ImportFrom, path: Path) -> str:
    """Return the absolute name of the module that a ``from`` names."""
    if not node.level:
        return node.module or ""
    package = ["omoide", *path.relative_to(PACKAGE).parts[:-1]]
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def imported_names(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and absolute name of everything that a file imports when it runs."""
    for node in runtime_nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node.lineno, f"{absolute(node, path)}.{alias.name}"
        elif isinstance(node, ast.Call) and called(node) in ("import_module", "deferred"):
            yield from ((node.lineno, str(arg.value)) for arg in node.args if isinstance(arg, ast.Constant))


def target_of(name: str) -> str | None:
    """Return the part that an imported name lives in; None for other packages and the version."""
    if name != "omoide" and not name.startswith("omoide."):
        return None
    first = [*name.split("."), ""][1]
    if first in ("__version__", "TYPE_CHECKING"):
        return None
    return omoide._HOMES.get(first, f"omoide.{first}").split(".")[1]


def test_every_part_has_a_height() -> None:
    unknown = {part_of(path) for path in MODULES} - set(HEIGHT)
    assert not unknown, f"give these a place in HEIGHTS: {sorted(unknown)}"


def test_no_module_imports_anything_above_itself() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} imports {name}"
        for path in MODULES
        for line, name in imported_names(path)
        if (target := target_of(name)) is not None and HEIGHT.get(target, len(HEIGHT)) > HEIGHT[part_of(path)]
    ]
    assert not wrong, "\n".join(wrong)


def test_imports_inside_functions_and_relative_ones_are_seen() -> None:
    source = "def f():\n    from ..memory import Memory\nif TYPE_CHECKING:\n    import omoide.serve\n"
    path = PACKAGE / "model" / "example.py"
    nodes = list(runtime_nodes(ast.parse(source)))
    (found,) = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    assert absolute(found, path) == "omoide.memory"
    assert not [node for node in nodes if isinstance(node, ast.Import)]
