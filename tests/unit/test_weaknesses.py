"""What goes wrong in stores of this kind, each with the tests that show it does not go wrong here.

M: memory and search in one file; B: beliefs on two time axes.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
HELD: dict[str, tuple[str, ...]] = {
    "M1 what another handle wrote is not seen": ("promises/test_promise_05_processes.py::test_at_its_next_call",),
    "M2 M3 M4 the index of one handle replaces that of another": (
        "features/test_concurrency.py::test_two_handles_see_each_other",
        "features/test_concurrency.py::test_many_handles_of_one_store",
        "torture/test_processes.py::test_four_write_and_two_read",
    ),
    "M5 a kill amid writes": ("torture/test_crash.py::test_kill_loses_nothing_acknowledged",),
    "M6 a kill amid bulk": (
        "promises/test_promise_01_durability.py::test_a_flushed_bulk_survives_a_kill",
        "promises/test_promise_01_durability.py::test_a_pending_vector_is_marked_found_counted_and_filled_in",
    ),
    "M7 a failed write leaves half of itself": (
        "torture/test_disk_full.py::test_a_full_disk_gives_typed_errors_and_loses_nothing",
    ),
    "M8 threads on one handle": ("features/test_concurrency.py::test_eight_threads_on_one_handle",),
    "M9 reading waits for a writer": ("features/test_busy.py::test_reading_needs_no_lock",),
    "M10 a file that may only be read": ("torture/test_read_only.py::test_a_read_only_store_is_opened_and_searched",),
    "M11 native libraries at the import": ("unit/test_exports.py::test_import_alone_loads_only_the_door",),
    "M12 no model, no memory": (
        "features/test_embedder.py::test_a_missing_default_model_leaves_keyword_search_and_every_answer_says_so",
        "features/test_rerank.py::test_fastembed_that_is_not_installed_is_told_by_the_name_of_the_extra",
    ),
    "M13 a model that fails while asking": (
        "features/test_recall.py::test_an_embedder_that_fails_while_asking_leaves_the_keywords",
    ),
    "M14 memories that answer for documents": (
        "features/test_index_search.py::test_a_search_after_a_recall_of_the_same_words_returns_documents_only",
    ),
    "M15 names that are taken for several": (
        "features/test_policy.py::test_no_name_reads_the_namespaces_it_mentions",
        "features/test_index_search.py::test_a_namespace_with_a_comma_in_its_name_is_one_namespace",
    ),
    "M16 M17 answers to another question": (
        "features/test_recall.py::test_the_mode_of_one_question_does_not_leak_into_the_next",
        "features/test_recall.py::test_nearly_equal_questions_are_different_questions",
        "features/test_index_search.py::test_leaving_a_leg_out_is_not_answered_from_the_other",
        "features/test_index_search.py::test_versions_and_dates_in_a_question_are_told_apart",
    ),
    "M18 questions that make the file grow": (
        "features/test_recall.py::test_reading_does_not_grow_the_file",
        "promises/test_promise_06_cost.py::test_a_read_writes_nothing",
    ),
    "M19 M20 all words or nothing": (
        "features/test_languages_search.py::test_finds",
        "features/test_languages_search.py::test_half_a_question_is_enough",
        "features/test_index_search.py::test_a_natural_question_finds_by_keywords_alone",
    ),
    "M21 scripts without spaces": ("features/test_complaints.py::test_p19_a_phrase_inside_a_run_is_found",),
    "M22 spellings": ("features/test_languages_text.py::test_finds",),
    "M23 a query that is an error": (
        "features/test_complaints.py::test_p14_any_text_is_a_query",
        "promises/test_promise_07_any_text.py::test_is_stored_asked_and_found",
    ),
    "M24 half a character": ("features/test_remember.py::test_half_a_surrogate_pair_is_an_error",),
    "M25 M26 no text": ("features/test_remember.py::test_no_text_is_an_error",),
    "M27 the end of a long text": (
        "features/test_remember.py::test_a_megabyte_is_a_memory",
        "features/test_embedder.py::test_a_long_text_is_found_by_its_end",
    ),
    "M28 a very long question": ("features/test_recall.py::test_a_hundred_thousand_words_are_a_query",),
    "M29 M30 filters after the cut": (
        "features/test_where.py::test_a_rare_match_is_found_among_hundreds_of_better_ones",
        "promises/test_promise_04_filters.py::test_each_filter_restricts_the_candidates",
        "features/test_index_search.py::test_a_small_namespace_beside_a_large_one_is_found_by_meaning",
    ),
    "M31 duplicates of other namespaces": ("features/test_dedupe.py::test_looks_only_into_its_own_namespace",),
    "M32 M33 M34 filters that match nothing silently": (
        "features/test_where.py::test_of_recall",
        "features/test_where.py::test_of_list",
    ),
    "M35 M36 a pin that is lost": ("features/test_pinned.py::test_a_pin_survives_every_change",),
    "M37 age takes what is pinned": (
        "features/test_forget_restore.py::test_forget_older_than_a_negative_age_spares_the_pinned",
    ),
    "M38 a birth that changes": ("features/test_update.py::test_created_at_stays",),
    "M39 ids used again": ("features/test_remember.py::test_ids_are_never_reused",),
    "M40 M45 a change that costs the whole index": (
        "promises/test_promise_06_cost.py::test_a_write_takes_the_same_work_at_any_size",
    ),
    "M41 a full store": ("promises/test_promise_06_cost.py::test_a_full_store_evicts_at_the_same_cost",),
    "M42 M43 another model": (
        "features/test_embedder.py::test_another_model_than_the_recorded_one_is_refused_until_rebuild",
        "features/test_upkeep_rebuild.py::test_another_model",
    ),
    "M44 a damaged index": (
        "features/test_rebuild_repair_backup.py::test_damaged_vectors_do_not_stop_the_keywords",
        "torture/test_damage.py::test_any_page_may_be_trashed",
    ),
    "M46 what was forgotten lies in caches": ("features/test_purge.py::test_no_byte_of_it_is_left",),
    "M47 a folder added twice": (
        "features/test_index_reingest.py::test_what_is_unchanged_is_not_even_opened",
        "features/test_index_reingest.py::test_what_changed_is_replaced_under_its_id",
        "features/test_index_reingest.py::test_a_file_that_is_gone_leaves_the_search_and_stays_in_the_past",
    ),
    "M48 everything in a folder, or silently not": (
        "features/test_index_files.py::test_caches_packages_histories_and_secrets_are_left_out_by_default",
        "features/test_index_files.py::test_every_encoding_is_read_and_a_guess_is_noted",
        "features/test_index_files.py::test_a_missing_path_is_an_error_that_programs_know",
    ),
    "M49 one bad file": (
        "features/test_index_files.py::test_what_cannot_be_read_is_reported_with_a_reason_and_the_rest_is_added",
    ),
    "M50 one bad text": (
        "features/test_index_texts.py::test_a_blank_text_among_others_is_reported_and_the_others_are_added",
        "features/test_index_texts.py::test_lists_of_different_lengths_are_refused_and_nothing_is_stored",
    ),
    "M51 code on one line": ("unit/text/test_chunkers.py::test_a_long_definition_keeps_its_lines",),
    "M52 full stops that go": (
        "unit/text/test_chunkers.py::test_full_stops_are_kept",
        "unit/text/test_chunking_laws.py::test_pieces_without_overlap_give_the_text_back",
    ),
    "M53 comments as headings": (
        "unit/text/test_chunkers.py::test_a_comment_in_a_fence_is_no_heading",
        "unit/text/test_chunkers.py::test_a_heading_without_a_body_is_kept_with_its_first_child",
    ),
    "M54 Japanese cut anywhere": ("unit/text/test_chunkers.py::test_japanese_is_cut_after_its_full_stops",),
    "M55 a callback that is not asked": ("features/test_policy.py::test_it_closes_the_own_namespace_too",),
    "M56 a right to write that reads": (
        "features/test_policy.py::test_an_id_it_may_not_read_is_missing",
        "features/test_policy.py::test_a_near_duplicate_does_not_overwrite",
    ),
    "M57 M58 scopes of adapters": (
        "features/test_integration_mem0.py::test_scopes_with_separators_stay_apart",
        "features/test_integration_mem0.py::test_a_pinned_memory_reaches_nothing_outside",
    ),
    "M59 an adapter that forgets births": (
        "contracts/langgraph/check_store.py::test_created_at_is_stable_and_updated_at_moves",
    ),
    "M60 web pages": (
        "surfaces/test_http_hostile.py::test_a_web_page_of_another_origin_is_refused",
        "surfaces/test_http_hostile.py::test_a_name_that_was_pointed_at_this_machine_is_refused",
        "surfaces/test_http_hostile.py::test_what_a_form_can_send_is_refused",
    ),
    "M61 a blank token": ("surfaces/test_http_tokens.py::test_a_blank_token_is_refused_at_the_start",),
    "M62 M63 M64 bodies that make no sense": (
        "surfaces/test_http_hostile.py::test_a_body_that_makes_no_sense_is_a_bad_request",
        "surfaces/test_http_hostile.py::test_an_id_that_cannot_be_is_not_found",
    ),
    "M65 success about nothing": (
        "surfaces/test_http_routes.py::test_an_update_says_updated_and_one_of_nothing_is_not_found",
        "surfaces/test_http_routes.py::test_a_forgotten_memory_is_gone_and_a_missing_one_not_found",
    ),
    "M66 anything however large": (
        "surfaces/test_http_hostile.py::test_a_body_over_the_limit_is_refused_however_it_is_announced",
        "surfaces/test_http_hostile.py::test_a_query_string_that_makes_no_sense_is_a_bad_request",
    ),
    "M67 the spelling of a scheme": ("surfaces/test_http_tokens.py::test_the_scheme_is_read_in_any_case",),
    "M68 arguments that tools ignore": (
        "surfaces/test_mcp_tools.py::test_arguments_as_text_mean_what_they_say_and_nonsense_is_named",
    ),
    "M69 errors that a model cannot read": ("features/test_tools.py::test_tell_the_model_what_is_wrong",),
    "M70 a short list of a large store": (
        "features/test_stats_list_get.py::test_a_short_list_costs_the_same_at_any_size",
    ),
    "M71 metadata that is not JSON": ("features/test_remember.py::test_metadata_that_is_not_json_is_an_error",),
    "M72 a budget of time": ("features/test_recall.py::test_budget_of_zero_leaves_keywords_and_says_so",),
    "B1 B2 a late correction changes the past": (
        "promises/test_promise_02_the_past_stays.py::test_no_verb_changes_it",
        "features/test_worked_examples.py::test_the_examples_are_right",
        "features/test_as_of.py::test_what_was_believed_on_k_about_v",
    ),
    "B3 a diff that misses it": (
        "features/test_diff.py::test_a_backdated_correction_shows",
        "features/test_diff.py::test_learned_and_forgotten_again_is_only_retracted",
    ),
    "B4 one axis": (
        "promises/test_promise_03_two_axes.py::test_every_pair_of_days",
        "features/test_revise.py::test_a_middle_revision_leaves_two_outer_pieces",
        "features/test_revise.py::test_may_lie_in_the_future",
    ),
    "B5 B7 B8 B9 waiting, writing while reading, clocks": (
        "features/test_memharness_weaknesses.py::test_a_store_in_memory_opens_without_waiting",
        "features/test_memharness_weaknesses.py::test_a_file_that_may_only_be_read_is_recalled",
        "features/test_memharness_weaknesses.py::test_no_write_is_dated_ahead_of_the_clock",
        "features/test_memharness_weaknesses.py::test_a_process_with_a_slow_clock_does_not_write_into_the_past",
    ),
    "B6 revisions that fail beside others": (
        "features/test_concurrency.py::test_threads_revise_one_memory",
        "torture/test_processes.py::test_four_write_and_two_read",
    ),
    "B10 B11 B12 candidates cut before filters": (
        "features/test_recall.py::test_filters_commute",
        "features/test_revise.py::test_three_hundred_revisions_do_not_crowd_out_the_head",
        "features/test_memharness_weaknesses.py::test_hundreds_of_retracted_vectors_do_not_hide_the_live_one",
    ),
    "B13 runs of characters": ("features/test_complaints.py::test_p19_a_phrase_inside_a_run_is_found",),
    "B14 tokens counted wrongly": (
        "features/test_budget_tokens.py::test_japanese_is_counted_honestly",
        "features/test_budget_tokens.py::test_a_hit_that_does_not_fit_is_passed_over",
    ),
    "B15 days that do not exist": (
        "features/test_memharness_weaknesses.py::test_a_day_that_the_calendar_does_not_have_is_refused",
        "features/test_memharness_weaknesses.py::test_every_form_of_a_time_is_the_instant_it_says",
    ),
    "B16 nothing erases": ("features/test_erasure.py::test_no_byte_and_no_word_is_left",),
    "B17 forgetting by source": (
        "features/test_forget_restore.py::test_by_source_follows_revisions",
        "features/test_forget_restore.py::test_sources_are_compared_trimmed",
        "features/test_forget_restore.py::test_an_id_with_a_selector_is_an_error",
    ),
    "B18 the forgotten revised, the misfiled left": (
        "features/test_revise.py::test_a_forgotten_memory_must_be_restored_first",
        "features/test_memharness_weaknesses.py::test_a_memory_filed_under_the_wrong_subject_can_be_put_right",
    ),
    "B19 what is shown stays shown": (
        "features/test_memharness_weaknesses.py::test_being_shown_keeps_nothing_at_the_top",
    ),
    "B20 duplicates in one language": (
        "features/test_memharness_weaknesses.py::test_near_duplicates_are_seen_in_every_language",
        "features/test_notices.py::test_other_numbers_are_no_duplicate",
    ),
    "B21 B22 a pass that never ends or is wrong": (
        "features/test_check_sources.py::test_the_pass_always_ends_and_reads_each_memory_once",
        "features/test_check_sources.py::test_a_pin_at_head_is_current_by_long_and_short_hash",
        "features/test_check_sources.py::test_the_pins_of_other_repositories_are_left_alone",
    ),
    "B23 options that are no numbers": (
        "features/test_memharness_weaknesses.py::test_no_half_life_makes_a_score_that_is_no_number",
    ),
    "B24 a server of text": (
        "surfaces/test_mcp_tools.py::test_recall_answers_rows_as_structured_content_and_a_fenced_text",
        "surfaces/test_mcp_tools.py::test_arguments_as_text_mean_what_they_say_and_nonsense_is_named",
    ),
    "B25 verbs that are missing": (
        "features/test_stats_list_get.py::test_list_filters_before_it_cuts",
        "features/test_forget_restore.py::test_restore_brings_it_back_known_from_now",
        "promises/test_promise_09_scope.py::test_default_is_deny",
    ),
    "B26 a revision that loses its source": ("features/test_revise.py::test_what_is_not_given_is_inherited",),
}  # fmt: skip


@cache
def functions(file: str) -> frozenset[str]:
    """Return the names of the functions of a file, those of classes among them."""
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("weakness", HELD)
def test_every_weakness_has_a_test(weakness: str) -> None:
    for name in HELD[weakness]:
        file, _, function = name.partition("::")
        assert function in functions(file), name


def test_no_number_is_left_out() -> None:
    """Each of the 72 and of the 26 stands in exactly one line."""
    numbers = [word for weakness in HELD for word in weakness.split() if word[0] in "MB" and word[1:].isdigit()]
    assert sorted(numbers) == sorted([f"M{n}" for n in range(1, 73)] + [f"B{n}" for n in range(1, 27)])
