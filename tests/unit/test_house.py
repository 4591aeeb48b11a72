"""House rules that a reader feels: short files, short functions, one place for each kind of dependency."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "omoide"
FOLDERS = [SOURCE, ROOT / "tests", ROOT / "bench", ROOT / "examples", ROOT / "models"]
FOREIGN = ROOT / "tests" / "contracts"  # suites written by others keep their shape
FILES = sorted(path for folder in FOLDERS for path in folder.rglob("*.py") if not path.is_relative_to(FOREIGN))

SOURCES = sorted(SOURCE.rglob("*.py"))

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60

ONE_PLATFORM = {"fcntl", "grp", "msvcrt", "posix", "pwd", "resource", "syslog", "termios", "tty", "winreg"}
DATABASES = {"apsw", "sqlite3"}
MAY_OPEN_DATABASES = ("store/sqlite/", "migrate/", "testing/", "transcripts/")  # the last reads those of other programs
OUTSIDE_WORLD = {"http", "pathlib", "shutil", "socket", "sqlite3", "subprocess", "tempfile", "urllib"}


# Where the name of a distribution is not that of its module.
MODULES_OF = {
    "charset-normalizer": "charset_normalizer",
    "google-re2": "re2",
    "omoide-e5-small": "omoide_e5_small",
    "pystemmer": "Stemmer",
    "pyyaml": "yaml",
}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def top_modules(nodes: list[ast.stmt]) -> Iterator[str]:
    """Yield the top-level names that unconditional imports among some statements bring in."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield str(node.module).split(".")[0]


def all_modules(path: Path) -> set[str]:
    return set(top_modules([node for node in ast.walk(tree_of(path)) if isinstance(node, ast.stmt)]))


def test_a_file_fits_one_reading() -> None:
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert not {name: length for name, length in lengths.items() if length > MAX_FILE_LINES}


def test_a_function_fits_one_screen() -> None:
    lengths = {
        f"{name_of(path)}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in FILES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert not {name: length for name, length in lengths.items() if length > MAX_FUNCTION_LINES}


def test_every_module_imports_on_every_platform() -> None:
    """What one platform lacks is imported where it is used, behind a check."""
    found = {name_of(path): set(top_modules(tree_of(path).body)) & ONE_PLATFORM for path in SOURCES}
    assert not {name: modules for name, modules in found.items() if modules}


def test_only_the_store_opens_databases() -> None:
    wrong = [
        name_of(path)
        for path in SOURCES
        if all_modules(path) & DATABASES and not path.relative_to(SOURCE).as_posix().startswith(MAY_OPEN_DATABASES)
    ]
    assert not wrong


def test_the_model_knows_nothing_of_the_outside_world() -> None:
    wrong = {
        name_of(path): sorted(found)
        for path in (SOURCE / "model").rglob("*.py")
        if (found := all_modules(path) & (OUTSIDE_WORLD | DATABASES))
    }
    assert not wrong


def test_no_file_is_executed_by_its_import_alone() -> None:
    """A package's ``__init__`` re-exports and does nothing else."""
    allowed = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.Expr, ast.If, ast.FunctionDef)
    wrong = [
        f"{name_of(path)}:{node.lineno}"
        for path in SOURCE.rglob("__init__.py")
        for node in tree_of(path).body
        if not isinstance(node, allowed)
    ]
    assert not wrong


def test_the_lock_names_only_the_public_index() -> None:
    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    registries = {package["source"].get("registry") for package in lock["package"]}
    files = [file for package in lock["package"] for file in package.get("wheels", [])]
    assert registries <= {None, "https://pypi.org/simple"}
    assert all(file["url"].startswith("https://files.pythonhosted.org/") for file in files)
    assert all(file["hash"].startswith("sha256:") for file in files)


def test_the_model_distribution_and_the_package_ask_for_the_same_python() -> None:
    manifests = [ROOT / "pyproject.toml", *(ROOT / "models").glob("*/pyproject.toml")]
    asked = {tomllib.loads(file.read_text(encoding="utf-8"))["project"]["requires-python"] for file in manifests}
    assert len(asked) == 1


def test_every_dependency_is_used_and_explained() -> None:
    manifest = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = {re.split(r"[^\w-]", line)[0].lower() for line in manifest["project"]["dependencies"]}
    sources = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    explained = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").lower()
    unused = {name for name in asked if not re.search(rf"(import |from |\"){MODULES_OF.get(name, name)}\b", sources)}
    assert not unused, f"nothing imports {sorted(unused)}"
    assert not {name for name in asked if f"`{name}`" not in explained}


def defined(path: Path) -> Iterator[str]:
    """Yield functions, classes, methods and constants that nothing outside of the package calls by their name."""
    for node in ast.walk(tree_of(path)):
        inherits = isinstance(node, ast.ClassDef) and node.bases  # its methods may be asked for by the base
        for each in node.body if isinstance(node, ast.Module | ast.ClassDef) and not inherits else []:
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield each.name
            elif isinstance(each, ast.Assign) and not isinstance(each.value, ast.Call):  # an async twin is a call
                yield from (target.id for target in each.targets if isinstance(target, ast.Name))


def test_nothing_is_defined_that_nobody_uses() -> None:
    """Every name of the package is said a second time, by other code, a test or a page."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    said = Counter(word for path in [*FILES, *pages] for word in re.findall(r"\w+", path.read_text(encoding="utf-8")))
    mirrors = ("src/omoide/compat/", "src/omoide/integrations/")  # names that other libraries ask for
    sources = [path for path in SOURCES if not name_of(path).startswith(mirrors)]
    names = {name: name_of(path) for path in sources for name in defined(path)}
    assert not {name: place for name, place in names.items() if said[name] == 1 and not name.startswith("__")}


def test_a_broad_except_raises_again_or_says_why_not() -> None:
    """No exception is swallowed: one that is caught whatever it is leaves as another, or a comment gives the reason."""
    for path in SOURCES:
        lines = path.read_text(encoding="utf-8").splitlines()
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ExceptHandler) and is_broad(node):
                handed_on = any(isinstance(each, ast.Raise) for each in ast.walk(node))
                assert handed_on or "#" in lines[node.lineno - 1], f"{name_of(path)}:{node.lineno}"


def is_broad(node: ast.ExceptHandler) -> bool:
    return node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"}
