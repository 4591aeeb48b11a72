"""The table of operations: complete, described, the same at every door, and true about what it does to a store."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.surfaces import scene_files
from tests.surfaces.command_line import CommandLine

from omoide.errors import InvalidInputError, NotFoundError
from omoide.model.arguments import ToolCallError, strict_schema
from omoide.ops import OPERATIONS, Faces, Operation, run

Arguments = dict[str, Any]


@dataclass(frozen=True)
class Scene:
    """Arguments with which an operation does something on the store of ``prepared``; ``files`` are made first."""

    arguments: Arguments = field(default_factory=dict)
    before: tuple[tuple[str, Arguments], ...] = ()


FORGOTTEN = (("forget", {"id": 1}),)
REJECTED = (("reject", {"id": 1}),)
PROPOSED: tuple[tuple[str, Arguments], ...] = (
    ("remember", {"text": "the limit is 10 requests", "subject": "api", "valid_from": "2026-01-01"}),
    ("remember", {"text": "the limit is 20 requests", "subject": "api", "valid_from": "2026-02-01"}),
    ("sleep", {}),
)
SAID = (("history_save", {"text": "Rotated the token.", "session": "s-1"}),)
SCENES: dict[str, Scene] = {
    "remember": Scene({"text": "has a dog", "subject": "user", "tags": ["pets"], "metadata": {"n": 1}}),
    "revise": Scene({"id": 1, "text": "lives in Tokyo"}),
    "update": Scene({"id": 1, "text": "lives in Ōsaka"}),
    "supersede": Scene({"ids": [1, 2], "text": "lives in Osaka with a cat"}),
    "forget": Scene({"id": 1}),
    "restore": Scene({"id": 1}, FORGOTTEN),
    "reject": Scene({"id": 1}),
    "unreject": Scene({"text": "lives in Osaka", "subject": "user"}, REJECTED),
    "confirm": Scene({"id": 1, "source": "a letter"}),
    "dispute": Scene({"id": 1, "reason": "moved"}),
    "purge": Scene({"id": 1}),
    "recall": Scene({"query": "Osaka", "k": 2}),
    "get": Scene({"id": 1}),
    "list": Scene({"limit": 1}),
    "inspect": Scene(),
    "links": Scene({"note": "mine.md"}),
    "rename_note": Scene({"note": "mine.md", "new": "yours.md", "go": True}),
    "adopt_note": Scene({"note": "mine.md", "subject": "me"}),
    "read": Scene({"id": 1, "level": "abstract"}),
    "trace": Scene({"id": 1}),
    "feedback": Scene({"id": 1, "direction": "boost"}),
    "remember_many": Scene({"items": '{"text": "has a dog"}\n{"text": " "}'}),
    "why": Scene({"id": 1}, (("revise", {"id": 1, "text": "lives in Tokyo"}),)),
    "diff": Scene({"since": "2020-01-01"}),
    "timeline": Scene({"subject": "user"}),
    "stats": Scene(),
    "conflicts": Scene({}, (("dispute", {"id": 1, "reason": "moved"}),)),
    "subjects": Scene(),
    "rename_subject": Scene({"old": "user", "new": "Robert"}),
    "alias_subject": Scene({"name": "Bob", "of": "user"}),
    "unalias_subject": Scene({"name": "Bob"}, (("alias_subject", {"name": "Bob", "of": "user"}),)),
    "exclusive": Scene({"predicate": "city"}),
    "check_sources": Scene(),
    "sleep": Scene(),
    "sleep_settings": Scene({"changes": {"after_sessions": 5}}),
    "proposals": Scene({}, PROPOSED),
    "explain_proposal": Scene({"proposal": "@proposal"}, PROPOSED),
    "accept": Scene({"proposals": ["@proposal"]}, PROPOSED),
    "refuse": Scene({"proposals": ["@proposal"]}, PROPOSED),
    "history_save": Scene({"text": "Moved the token check.", "tags": ["auth"]}),
    "history_search": Scene({"query": "token"}, SAID),
    "history_grep": Scene({"pattern": "token"}, SAID),
    "history_read": Scene({"segment_id": "s-1"}, SAID),
    "history_list": Scene({}, SAID),
    "ingest": Scene({"path": "@transcript"}),
    "sessions": Scene({}, SAID),
    "history_status": Scene({}, SAID),
    "retention_preview": Scene({}, SAID),
    "retention_run": Scene({}, SAID),
    "unarchive": Scene({"segment_id": "@archived"}),
    "history_archive": Scene({"segment_id": "@saved"}),
    "history_erase": Scene({"segment_id": "@saved"}),
    "domains": Scene({}, (("history_save", {"text": "Rotated the token.", "domain": "auth"}),)),
    "choose_domains": Scene({"project": "omoide", "names": ["auth", "search"]}),
    "context": Scene({"subject": ["user"]}),
    "captures": Scene({}, SAID),
    "ack": Scene({"session": "@left", "reason": "seen"}),
    "injected": Scene({}, SAID),
    "native_import": Scene({"paths": ["@note"]}),
    "native_write": Scene({"path": "@note"}),
    "undo": Scene({"batch": "@batch"}),
    "search": Scene({"query": "deploy"}),
    "add": Scene({"text": "Release on Mondays.", "source": "release.md"}),
    "add_files": Scene({"paths": ["@folder"]}),
    "document": Scene({"id": 1}),
    "documents": Scene({"limit": 5}),
    "update_document": Scene({"id": 1, "text": "Deploy on Mondays."}),
    "delete_document": Scene({"id": 1}),
    "document_stats": Scene(),
    "check": Scene(),
    "rebuild": Scene(),
    "repair": Scene(),
    "backup": Scene({"path": "@new.db"}),
    "convert": Scene({"path": "@vault"}),
    "export": Scene({"path": "@new.jsonl"}),
    "import": Scene({"path": "@exported"}),
    "dump": Scene(),
    "merge": Scene({"path": "@other"}),
    "audit": Scene(),
    "head": Scene(),
    "verify": Scene(),
}


VAULTS: frozenset[str] = frozenset({"inspect", "links", "rename_note", "adopt_note"})
"""Operations whose scene plays in a vault: a folder of that name."""


def prepared(path: Path, name: str | None = None) -> Faces:
    """Return the faces of a store that knows two memories and a document; ``name`` is the operation to be played."""
    if name in VAULTS:
        path.mkdir()
        (path / "mine.md").write_text("# Mine\n\nsee [[nowhere]]\n", encoding="utf-8")
    faces = Faces(path, embedder="none", door="cli")
    run(faces, "remember", {"text": "lives in Osaka", "subject": "user", "valid_from": "2026-01-10"})
    run(faces, "remember", {"text": "has a cat", "subject": "user"})
    run(faces, "add", {"text": "Deploy on Fridays.", "source": "deploy.md"})
    return faces


def filled(arguments: Arguments, folder: Path, faces: Faces) -> Arguments:
    """Put paths and ids that only exist now in the place of the names that stand for them."""
    values: dict[str, Callable[[], Any]] = {
        "@batch": lambda: scene_files.batch(faces),
        "@proposal": lambda: faces("memory").proposals(None)[0].id,
        "@folder": lambda: scene_files.folder(folder),
        "@archived": lambda: scene_files.archived(faces),
        "@saved": lambda: str(faces("history").save("Rotated the token.", project="")),
        "@left": lambda: scene_files.left(faces),
        "@transcript": lambda: scene_files.transcript(folder),
        "@note": lambda: scene_files.note(folder),
        "@vault": lambda: f"{folder / 'notes'}/",
        "@new.db": lambda: str(folder / "copy.db"),
        "@new.jsonl": lambda: str(folder / "copy.jsonl"),
        "@exported": lambda: scene_files.exported(folder),
        "@other": lambda: scene_files.other(folder),
    }

    def value(given: Any) -> Any:
        if isinstance(given, list):
            return [value(each) for each in given]
        return values[given]() if isinstance(given, str) and given in values else given

    return {name: value(given) for name, given in arguments.items()}


def played(name: str, faces: Faces, folder: Path) -> Any:
    """Play the scene of an operation and return its result."""
    scene = SCENES[name]
    for operation, arguments in scene.before:
        run(faces, operation, arguments)
    return run(faces, name, filled(scene.arguments, folder, faces))


@pytest.fixture
def faces(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Faces]:
    """The faces of the prepared store, closed at the end."""
    played_here = getattr(request.node, "callspec", None)
    with prepared(tmp_path / "agents.db", played_here and played_here.params.get("name")) as made:
        yield made


def state(faces: Faces) -> str:
    """Return where the audit chain ends: what changes beliefs or documents moves it."""
    return str(run(faces, "head", {})["head"])


ALL = pytest.mark.parametrize("name", OPERATIONS)


class TestTable:
    """What the table says of each operation."""

    def test_every_operation_has_a_scene(self) -> None:
        assert SCENES.keys() == OPERATIONS.keys()

    @ALL
    def test_everything_is_described(self, name: str) -> None:
        operation = OPERATIONS[name]
        assert operation.summary.endswith(".")
        assert all(str(each.schema["description"]).endswith((".", "]")) for each in operation.parameters), name

    @ALL
    def test_no_argument_names_a_namespace(self, name: str) -> None:
        assert not [each for each in OPERATIONS[name].schema()["properties"] if "namespace" in each]

    @ALL
    def test_the_schemas_are_schemas(self, name: str) -> None:
        operation = OPERATIONS[name]
        Draft202012Validator.check_schema(operation.schema())
        Draft202012Validator.check_schema(operation.result_schema)
        Draft202012Validator.check_schema(strict_schema(operation.schema()))

    @ALL
    def test_what_is_asked_at_one_level_is_asked_at_all_above(self, name: str) -> None:
        core, full = OPERATIONS[name].schema(1), OPERATIONS[name].schema(2)
        assert core["required"] == full["required"]
        assert core["properties"].keys() <= full["properties"].keys()

    @ALL
    def test_every_place_of_a_route_is_an_argument(self, name: str) -> None:
        operation = OPERATIONS[name]
        for route in operation.doors.http:
            assert set(re.findall(r"{(\w+)}", route.path)) <= operation.schema()["properties"].keys()
            assert (route.method == "GET") <= (operation.effect == "read")

    def test_no_two_operations_share_a_route_or_a_command(self) -> None:
        routes = [(route.method, route.path) for each in OPERATIONS.values() for route in each.doors.http]
        commands = [each.doors.cli for each in OPERATIONS.values() if each.doors.cli]
        assert len(set(routes)) == len(routes)
        assert len(set(commands)) == len(commands)

    @ALL
    def test_the_core_tools_are_among_all_tools(self, name: str) -> None:
        doors = OPERATIONS[name].doors
        assert doors.mcp_core <= doors.mcp_full

    @ALL
    def test_what_reaches_the_disk_is_offered_to_the_person_at_it_alone(self, name: str) -> None:
        doors, schema = OPERATIONS[name].doors, OPERATIONS[name].schema()
        if {"path", "paths", "root"} & schema["properties"].keys():
            assert (doors.mcp_full, doors.http) == (False, ())


class TestEffects:
    """What an operation does is what the table says."""

    @ALL
    def test_the_result_has_the_shape_that_is_promised(self, name: str, faces: Faces, tmp_path: Path) -> None:
        result = played(name, faces, tmp_path)
        Draft202012Validator(OPERATIONS[name].result_schema).validate(json.loads(json.dumps(result)))
        rows = OPERATIONS[name].rows
        assert rows is None or isinstance(result[rows], list)

    @pytest.mark.parametrize("name", [name for name, each in OPERATIONS.items() if each.effect == "read"])
    def test_a_read_changes_nothing(self, name: str, faces: Faces, tmp_path: Path) -> None:
        for operation, arguments in SCENES[name].before:
            run(faces, operation, arguments)
        before = state(faces)
        run(faces, name, filled(SCENES[name].arguments, tmp_path, faces))
        assert state(faces) == before

    @pytest.mark.parametrize("name", [name for name, each in OPERATIONS.items() if each.effect == "destroy"])
    def test_what_destroys_is_in_the_audit(self, name: str, faces: Faces, tmp_path: Path) -> None:
        before = state(faces)
        played(name, faces, tmp_path)
        assert state(faces) != before

    @pytest.mark.parametrize("name", [name for name, each in OPERATIONS.items() if each.idempotent])
    def test_a_repeat_of_what_is_idempotent_changes_nothing_more(self, name: str, faces: Faces, tmp_path: Path) -> None:
        for operation, given in SCENES[name].before:
            run(faces, operation, given)
        arguments = filled(SCENES[name].arguments, tmp_path, faces)
        if name == "backup":
            arguments["overwrite"] = True
        run(faces, name, arguments)
        before = beliefs(faces)
        try:
            run(faces, name, arguments)
        except NotFoundError:  # what is gone cannot go again
            assert OPERATIONS[name].effect == "destroy"
        assert beliefs(faces) == before


def beliefs(faces: Faces) -> Any:
    """Return all that answers could tell apart."""
    return settled([run(faces, "list", {"include_retracted": True}), run(faces, "documents", {})])


VOLATILE = ("timings", "uid", "hash", "head", "seconds")


def settled(value: Any) -> Any:
    """Return a result with what differs between two runs of one scene made equal: times, hashes, durations, paths."""
    if isinstance(value, dict):
        return {name: "..." if name in VOLATILE else settled(each) for name, each in value.items()}
    if isinstance(value, list):
        return [settled(each) for each in value]
    if isinstance(value, str):
        text = re.sub(r"20\d\d-\d\d-\d\dT[\d:.]+(\+00:00|Z)", "<time>", value)
        return re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}", "<uid>", text)
    return value


class TestCommandLine:
    """Each operation does at the command line what it does in the table."""

    @pytest.mark.parametrize("name", [name for name, each in OPERATIONS.items() if each.doors.cli])
    def test_the_same_result(self, name: str, cli: CommandLine, tmp_path: Path) -> None:
        with prepared(tmp_path / "expected.db", name) as faces:
            expected = played(name, faces, tmp_path)
        with prepared(cli.store, name) as faces:
            for operation, arguments in SCENES[name].before:
                run(faces, operation, arguments)
            (tmp_path / "mine").mkdir()
            arguments = filled(SCENES[name].arguments, tmp_path / "mine", faces)
        words = [*line_of(OPERATIONS[name], arguments), "--yes"]
        got = cli.json(*words, status=None)
        if name in ("recall", "search", "history_search"):
            got |= {"degraded": False, "reasons": []}
        assert settled(no_folder(got, tmp_path)) == settled(no_folder(expected, tmp_path))


def no_folder(value: Any, folder: Path) -> Any:
    text = json.dumps(value).replace(json.dumps(str(folder / "mine"))[1:-1], "<folder>")
    return json.loads(text.replace(json.dumps(str(folder))[1:-1], "<folder>"))


def line_of(operation: Operation, arguments: Arguments) -> list[str]:
    """Return the words of a command that stands for a call."""
    assert operation.doors.cli is not None
    words, options = [], []
    for parameter in operation.parameters:
        value = arguments.get(parameter.name)
        if value is None:
            continue
        values = value if isinstance(value, list) else [value]
        texts = [json.dumps(each) if isinstance(each, dict) else str(each) for each in values]
        if parameter.positional:
            words += texts
        elif isinstance(value, bool):
            options += [f"--{parameter.option}"]
        else:
            options += [part for text in texts for part in (f"--{parameter.option}", text)]
    return [operation.doors.cli, *options, *words]


class TestRefusals:
    """A call that makes no sense is told why, whatever the operation."""

    @ALL
    def test_an_unknown_argument(self, name: str, faces: Faces) -> None:
        with pytest.raises(ToolCallError, match=f"{name}: (unknown argument|argument)"):
            run(faces, name, {"namespace": "other"})

    @pytest.mark.parametrize("name", [name for name, each in OPERATIONS.items() if each.schema()["required"]])
    def test_a_missing_argument(self, name: str, faces: Faces) -> None:
        with pytest.raises(ToolCallError, match=f"{name}: argument '.*' is missing"):
            run(faces, name, {})

    @pytest.mark.parametrize(
        "name", [name for name, each in OPERATIONS.items() if "id" in each.schema()["properties"] and name != "purge"]
    )
    def test_an_id_that_is_not_there(self, name: str, faces: Faces) -> None:
        more = {"text": "x"} if name in ("revise", "update", "update_document") else {}
        more |= {"direction": "boost"} if name == "feedback" else {}
        with pytest.raises(NotFoundError, match="99"):
            run(faces, name, {"id": 99, **more})

    def test_an_unknown_operation(self, faces: Faces) -> None:
        with pytest.raises(ToolCallError, match="there is no operation 'nap'"):
            run(faces, "nap", {})

    def test_an_update_of_nothing(self, faces: Faces) -> None:
        for name in ("update", "update_document"):
            with pytest.raises(InvalidInputError, match="needs a text or metadata"):
                run(faces, name, {"id": 1})

    def test_a_blank_question_is_a_question(self, faces: Faces) -> None:
        assert run(faces, "recall", {"query": ""})["results"] == []
        assert len(run(faces, "recall", {})["results"]) == 2

    def test_a_list_says_that_there_is_more(self, faces: Faces) -> None:
        assert run(faces, "list", {"limit": 1})["truncated"] is True
        assert run(faces, "list", {"limit": 2})["truncated"] is False
