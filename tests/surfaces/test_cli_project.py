"""Which store, namespace and project a command works on, and the configuration that says so."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.surfaces.command_line import CommandLine

from omoide.serve.project import project_of
from omoide.serve.settings import SETTINGS
from omoide.verbs.conversations.repository import repository_of

REMOTE = "git@github.com:acme/Billing.git"


def git(folder: Path, *words: str) -> None:
    """Run git without anybody's configuration."""
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *words],  # noqa: S607
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a remote and one commit."""
    root = tmp_path / "billing"
    (root / "src").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    git(root, "remote", "add", "origin", REMOTE)
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    return root


class TestProject:
    @pytest.mark.parametrize(
        "remote",
        [
            "git@github.com:acme/Billing.git",
            "https://github.com/acme/Billing",
            "https://user:secret@GitHub.com/acme/Billing.git",
            "ssh://git@github.com:22/acme/Billing.git/",
        ],
    )
    def test_a_remote_names_the_repository_whatever_the_protocol(self, repository: Path, remote: str) -> None:
        git(repository, "remote", "set-url", "origin", remote)
        project = project_of(repository / "src")
        assert project is not None
        assert project.name == "github.com/acme/Billing"
        assert (project.root, project.branch) == (repository, "main")
        asked, _ = repository_of(repository / "src")
        assert asked is not None
        assert asked.identity == project.name

    def test_a_worktree_is_of_the_same_repository(self, repository: Path, tmp_path: Path) -> None:
        git(repository, "worktree", "add", "-q", str(tmp_path / "fix"), "-b", "hotfix")
        project = project_of(tmp_path / "fix")
        assert project is not None
        assert project.name == "github.com/acme/Billing"
        assert (project.worktree, project.branch, project.tree) == ("fix", "hotfix", "github.com/acme/Billing#fix")

    def test_without_a_remote_the_root_folder_names_it_in_every_worktree(
        self, repository: Path, tmp_path: Path
    ) -> None:
        git(repository, "remote", "remove", "origin")
        git(repository, "worktree", "add", "-q", str(tmp_path / "fix"), "-b", "hotfix")
        one, other = project_of(repository), project_of(tmp_path / "fix")
        assert one is not None
        assert other is not None
        assert one.name == other.name == repository.resolve().as_posix()

    def test_a_folder_of_no_repository_is_of_no_project(self, tmp_path: Path) -> None:
        assert project_of(tmp_path) is None

    @pytest.mark.parametrize("content", ["", "nonsense", "gitdir: /nowhere/at/all", "gitdir:"])
    def test_a_broken_pointer_stops_nothing(self, tmp_path: Path, content: str) -> None:
        (tmp_path / ".git").write_text(content, encoding="utf-8")
        project = project_of(tmp_path)
        assert project is None or project.root == tmp_path

    @pytest.mark.parametrize("config", [b"", b"\xff\xfe[", b"[remote]\nurl", b'[remote "origin"]\nurl\n', b"x" * 9999])
    def test_a_broken_git_configuration_stops_nothing(self, repository: Path, config: bytes) -> None:
        (repository / ".git" / "config").write_bytes(config)
        project = project_of(repository)
        assert project is not None
        assert project.name == repository.resolve().as_posix()


class TestFiling:
    def test_what_is_written_in_a_repository_is_filed_under_it(
        self, cli: CommandLine, repository: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cli("remember", "tests run with make")
        monkeypatch.chdir(repository / "src")
        cli("remember", "tests run with tox")
        assert cli.json("get", "2")["project"] == "github.com/acme/Billing"
        assert cli.json("get", "1")["project"] is None

    def test_a_question_sees_its_project_and_what_is_of_none(
        self, cli: CommandLine, repository: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cli("remember", "tests run with make")
        cli("remember", "tests run with nose", "--project", "other")
        monkeypatch.chdir(repository)
        cli("remember", "tests run with tox")
        assert {hit["id"] for hit in cli.json("recall", "tests")["results"]} == {1, 3}
        assert {row["id"] for row in cli.json("list", "--project", "other")["results"]} == {1, 2}
        assert {row["id"] for row in cli.json("list", "--project", "none")["results"]} == {1, 2, 3}

    def test_a_store_named_on_the_line_is_taken_as_it_is(
        self, cli: CommandLine, repository: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cli("remember", "tests run with nose", "--project", "other")
        monkeypatch.chdir(repository)
        assert cli.json("list")["results"] == []
        assert len(cli.json("list", "--store", str(cli.store))["results"]) == 1


class TestConfiguration:
    def test_options_come_before_the_environment_before_the_file(
        self, cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cli("config", "set", "store", str(tmp_path / "file.db"))
        assert cli.json("config")["settings"]["store"] == {"value": str(cli.store), "from": "OMOIDE_STORE"}
        monkeypatch.delenv("OMOIDE_STORE")
        assert cli.json("config")["settings"]["store"] == {"value": str(tmp_path / "file.db"), "from": "config"}
        there = str(tmp_path / "line.db")
        assert cli.json("config", "-s", there)["settings"]["store"] == {"value": there, "from": "option"}
        cli("config", "unset", "store")
        assert cli.json("config")["settings"]["store"]["from"] == "default"

    def test_a_project_has_settings_of_its_own(
        self, cli: CommandLine, repository: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cli("config", "set", "namespace", "general")
        assert "belongs to no project" in cli("config", "set", "namespace", "x", "--here", status=2).err
        monkeypatch.chdir(repository)
        cli("config", "set", "namespace", "billing", "--here")
        assert cli("config", "get", "namespace").out == "billing\n"
        monkeypatch.chdir(cli.folder)
        assert cli("config", "get", "namespace").out == "general\n"

    def test_comments_in_the_file_stay(self, cli: CommandLine) -> None:
        cli.config.write_text('# mine\nlang = "en" # why\n\n[projects.x]\nnamespace = "y"\n', encoding="utf-8")
        cli("config", "set", "actor", "me")
        written = cli.config.read_text(encoding="utf-8")
        assert written.startswith('# mine\nlang = "en" # why\n')
        assert cli("config", "get", "actor").out == "me\n"
        assert '[projects.x]\nnamespace = "y"' in written

    def test_the_file_is_where_it_says(self, cli: CommandLine) -> None:
        assert cli("config", "path").out == f"{cli.config}\n"

    def test_every_setting_is_shown(self, cli: CommandLine) -> None:
        assert list(cli.json("config")["settings"]) == [setting.name for setting in SETTINGS]

    def test_init_makes_a_store_and_remembers_where(
        self, cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("OMOIDE_STORE")
        made = cli.json("init", str(tmp_path / "new" / "mine.db"))
        assert made == {"path": str(tmp_path / "new" / "mine.db"), "made": True, "namespace": "default"}
        cli("remember", "a fox")
        assert cli.json("init")["made"] is False
        assert cli.json("config")["settings"]["store"]["value"] == made["path"]

    def test_init_makes_a_vault(self, cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("OMOIDE_STORE")
        made = cli.json("init", "--vault", str(tmp_path / "mine"))
        assert made["path"] == f"{tmp_path / 'mine'}/"
        cli("remember", "a fox")
        (note,) = [file for file in (tmp_path / "mine").rglob("*.md") if file.name != "MEMORY.md"]
        assert note.read_text(encoding="utf-8").rstrip().endswith("a fox")
        assert cli.json("recall", "fox")["results"][0]["text"] == "a fox"

    def test_init_makes_a_vault_of_a_folder_with_notes_and_changes_none(
        self, cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("OMOIDE_STORE")
        folder = tmp_path / "Obsidian"
        folder.mkdir()
        (folder / "a note.md").write_text("mine\n", encoding="utf-8")
        assert cli.json("init", "--vault", str(folder))["made"] is True
        assert cli.json("init", "--vault", str(folder))["made"] is False
        assert (folder / "a note.md").read_text(encoding="utf-8") == "mine\n"

    def test_convert_makes_a_vault_of_a_file(self, cli: CommandLine, tmp_path: Path) -> None:
        cli("remember", "狐がいた")
        assert cli.json("convert", f"{tmp_path / 'notes'}/") == {"path": str(tmp_path / "notes")}
        assert cli.json("--store", f"{tmp_path / 'notes'}/", "list")["results"][0]["text"] == "狐がいた"

    def test_the_actor_is_named_in_the_audit(self, cli: CommandLine) -> None:
        cli("config", "set", "actor", "alice")
        cli("remember", "a fox")
        assert cli.json("audit")["results"][0]["actor"] == "alice"


class TestDoctor:
    def test_a_sound_store_is_healthy(self, cli: CommandLine) -> None:
        cli("remember", "a fox")
        said = cli.json("doctor")
        assert said["healthy"] is True
        assert {"omoide", "store", "check", "verify", "memories", "vectors", "spool"} <= {
            check["name"] for check in said["checks"]
        }

    def test_no_store_yet_is_no_fault(self, cli: CommandLine) -> None:
        (store,) = [check for check in cli.json("doctor")["checks"] if check["name"] == "store"]
        assert store["state"] == "warn"
        assert not cli.store.exists()

    def test_a_file_that_is_no_store_is_a_fault(self, cli: CommandLine) -> None:
        cli.store.write_bytes(b"not a database" * 400)
        assert cli.json("doctor", status=1)["healthy"] is False
