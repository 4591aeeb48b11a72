"""What goes wrong in memories that are folders of Markdown, each with the tests that show it does not go wrong here."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
OWN = "features/test_vault_weaknesses.py"
EDITS, DAMAGED, GIT = (f"features/test_vault_{name}.py" for name in ("edits", "damaged", "git"))
HELD: dict[str, tuple[str, ...]] = {
    "1 a rebuild by the square": (f"{OWN}::test_w01_a_rebuild_costs_by_the_note",),
    "2 a write that looks at all": (
        f"{OWN}::test_w02_a_write_opens_no_note_but_its_own",
        f"{OWN}::test_w02_a_recall_opens_no_note_that_did_not_change",
    ),
    "3 an edit that is not seen": (
        f"{EDITS}::test_a_word_typed_into_a_note_is_found_at_once_and_the_old_one_is_not",
        "features/test_hook_vault.py::test_an_edit_made_before_a_start_is_shown_by_it",
        "features/test_vault_locks.py::test_an_answer_that_may_be_old_says_so",
    ),
    "4 no index, no answers, no word": (
        f"{OWN}::test_w04_a_running_handle_answers_when_the_index_was_removed",
        "features/test_vault_rebuild.py::test_under_a_running_handle",
    ),
    "5 paths that are gone": (
        f"{GIT}::test_a_checkout_from_before_a_note_never_tells_of_a_path_that_is_gone",
        f"{EDITS}::test_a_path_that_is_gone_is_never_told",
    ),
    "6 two files of one name": (
        f"{DAMAGED}::test_of_two_files_with_one_uid_the_other_one_takes_over_when_the_first_goes",
        "features/test_doctor_vault.py::test_a_second_file_of_one_memory_is_told_with_its_path",
    ),
    "7 one file in another encoding": (
        f"{DAMAGED}::test_a_damaged_note_is_held_and_its_memory_stays_until_it_is_mended",
    ),
    "8 a byte order mark": (
        f"{DAMAGED}::test_a_byte_order_mark_windows_lines_and_blanks_after_the_fence_are_no_damage",
    ),
    "9 conflict marks": (
        f"{DAMAGED}::test_a_conflict_names_both_sides",
        f"{GIT}::test_a_merge_of_two_edits_of_one_note_is_held_until_it_is_settled",
    ),
    "10 a reader behind a writer": ("features/test_vault_locks.py::test_reading_does_not_wait_for_writers",),
    "11 Latin words inside Japanese": (f"{OWN}::test_w11_w12_words_of_two_scripts_that_touch_are_found_apart",),
    "12 one sign, wide and half-wide signs": (
        f"{OWN}::test_w11_w12_words_of_two_scripts_that_touch_are_found_apart",
    ),
    "13 names in other scripts": (
        "features/test_vault_layout.py::test_two_japanese_subjects_with_one_latin_word_are_two_notes",
    ),
    "14 two projects, one name": (
        "features/test_vault_layout.py::test_the_database_of_two_projects_never_meets",
        "features/test_vault_layout.py::test_a_note_never_moves_by_a_write",
    ),
    "15 a list of the oldest": (
        f"{OWN}::test_w15_the_newest_is_listed_however_many_there_are",
        "features/test_vault_memory_md.py::test_pinned_and_critical_come_first_and_the_newest_is_always_there",
    ),
    "16 everything of every project": (
        "features/test_injection.py::TestStart::test_memories_of_another_project_stay_there",
        "features/test_vault_use.py::test_another_project_sees_its_own_memories_and_those_of_none",
    ),
    "17 planted text": (
        "features/test_vault_memory_md.py::test_a_poisoned_memory_is_one_line_of_plain_words",
        "features/test_injection.py::TestStart::test_stored_text_can_neither_end_the_fence_nor_speak_as_somebody",
    ),
    "18 use that is thrown away with the index": (f"{OWN}::test_w18_what_use_taught_outlives_the_index",),
    "19 forgetting by the number of nights": (
        "features/test_vault_use.py::test_forgetting_goes_by_the_clock_and_never_touches_what_is_pinned",
        "features/test_sleep.py::TestPasses::test_forgetting_goes_by_time_and_not_by_how_often_it_runs",
    ),
    "20 what is popular beats what matches": (
        "features/test_vault_use.py::test_a_memory_that_is_looked_up_often_does_not_outrank_an_exact_match",
    ),
    "21 a pass that deletes": (
        "features/test_sleep.py::TestPasses::test_what_was_archived_long_ago_is_proposed_for_deletion",
        "features/test_reasoners.py::TestAdvice::test_a_verdict_is_kept_beside_the_proposal_and_decides_nothing",
    ),
    "22 a process a turn": ("features/test_hook_capture.py::TestThresholds::test_a_small_turn_right_after_waits",),
    "23 a transcript read from its beginning": (
        "features/test_hook_capture.py::test_the_tail_alone_is_read_the_second_time",
        "features/test_hook_capture.py::test_a_half_written_last_line_is_read_when_it_is_whole",
    ),
    "24 a transcript that became shorter": (
        "features/test_hook_capture.py::test_a_transcript_that_was_rewritten_shorter_is_read_anew",
    ),
    "25 tool calls, subagents, secrets": (
        "features/test_vault_archive.py::test_a_session_is_one_file_of_the_lines_that_its_host_wrote",
        "features/test_vault_archive.py::test_secrets_are_masked_in_it",
        "features/test_transcripts.py::test_a_sidechain_inside_a_session_is_marked",
    ),
    "26 nothing is ever erased": (
        "features/test_vault_purge.py::test_no_file_holds_it",
        "features/test_vault_purge.py::test_the_receipt_names_what_is_out_of_reach",
        "features/test_vault_archive.py::test_a_purged_session_leaves_no_word_in_it",
    ),
    "27 erasing without a look before": (
        "features/test_forget_restore.py::test_dry_run_shows_and_changes_nothing",
        "features/test_history_segments.py::test_only_a_person_erases",
    ),
    "28 what others wrote into a note": (
        f"{OWN}::test_w28_what_another_program_wrote_into_a_note_stays_byte_for_byte",
        "features/test_vault_layout.py::test_numbers_that_change_by_use_are_in_no_file",
    ),
    "29 links in texts": (
        "features/test_vault_links.py::test_a_note_tells_its_links_its_backlinks_and_its_neighbours",
        "features/test_vault_links.py::test_links_that_lead_nowhere_are_listed",
        "features/test_vault_links.py::test_a_rename_keeps_every_link_and_nothing_else_changes",
    ),
    "30 a huge note": (
        "features/test_vault_obsidian.py::test_a_huge_note_is_left_out_and_a_code_fence_makes_no_heading",
        f"{OWN}::test_w30_a_large_note_is_told_within_a_budget",
    ),
    "31 headings inside of code": (
        "features/test_vault_obsidian.py::test_a_huge_note_is_left_out_and_a_code_fence_makes_no_heading",
        "features/test_levels.py::test_the_outline_lists_headings_in_any_script_and_none_from_code",
    ),
    "32 arguments that make no sense": (
        f"{OWN}::test_w32_what_makes_no_sense_is_refused_with_a_reason",
        f"{EDITS}::test_settings_that_cannot_be_read_stop_nothing_and_are_told",
        "surfaces/test_mcp_process.py::test_lines_that_make_no_sense_do_not_end_it",
    ),
    "33 two scales for one answer": (f"{OWN}::test_w33_past_and_present_are_ranked_on_one_scale",),
    "34 one memory in every place": (
        "features/test_vault_use.py::test_a_note_of_eighty_parts_does_not_crowd_out_the_others",
    ),
    "35 plans shown as true": (
        f"{OWN}::test_w35_what_is_planned_is_not_true_yet",
        "features/test_vault_memory_md.py::test_untrusted_archived_and_planned_memories_are_not_listed",
    ),
    "36 links out of the folder": (f"{DAMAGED}::test_a_link_out_of_the_vault_is_never_followed",),
    "37 what git should not carry": (
        "features/test_vault_store.py::test_what_can_be_thrown_away_is_kept_from_git",
        f"{GIT}::test_only_truth_is_committed",
    ),
    "38 copies by programs that sync": (
        f"{DAMAGED}::test_a_conflict_copy_of_a_syncing_program_is_recognised_by_its_name",
    ),
    "39 half of a supersede": (
        f"{OWN}::test_w39_a_supersede_is_one_line_of_the_log",
        "torture/test_vault_crash.py::test_killed_at_a_call_of_the_system",
        "features/test_vault_whole_changes.py::test_a_change_of_several_notes_is_whole_or_absent",
    ),
    "40 locks on a network share": (
        "features/test_doctor_vault.py::test_a_vault_on_a_network_share_is_warned_of",
        "features/test_vault_archive.py::test_two_copies_write_files_of_their_own",
    ),
}  # fmt: skip


@pytest.mark.parametrize("weakness", HELD)
def test_every_weakness_has_a_test(weakness: str) -> None:
    for name in HELD[weakness]:
        file, *parts = name.split("::")
        found: list[ast.stmt] = ast.parse((TESTS / file).read_text(encoding="utf-8")).body
        for part in parts:
            (node,) = [each for each in found if isinstance(each, ast.FunctionDef | ast.ClassDef) and each.name == part]
            found = node.body


def test_none_is_left_out() -> None:
    assert [int(name.split()[0]) for name in HELD] == list(range(1, 41))
