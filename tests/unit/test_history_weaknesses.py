"""What goes wrong in systems of this kind, each with the tests that show it does not go wrong here."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
SAME = "features/test_history_same_session.py"
HELD: dict[str, tuple[str, ...]] = {
    "W1 what was archived is not shown": (
        "features/test_history_segments.py::test_archived_segments_are_found_behind_the_others_and_come_back_whole",
        "features/test_history_weaknesses.py::test_an_archived_text_is_found_by_its_words_in_every_way",
    ),
    "W2 of what was archived only the summary is searched": (
        "features/test_history_weaknesses.py::test_an_archived_text_is_found_by_its_words_in_every_way",
    ),
    "W3 filters after the cut": (
        "features/test_history_segments.py::test_filters_come_before_the_cut",
        "features/test_history_find.py::test_every_filter_narrows_search_and_grep_alike",
        "features/test_history_find.py::test_filters_hold_before_the_cut_of_a_question_without_words",
    ),
    "W4 accents": ("features/test_history_weaknesses.py::test_accents_make_no_difference_to_a_search",),
    "W5 scripts that are not searched": (
        "features/test_history_segments.py::test_every_script_is_found_by_search_and_grep",
        "features/test_history_find.py::test_any_script_is_found_by_search_grep_and_fuzzy_grep",
    ),
    "W6 W7 ids that leave their folder or cannot be read": (
        "features/test_history_segments.py::test_every_id_that_is_made_can_be_read",
        "features/test_history_find.py::test_sessions_of_any_name_can_be_read",
        "features/test_history_weaknesses.py::test_labels_of_any_script_come_back_as_they_were",
    ),
    "W8 a missing id": (
        "features/test_history_segments.py::test_a_missing_id_and_a_part_that_cannot_be_are_errors",
    ),
    "W9 expressions that hang": (
        "features/test_history_find.py::test_no_pattern_takes_more_than_linear_time",
        "surfaces/test_mcp_process.py::test_slow_work_does_not_keep_the_others_waiting",
    ),
    "W10 short lines as likenesses": (
        "features/test_history_find.py::test_short_lines_are_no_likeness_of_a_long_word",
    ),
    "W11 W12 writers that lose or repeat": (
        "torture/test_history_crash.py::test_four_writers_save_everything_once",
        "torture/test_history_crash.py::test_four_processes_that_take_in_one_folder_add_each_record_once",
        "torture/test_history_crash.py::test_four_processes_that_take_in_copies_of_one_conversation_keep_it_once",
    ),
    "W13 indentation lost": (
        "features/test_history_segments.py::test_the_same_text_keeps_its_id_and_other_indentation_is_another",
    ),
    "W14 W25 crashes between two places": (
        "torture/test_history_crash.py::test_kill_amid_saves_loses_nothing_acknowledged",
        "torture/test_history_crash.py::test_kill_amid_archiving_leaves_each_segment_in_one_place",
        "torture/test_history_crash.py::test_kill_amid_an_ingest_leaves_what_the_next_one_completes",
    ),
    "W15 a damaged file ends everything": (
        "features/test_history_integrity.py::test_damage_is_found_and_mended",
    ),
    "W16 a reader waits for a writer": (
        "features/test_history_find.py::test_reading_goes_on_while_somebody_holds_the_store_for_writing",
        "features/test_history_find.py::test_a_look_is_lost_rather_than_waited_for",
    ),
    "W17 one system only": ("unit/test_house.py::test_every_module_imports_on_every_platform",),
    "W18 W19 W20 a guard that is fooled": (
        "features/test_guard.py::test_the_save_of_another_session_saves_nothing_of_this_one",
        "features/test_guard.py::test_a_refused_or_known_save_saves_nothing",
        "features/test_guard.py::test_time_alone_changes_nothing",
        "features/test_guard.py::test_work_after_the_save_counts",
        "features/test_hook_left.py::test_one_that_was_captured_and_went_on_is_unsaved_again",
    ),
    "W21 a report that repeats": (
        "features/test_hook_left.py::test_one_whose_transcript_is_gone_is_listed_and_told_once",
    ),
    "W23 ids cut short": ("features/test_history_weaknesses.py::test_labels_of_any_script_come_back_as_they_were",),
    "W24 retention that goes round in circles": (
        "features/test_history_segments.py::test_retention_archives_what_is_old_and_keeps_what_matters",
        "features/test_history_segments.py::test_one_look_protects_for_a_while_and_not_for_ever",
        "features/test_history_find.py::test_every_way_of_looking_counts_as_one",
        "features/test_history_find.py::test_a_purge_of_a_segment_leaves_its_session_with_the_right_count",
    ),
    "W26 a summary that becomes text": (
        "features/test_history_segments.py::test_a_summary_stays_one_line",
        "features/test_history_weaknesses.py::test_labels_move_no_line_of_a_text",
    ),
    "W27 links": ("features/test_history_growth.py::test_links_in_a_folder_are_not_followed",),
    "W28 data that run": ("unit/test_history_weaknesses.py::test_nothing_that_is_read_can_run",),
    "W29 a context without the match": (
        "features/test_history_segments.py::test_the_context_shows_the_match_in_a_long_line",
    ),
    "W30 numbers that mean nothing": ("features/test_history_find.py::test_numbers_that_mean_nothing_are_refused",),
    "W34 counts that stop": (
        "features/test_history_find.py::test_counts_go_beyond_a_thousand",
        "features/test_history_find.py::test_lists_of_segments_and_sessions_take_filters",
    ),
    "W35 answers without text": (
        "features/test_history_find.py::test_a_hit_carries_the_lines_around_what_matched",
    ),
    "W37 tokens of Japanese": ("features/test_history_find.py::test_a_budget_counts_the_tokens_of_japanese",),
    "W38 transcripts that hosts throw away": (
        "features/test_hook_left.py::test_a_captured_session_is_whole_after_its_host_threw_the_transcript_away",
    ),
    "W39 a server for everybody": (
        "surfaces/test_mcp_network.py::test_beyond_this_machine_a_token_is_needed",
        "features/test_history_find.py::test_history_is_recalled_beside_memories_and_never_across_namespaces",
    ),
    "W40 names taken apart": ("features/test_history_find.py::test_a_name_with_underscores_stays_whole",),
    "P13 one conversation under two names": (
        f"{SAME}::test_p13_a_longer_copy_under_another_name_adds_what_is_new_and_can_be_undone",
    ),
}  # fmt: skip
READ_INERT = "mem0_points.py"  # another program's pickles, by an unpickler that loads and calls nothing
RUNS = {"pickle", "marshal", "shelve", "dill", "joblib"}


@pytest.mark.parametrize("weakness", HELD)
def test_every_weakness_has_a_test(weakness: str) -> None:
    for name in HELD[weakness]:
        file, _, function = name.partition("::")
        tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
        assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, name


def test_nothing_that_is_read_can_run() -> None:
    """No file of a store or a cache is unpickled."""
    for path in (TESTS.parent / "src" / "omoide").rglob("*.py"):
        if path.name == READ_INERT:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not all(alias.name.endswith("Error") for alias in node.names):
                names.append(node.module or "")
            assert not {name.partition(".")[0] for name in names} & RUNS, path
            assert not (isinstance(node, ast.keyword) and node.arg == "allow_pickle"), path
