"""Commands on memories: what they say to people, to programs, and with which status they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.surfaces.command_line import CommandLine

from omoide import Memory
from omoide.serve.codes import EXITS


def test_a_statement_need_not_be_quoted_and_is_found_again(cli: CommandLine) -> None:
    assert cli("remember", "lives", "in", "Osaka", "--subject", "user").out == "Remembered as 1.\n"
    assert "lives in Osaka" in cli("recall", "where", "does", "the", "user", "live").out


@pytest.mark.parametrize(
    "text", ["東京タワーの近くに住んでいる", "vit à Orléans, près de l'église", "🦊 'quotes\" --dash"]
)
def test_any_language_goes_in_and_comes_out(cli: CommandLine, text: str) -> None:
    memory_id = cli.json("remember", "--", text)["id"]
    assert cli.json("get", str(memory_id))["text"] == text
    assert cli("get", str(memory_id)).out.startswith(text)


def test_a_text_comes_from_standard_input(cli: CommandLine) -> None:
    cli("remember", "-", stdin="一行目\n二行目\n".encode())
    assert cli.json("get", "1")["text"] == "一行目\n二行目"


def test_standard_input_that_is_not_utf8_is_refused(cli: CommandLine) -> None:
    said = cli("remember", "-", stdin=b"caf\xe9", status=2)
    assert "standard input is not UTF-8" in said.err
    assert not cli.store.exists()


def test_options_reach_the_memory(cli: CommandLine) -> None:
    cli(
        "remember", "x is y", "--kind", "decision", "--tag", "a", "--tag", "b", "--importance", "8",
        "--valid-from", "2026-05-01", "--metadata", "team=ops", "--metadata", "n=3", "--pinned", "--confidence", "0.5",
    )  # fmt: skip
    record = cli.json("get", "1")
    assert (record["kind"], record["tags"], record["importance"]) == ("decision", ["a", "b"], 8)
    assert record["metadata"] == {"team": "ops", "n": 3}
    assert record["valid_from"] == "2026-05-01T00:00:00.000000+00:00"
    assert (record["pinned"], record["confidence"]) == (True, 0.5)


@pytest.mark.parametrize("where", ['{"team": "ops"}', "team=ops", '{"n": {"$gte": 2}}'])
def test_a_filter_is_json_or_a_pair(cli: CommandLine, where: str) -> None:
    cli("remember", "deploys on Fridays", "--metadata", '{"team": "ops", "n": 3}')
    cli("remember", "deploys on Mondays", "--metadata", "team=docs", "--metadata", "n=1")
    assert [hit["id"] for hit in cli.json("recall", "deploys", "--where", where)["results"]] == [1]


def test_revise_why_diff_and_timeline_tell_the_history(cli: CommandLine) -> None:
    cli("remember", "lives in Osaka", "--subject", "user", "--valid-from", "2026-01-10")
    cli("revise", "1", "lives in Tokyo", "--valid-from", "2026-05-01")
    assert [version["cause"] for version in cli.json("why", "1")["versions"]] == ["remember", "kept", "revise"]
    assert [pair["new"]["text"] for pair in cli.json("diff", "2026-01-01")["revised"]] == ["lives in Tokyo"]
    assert [version["text"] for version in cli.json("timeline", "user")["versions"]] == [
        "lives in Osaka",
        "lives in Tokyo",
    ]
    past = cli.json("recall", "lives", "--valid-at", "2026-02-01")["results"]
    assert [hit["text"] for hit in past] == ["lives in Osaka"]


def test_supersede_takes_ids_and_a_text(cli: CommandLine) -> None:
    cli("remember", "has a cat")
    cli("remember", "has a dog")
    made = cli.json("supersede", "1", "2", "has a cat and a dog")["id"]
    assert cli.json("why", str(made))["supersedes"] == [1, 2]


def test_reject_and_unreject(cli: CommandLine) -> None:
    cli("remember", "likes spam")
    assert cli.json("reject", "1") == {"ids": [1]}
    assert cli("remember", "likes spam", status=EXITS["rejected_value"]).err.startswith("Rejected value: ")
    assert cli.json("unreject", "likes spam") == {"changed": True}
    cli("remember", "likes spam")


def test_check_ends_with_1_when_something_is_wrong(cli: CommandLine) -> None:
    cli("remember", "a")
    assert cli("check").out == "Everything is in order.\n"
    assert cli.json("verify", f"9:{64 * '0'}", status=1)["findings"]


def test_backup_makes_a_store(cli: CommandLine, tmp_path: Path) -> None:
    cli("remember", "a fox")
    copy = tmp_path / "copy.db"
    assert cli.json("backup", str(copy)) == {"path": str(copy)}
    assert cli.json("list", "--store", str(copy))["results"][0]["text"] == "a fox"


def test_documents_are_added_searched_and_deleted(cli: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "deploy.md").write_text("# Deploy\n\nRun make deploy.\n", encoding="utf-8")
    assert cli.json("add", str(tmp_path / "docs"))["counts"] == {"added": 1}
    assert cli("add", "-", stdin="本番は金曜日".encode()).out == "Added as document 2.\n"
    assert cli.json("search", "deploy")["results"][0]["document_id"] == 1
    cli("delete-document", "1", "--yes")
    assert [row["id"] for row in cli.json("documents")["results"]] == [2]


def test_a_read_makes_no_store(cli: CommandLine) -> None:
    said = cli("recall", "anything")
    assert said.out == "Nothing found.\n"
    assert "There is no store at" in said.err
    assert cli("get", "1", status=3).err.endswith("Not found: there is no memory 1 here at that time\n")
    assert cli("check", status=3).out == ""
    assert not cli.store.exists()


def test_a_search_says_that_it_went_by_words_only(cli: CommandLine) -> None:
    cli("remember", "a fox")
    assert "--wait" in cli("recall", "fox").err
    answer = cli.json("recall", "fox")
    assert answer["degraded"] is True
    assert answer["reasons"] == ["the model was not waited for; --wait searches by meaning too"]


def test_a_blank_question_finds_nothing_and_none_lists(cli: CommandLine) -> None:
    cli("remember", "a fox")
    assert cli.json("recall", "")["results"] == []
    assert len(cli.json("recall")["results"]) == 1


def test_a_pipe_gets_one_line_a_row(cli: CommandLine) -> None:
    cli("remember", "first\nsecond\tthird", "--subject", "s")
    (line,) = cli("list").out.splitlines()
    assert line.split("\t")[:3] == ["1", "first second third", "s"]


def test_nothing_stored_can_steer_a_terminal(cli: CommandLine) -> None:
    cli("remember", "a\x1b[2J\x07\u202eb")
    for said in (cli("list"), cli("get", "1"), cli("recall", "a"), cli("why", "1")):
        assert not {"\x1b", "\x07", "\u202e"} & set(said.out)
    assert cli.json("get", "1")["text"] == "a\x1b[2J\x07\u202eb"


def test_what_a_script_writes_is_observed_by_the_command_line(cli: CommandLine) -> None:
    cli("remember", "a fox")
    record = cli.json("get", "1")
    assert (record["trust"], record["provenance"]["door"]) == ("observed", "cli")
    cli("remember", "an owl", "--trust", "stated")
    assert cli.json("get", "2")["trust"] == "observed"


def test_the_library_sees_what_a_command_wrote(cli: CommandLine) -> None:
    cli("remember", "a fox", "--namespace", "den")
    with Memory(cli.store, "den", embedder="none") as memory:
        assert [hit.text for hit in memory.recall("fox")] == ["a fox"]
    assert cli.json("list")["results"] == []


class TestConsent:
    """Something is destroyed only when somebody agrees."""

    @pytest.fixture(autouse=True)
    def _known(self, cli: CommandLine) -> None:
        cli("remember", "a fox", "--subject", "s", "--source", "web")
        cli("remember", "an owl", "--subject", "s")

    @pytest.mark.parametrize(
        "words", [("purge", "1"), ("purge", "--everything"), ("forget", "--subject", "s"), ("undo", "some-batch")]
    )
    def test_a_script_needs_yes(self, cli: CommandLine, words: tuple[str, ...]) -> None:
        said = cli(*words, status=EXITS["not_confirmed"])
        assert "--yes" in said.err
        assert len(cli.json("list")["results"]) == 2

    @pytest.mark.parametrize(
        "words, ids",
        [
            (("purge", "1"), [1]),
            (("purge", "--subject", "s"), [1, 2]),
            (("purge", "--source", "web"), [1]),
            (("purge", "--everything"), [1, 2]),
            (("forget", "--subject", "s"), [1, 2]),
            (("forget", "1"), [1]),
        ],
    )
    def test_a_trial_shows_what_would_go_and_changes_nothing(
        self, cli: CommandLine, words: tuple[str, ...], ids: list[int]
    ) -> None:
        said = cli(*words, "--dry-run").out
        assert ("a fox" in said, "an owl" in said) == (1 in ids, 2 in ids)
        shown = cli.json(*words, "--dry-run")
        assert sorted(shown.get("ids") or [row["id"] for row in shown["memories"]]) == ids
        assert len(cli.json("list")["results"]) == 2

    def test_yes_goes_on(self, cli: CommandLine) -> None:
        assert cli.json("purge", "1", "--yes")["purged_ids"] == [1]
        assert cli.json("forget", "--subject", "s", "-y")["ids"] == [2]

    def test_one_memory_is_forgotten_without_asking_because_it_can_be_restored(self, cli: CommandLine) -> None:
        assert cli("forget", "1").out == "1 memory forgotten: 1\n"
        assert cli("restore", "1").out == "Memory 1 is back.\n"


def test_json_errors_carry_the_code(cli: CommandLine) -> None:
    said = cli("revise", "7", "x", "--json", status=3)
    assert said.out == ""
    assert json.loads(said.err) == {"error": {"code": "not_found", "message": "there is no memory 7 here"}}


def test_a_store_without_a_model_is_searched_by_words_and_nothing_is_missing(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMOIDE_EMBEDDER", "none")
    cli("remember", "a fox")
    answer = cli.json("recall", "fox")
    assert (answer["degraded"], answer["reasons"]) == (False, [])


@pytest.mark.model
def test_what_is_written_without_the_model_waits_for_its_vector(cli: CommandLine) -> None:
    cli("remember", "a fox")
    stats = cli.json("stats")["default"]
    assert stats["pending_vectors"] == 1
    assert stats["embedder"]
    cli("remember", "an owl", "--wait")
    assert cli.json("stats")["default"]["pending_vectors"] < 2


@pytest.mark.model
def test_waiting_for_the_model_finds_by_meaning(cli: CommandLine) -> None:
    cli("remember", "the cat sleeps on the sofa")
    cli("remember", "the invoice is due in March")
    answer = cli.json("recall", "où dort le chat ?", "--wait", "-k", "1")
    assert answer["reasons"] == []
    assert answer["results"][0]["id"] == 1
    assert answer["results"][0]["vector_score"] is not None


def test_a_copy_is_merged_and_an_export_is_taken_in(cli: CommandLine, tmp_path: Path) -> None:
    cli("remember", "only there", "--store", str(tmp_path / "other.db"))
    cli("export", str(tmp_path / "other.jsonl"), "--store", str(tmp_path / "other.db"))
    cli("remember", "only here")
    assert cli.json("merge", str(tmp_path / "other.db"), "--dry-run")["dry_run"] is True
    assert len(cli.json("merge", str(tmp_path / "other.db"))["added"]) == 1
    assert cli.json("import", str(tmp_path / "other.jsonl"))["known"] == 1
    assert {row["text"] for row in cli.json("list")["results"]} == {"only here", "only there"}
    assert cli("dump").out.startswith("# omoide dump")


def test_a_batch_is_undone(cli: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nalpha\n", encoding="utf-8")
    batch = cli.json("add", str(tmp_path / "a.md"))["batch"]
    assert cli.json("undo", batch, "--dry-run")["what"] == {"batch": batch}
    assert cli.json("undo", batch, "--yes")["documents"] == [1]
    assert cli.json("search", "alpha")["results"] == []
