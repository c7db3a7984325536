//! The store's conformance suite: what every backend must do alike.
//!
//! A case is a function in the file of its noun, named for the operation it is about and what that must do. The
//! list below is the suite; `conformance!` runs it on a backend, each case on a store of its own. Time is moved by
//! hand. Another backend needs a `harness::Backend` and one more line at the end of this file.

pub(crate) mod harness;
mod action;
mod alert;
mod approval;
mod breaker;
mod bulk;
mod caller;
mod contract;
pub(crate) mod decision;
mod effect;
mod erase;
mod evidence;
mod inspect;
mod item;
mod operate;
mod order;
mod outbox;
mod pace;
mod pause;
mod progress;
mod quarantine;
mod queue;
mod random;
mod raw;
mod receipt;
mod reference;
mod reprocess;
mod same;
mod retention;
mod settle;
mod slot;
mod token;
mod walk;
mod work;

/// Run every case on a backend: a module of this name, in it a test a case.
macro_rules! conformance {
    ($name:ident, $backend:expr) => {
        mod $name {
            $crate::conformance::cases! { $backend;
                work: [
                    work_claim_inserts_new_work_already_claimed,
                    work_claim_without_an_original_time_takes_the_arrival,
                    work_claim_keeps_the_payload_to_the_byte,
                    work_claim_of_running_work_is_in_progress_with_a_hint,
                    work_claim_of_waiting_work_is_in_progress_until_it_is_due,
                    work_claim_s01_s10_by_twenty_at_once_acquires_once,
                    work_claim_that_only_records_leaves_new_work_to_whoever_takes_it,
                    work_claim_that_only_records_takes_no_known_work,
                    work_claim_of_done_work_gives_the_first_result,
                    work_claim_with_other_content_is_a_mismatch_and_changes_nothing,
                    work_claim_after_the_lease_takes_over_with_a_greater_token,
                    work_claim_with_attempts_used_up_is_dead_with_the_cause,
                    work_claim_of_ended_work_says_how_it_stands,
                    work_claim_of_a_too_old_event_is_never_new,
                    work_claim_after_a_raised_version_finds_the_earlier_work,
                    work_claim_after_other_identity_fields_finds_the_earlier_work,
                    work_claim_gives_tokens_that_never_repeat,
                    work_claim_shares_nothing_between_namespaces,
                    work_claim_in_time_that_never_goes_back,
                ]
                queue: [
                    work_take_takes_nothing_before_it_is_due,
                    work_take_takes_over_when_the_lease_has_ended,
                    work_take_s16_finds_work_that_became_due_behind_later_work,
                    work_take_takes_the_longest_due_first,
                    work_take_lets_work_die_whose_attempts_are_used_up,
                    work_take_keeps_to_its_step_and_namespace,
                    work_take_goes_on_where_continue_left_off,
                    work_next_due_is_the_nearest_due_time_or_lease_end,
                ]
                settle: [
                    work_settle_done_commits_everything_together,
                    work_settle_s08_by_the_slow_holder_is_lease_lost_and_changes_nothing,
                    work_settle_after_the_lease_time_holds_while_nobody_took_over,
                    work_settle_s07_of_finished_work_changes_nothing,
                    work_settle_s28_with_a_row_conflict_commits_nothing_collected,
                    work_settle_with_one_row_twice_over_in_two_payloads_is_a_conflict,
                    work_settle_with_the_same_row_again_keeps_one,
                    work_settle_without_success_commits_evidence_alone,
                    work_settle_give_back_is_as_if_the_work_had_not_been_claimed,
                    work_settle_give_back_by_a_stale_holder_changes_nothing,
                    work_settle_continue_commits_the_chunk_and_frees_the_work,
                    work_settle_inserts_a_follow_up_once_and_the_first_stands,
                    work_settle_shares_nothing_between_namespaces,
                ]
                random: [
                    work_settle_and_all_around_it_at_random_is_as_in_the_reference_ledger,
                ]
                pause: [
                    pause_lift_lets_a_paused_destination_go_on,
                    pause_list_keeps_the_first_cause,
                    pause_set_stops_what_it_names_and_nothing_else,
                    pause_set_records_the_events_of_a_paused_step,
                    pause_set_still_answers_what_has_ended,
                    pause_set_lets_what_is_under_way_come_to_its_end,
                    pause_set_does_not_take_over_while_it_lasts,
                    pause_set_twice_is_one_pause_of_the_first_who_asked,
                    pause_lift_can_be_followed_by_another_pause,
                ]
                alert: [
                    alert_collect_tells_of_each_stop_once,
                    alert_collect_tells_of_rows_and_not_of_its_own,
                    alert_collect_goes_on_past_what_nobody_is_told_of,
                ]
                outbox: [
                    outbox_take_counts_the_attempt_before_it_is_made,
                    outbox_take_freezes_the_envelope_at_the_first_attempt,
                    outbox_take_s16_takes_by_state_not_by_a_moving_mark,
                    outbox_take_keeps_to_its_limit_destination_and_namespace,
                    outbox_take_by_many_at_once_gives_each_row_to_one,
                    outbox_take_after_the_sender_has_gone_says_maybe_applied_for_good,
                    outbox_take_takes_no_row_over_from_the_sender_that_takes,
                    outbox_settle_withheld_gives_the_attempt_back_and_waits_for_a_person,
                    outbox_settle_paused_takes_the_envelope_off_what_was_not_applied,
                    outbox_next_due_of_a_paused_destination_is_never,
                    outbox_settle_sent_is_never_taken_again,
                    outbox_settle_again_waits_until_due,
                    outbox_settle_blocked_and_in_doubt_wait_for_a_person,
                    outbox_settle_with_a_stale_token_is_lease_lost,
                    outbox_settle_after_the_lease_time_holds_while_nobody_took_the_row,
                    outbox_settle_keeps_a_cut_receipt_and_its_flag,
                    outbox_find_gives_the_stored_payload_hash,
                    outbox_next_due_is_the_nearest_due_time_or_lease_end,
                ]
                approval: [
                    outbox_approve_lets_exactly_this_payload_go,
                    outbox_approve_twice_is_one_approval,
                    outbox_approve_of_an_edited_row_names_its_successor,
                    outbox_approve_after_its_time_is_too_late,
                    outbox_approve_of_what_waits_for_no_approval_is_refused,
                    outbox_approve_shares_nothing_between_namespaces,
                    outbox_approve_holds_after_reopening,
                    outbox_edit_makes_a_revision_that_is_itself_unapproved,
                    outbox_edit_with_the_same_payload_changes_nothing,
                    outbox_edit_of_an_approved_row_is_refused,
                    outbox_edit_maps_the_slot_to_its_live_revision,
                    outbox_edit_keeps_the_place_in_line,
                    outbox_edit_into_what_another_row_says_is_suppressed_and_lets_the_line_go_on,
                    outbox_edit_lets_go_what_the_first_text_suppressed,
                    outbox_expire_cancels_what_nobody_approved_in_time,
                    outbox_expire_goes_by_time_that_a_pause_does_not_stop,
                    outbox_expire_comes_to_its_end_in_batches,
                ]
                order: [
                    outbox_take_of_a_line_takes_its_head_alone,
                    outbox_take_waits_behind_a_head_that_has_not_come_to_its_end,
                    outbox_take_goes_on_with_the_next_where_the_head_has_ended,
                    outbox_take_is_not_moved_by_the_end_of_a_follower,
                    outbox_take_keeps_the_order_through_retries_and_a_persons_word,
                    outbox_take_s09_frees_the_line_of_a_sender_that_died,
                    outbox_take_keeps_the_order_after_reopening,
                    outbox_take_gives_a_follower_its_whole_time,
                    outbox_take_gives_each_destination_and_namespace_lines_of_its_own,
                    outbox_take_of_a_line_goes_by_commits_and_not_by_claims,
                    outbox_take_lets_a_row_back_into_its_place_before_what_has_not_begun,
                    outbox_take_lets_a_row_that_has_begun_come_to_its_end_first,
                ]
                walk: [
                    outbox_take_s09_at_random_keeps_every_line_in_order_and_lets_all_come_to_their_end,
                ]
                same: [
                    outbox_take_s22_gives_nobody_the_same_text_twice,
                    outbox_take_takes_one_of_those_that_came_together,
                    outbox_take_of_another_recipient_destination_or_namespace_is_not_suppressed,
                    outbox_take_of_the_same_text_waits_for_no_window_while_the_first_is_here,
                    outbox_decide_cancel_lets_the_next_of_a_chain_go,
                    outbox_decide_cancel_of_a_suppressed_row_lets_nobody_go,
                    outbox_decide_cancel_lets_a_row_back_that_still_needs_its_approval,
                    outbox_decide_cancel_of_what_may_have_been_applied_lets_nobody_say_it_again,
                    outbox_decide_cancel_of_what_certainly_was_not_applied_lets_the_next_go,
                    outbox_decide_sent_goes_on_suppressing,
                    outbox_settle_of_the_first_leaves_the_others_suppressed,
                    outbox_expire_lets_the_suppressed_one_go,
                ]
                receipt: [
                    outbox_settle_sent_starts_the_step_of_the_receipt,
                    outbox_settle_hands_on_what_was_sent_and_answered_to_the_byte,
                    outbox_settle_of_a_receipt_in_doubt_leaves_the_step_to_a_person,
                    outbox_settle_of_two_rows_may_start_one_step_twice,
                    outbox_settle_of_anything_but_an_acceptance_starts_nothing,
                    outbox_decide_sent_starts_the_step_of_the_receipt,
                ]
                pace: [
                    outbox_take_spreads_the_calls_evenly,
                    outbox_take_shares_the_rate_after_reopening,
                    outbox_take_saves_no_calls_up,
                    outbox_take_counts_the_questions_around_a_repeat_as_calls,
                    outbox_settle_with_a_wait_stops_the_whole_destination,
                    outbox_settle_with_two_waits_keeps_the_longer_one_after_reopening,
                    outbox_settle_with_a_wait_beyond_all_times_is_no_overflow,
                    outbox_next_due_of_a_paced_row_is_when_its_destination_is_free,
                ]
                breaker: [
                    outbox_take_rests_longer_after_each_further_failure,
                    outbox_take_sends_one_row_at_a_time_until_one_gets_through,
                    outbox_take_goes_on_with_the_next_probe_where_its_sender_has_gone,
                    outbox_settle_counts_what_says_that_the_destination_is_unwell,
                    outbox_settle_of_calls_that_began_before_a_rest_makes_it_no_longer,
                    outbox_take_rests_after_reopening_and_no_other_destination,
                    outbox_take_goes_by_the_terms_that_hold_now,
                    destination_pace_list_tells_a_wait_from_a_rest,
                ]
                decision: [
                    decision_record_the_first_writer_wins,
                    decision_record_by_many_at_once_keeps_one_answer,
                    decision_record_keeps_the_answer_of_a_run_that_lost_its_lease,
                    decision_record_is_on_disk_when_it_returns,
                    decision_find_s05_a_pin_beats_a_changed_question,
                    decision_pin_ties_a_cached_answer_to_a_slot_once,
                    decision_pin_with_a_stale_token_pins_nothing,
                    decision_pin_of_an_answer_that_is_not_there_fails,
                    decision_find_sees_rule_pins_after_the_settle_only,
                    decision_find_shares_nothing_between_namespaces,
                    decision_fail_is_evidence_and_counts_what_was_paid,
                    decision_totals_tell_calls_from_answers_without_one,
                    decision_totals_take_hostile_figures_and_never_overflow,
                    decision_list_is_newest_first_and_filtered,
                ]
                slot: [
                    work_settle_hold_asks_a_person_and_keeps_the_answer,
                    work_settle_hold_pins_an_answer_by_rule,
                    work_settle_hold_after_the_persons_word_waits_for_nobody,
                    decision_decide_approve_twice_is_one_approval,
                    decision_decide_approve_binds_revision_and_answer,
                    decision_decide_approve_after_its_time_is_refused,
                    decision_decide_reject_stays_until_it_is_renewed,
                    decision_decide_renew_asks_anew_past_the_cache,
                    decision_decide_renew_keeps_the_former_answer_as_long_as_the_work,
                    decision_decide_renew_is_refused_once_effects_are_committed,
                    decision_decide_of_what_nobody_asked_for_is_refused,
                    decision_decide_leaves_ended_work_alone,
                ]
                effect: [
                    work_claim_opens_the_callers_effect_with_the_claim,
                    work_claim_s14_after_the_lease_of_an_open_effect_is_in_doubt,
                    work_claim_s15_after_a_lease_without_an_effect_takes_over,
                    work_claim_after_a_recorded_effect_says_so_and_does_not_open_it_again,
                    work_claim_of_a_callers_work_uses_up_its_attempts,
                    work_claim_by_a_caller_outlives_the_hosts_process,
                    work_take_leaves_a_callers_work_to_the_caller,
                    work_lapse_puts_in_doubt_what_nobody_comes_back_for,
                    effect_record_is_said_once_and_the_first_word_stands,
                    effect_record_with_a_stale_token_puts_unfinished_work_in_doubt,
                    effect_record_after_the_end_of_a_work_is_evidence_alone,
                    effect_record_that_came_in_time_stays_so_however_often_it_is_said,
                    effect_record_is_for_callers_works_and_for_tokens_that_were_given_out,
                    work_settle_says_what_became_of_the_effects_that_are_open,
                    work_settle_said_again_by_a_caller_is_the_same_act,
                    lease_extend_holds_a_callers_claim_and_never_shortens_it,
                    lease_extend_by_a_stale_holder_or_of_a_hosted_run_changes_nothing,
                    effect_list_shares_nothing_between_namespaces_and_works,
                ]
                caller: [
                    work_held_is_the_callers_alone,
                    outbox_enqueue_records_the_row_at_once_whatever_becomes_of_the_claim,
                    outbox_enqueue_with_another_payload_is_a_conflict_and_the_first_stands,
                    outbox_enqueue_without_the_callers_claim_changes_nothing,
                    outbox_enqueue_gives_the_live_revision_and_keeps_the_line,
                    progress_advance_goes_forward_only_and_at_once,
                    progress_advance_tells_a_step_forward_elsewhere_once,
                    progress_advance_without_the_callers_claim_changes_nothing,
                    cursor_save_is_progress_so_that_attempts_begin_anew,
                    cursor_save_without_the_callers_claim_changes_nothing,
                    item_record_is_done_for_ever_and_the_first_word_stands,
                    item_record_after_the_claim_counts_while_nobody_else_has_the_item,
                    item_record_is_for_callers_works_and_for_tokens_that_were_given_out,
                ]
                item: [
                    item_claim_gives_each_item_its_verdict_in_order,
                    item_claim_finds_done_items_done_for_ever,
                    item_claim_s21_repeats_no_item_of_a_run_that_died,
                    item_claim_frees_the_items_of_a_run_that_ended_or_was_taken_over,
                    item_claim_by_a_run_that_lost_its_lease_claims_nothing,
                    item_claim_takes_released_items,
                    item_claim_shares_nothing_between_steps_and_namespaces,
                ]
                quarantine: [
                    quarantine_list_holds_a_colliding_event_once_and_the_first_content_stands,
                    quarantine_list_is_filtered_and_shares_nothing_between_namespaces,
                    quarantine_resolve_takes_the_beginning_of_an_id,
                    quarantine_count_is_of_those_that_wait,
                    quarantine_decide_admits_an_event_as_work_of_its_own,
                    quarantine_decide_drops_an_event_and_keeps_the_record,
                    quarantine_decide_of_an_event_that_came_under_an_earlier_version_is_found_again,
                ]
                raw: [
                    event_raw_is_what_arrived_to_the_byte,
                    event_raw_of_a_repeat_is_the_first_one,
                    event_raw_of_an_admitted_event_is_its_works,
                    event_raw_is_erased_with_the_payloads,
                    event_raw_is_forgotten_with_its_family,
                ]
                progress: [
                    progress_find_goes_forward_only,
                    progress_list_is_by_stage_and_the_longest_standing_first,
                    progress_list_names_the_first_work_and_knows_what_is_over,
                    progress_counts_say_how_long_the_oldest_and_the_newest_stand,
                    progress_find_of_a_step_forward_tells_it_elsewhere_once,
                    progress_find_goes_by_the_list_that_holds_now,
                    progress_find_shares_nothing_between_namespaces_and_roots,
                ]
                contract: [
                    contract_register_gives_the_other_versions_newest_first,
                    contract_register_refuses_a_changed_identity_under_the_same_version,
                    contract_register_shares_nothing_between_namespaces_and_steps,
                    step_list_names_each_step_of_the_namespace_once,
                ]
                evidence: [
                    evidence_list_tells_the_whole_story_in_order,
                    evidence_list_shares_nothing_between_namespaces,
                ]
                operate: [
                    work_decide_replays_a_dead_work_under_its_identity_with_a_fresh_budget,
                    work_decide_s18_cancels_a_running_work_at_its_settle_and_nothing_of_it_commits,
                    work_decide_cancels_a_running_work_whose_holder_has_gone,
                    work_decide_cancels_what_a_caller_has_left_with_nothing_open,
                    work_decide_replays_at_the_time_it_was_given,
                    work_decide_resolves_a_work_in_doubt_as_the_person_says,
                    work_decide_ends_what_shall_not_run_and_finished_work_stays,
                    work_decide_of_nothing_and_of_another_namespace_is_unknown,
                    outbox_decide_sent_takes_the_persons_reference_for_good,
                    outbox_decide_again_is_a_word_for_one_attempt,
                    outbox_decide_cancel_is_the_end_of_a_row,
                ]
                action: [
                    work_decide_twice_under_one_action_id_is_one_act,
                    work_decide_of_another_act_under_the_same_action_id_is_refused,
                    work_decide_that_was_refused_may_be_said_again,
                    work_replay_all_twice_under_one_action_id_is_one_batch,
                    work_reprocess_twice_under_one_action_id_is_one_act,
                    outbox_decide_twice_under_one_action_id_is_one_act,
                    outbox_approve_twice_under_one_action_id_is_one_act,
                    decision_decide_twice_under_one_action_id_is_one_act,
                    quarantine_decide_twice_under_one_action_id_is_one_act,
                    pause_set_twice_under_one_action_id_is_one_act,
                    payload_erase_twice_under_one_action_id_is_one_act,
                    marker_set_twice_under_one_action_id_is_one_act,
                    action_expire_forgets_what_nobody_repeats_any_more,
                ]
                token: [
                    token_create_keeps_what_it_opens_and_who_made_it,
                    token_create_of_a_known_id_or_secret_changes_nothing,
                    token_create_that_could_approve_names_a_person,
                    token_create_twice_under_one_action_id_is_one_act,
                    token_find_goes_by_the_whole_secret,
                    token_revoke_leaves_the_record_of_who_could_do_what,
                    token_list_is_in_the_order_of_making_within_the_namespace,
                    token_any_says_whether_one_was_ever_made,
                ]
                bulk: [
                    work_replay_all_spreads_the_oldest_and_leaves_the_rest,
                    work_replay_all_takes_what_is_chosen_and_nothing_else,
                    work_choose_count_is_of_the_choice,
                    outbox_decide_all_sends_again_spread_in_time,
                    outbox_decide_all_cancels_what_is_chosen,
                    outbox_choose_count_is_of_the_choice,
                ]
                reprocess: [
                    work_reprocess_is_new_work_beside_the_old_with_the_same_root,
                    work_reprocess_happens_once_a_version,
                    work_reprocess_waits_for_the_end_of_the_old_work,
                    work_reprocess_of_an_erased_event_has_nothing_to_run,
                    work_reprocess_is_for_events,
                ]
                retention: [
                    family_expire_forgets_a_family_whole_and_nothing_else,
                    family_expire_waits_until_everything_that_came_of_the_event_has_ended,
                    family_expire_makes_its_event_too_old_and_never_new,
                    family_expire_knows_no_event_again_that_comes_under_another_time,
                    family_expire_leaves_its_event_too_old_under_a_longer_window,
                    family_expire_finds_the_event_too_old_under_an_earlier_identity,
                    family_expire_keeps_a_family_for_the_longest_window_in_it,
                    family_expire_takes_what_ended_before_the_marker_was_set,
                    family_expire_goes_on_from_batch_to_batch_until_nothing_is_left,
                    family_expire_leaves_tokens_and_other_namespaces_alone,
                    family_expire_s21_keeps_done_items_for_the_window_of_their_run,
                    family_expire_s22_keeps_a_sent_row_as_long_as_it_suppresses_others,
                    family_expire_keeps_a_family_while_an_event_that_collided_with_it_waits,
                    family_expire_leaves_an_admitted_event_too_old_whichever_goes_first,
                    family_due_says_what_would_be_forgotten_and_forgets_nothing,
                    family_kept_says_how_many_wait_for_time_and_for_markers,
                    decision_expire_forgets_old_answers_that_no_work_refers_to,
                    decision_due_says_what_would_be_forgotten_and_forgets_nothing,
                    marker_set_moves_a_marker_on,
                    marker_list_is_by_name_within_the_namespace,
                ]
                erase: [
                    payload_erase_takes_the_payloads_of_the_family_and_leaves_its_identity,
                    payload_erase_leaves_the_evidence_as_it_was_told,
                    payload_erase_is_refused_while_anything_of_the_family_is_open,
                    payload_erase_is_refused_while_a_suppressed_row_may_take_its_turn,
                    payload_erase_leaves_an_answer_that_another_work_refers_to,
                    payload_erase_takes_kept_events_that_a_person_has_decided_about,
                    payload_erase_takes_answers_that_a_person_had_renewed,
                    payload_erase_of_nothing_and_of_another_namespace_is_unknown,
                    payload_scrub_changes_nothing_that_is_kept,
                ]
                inspect: [
                    work_list_is_newest_first_and_filtered,
                    work_list_goes_on_where_a_page_ended_whatever_came_meanwhile,
                    work_family_is_all_that_descends_from_a_root,
                    work_show_finds_the_work_of_its_namespace,
                    work_show_in_json_reads_back_as_it_was,
                    work_resolve_takes_the_beginning_of_an_id_or_a_readable_key,
                    work_counts_are_by_state,
                    outbox_list_is_newest_first_and_filtered,
                    outbox_list_goes_on_where_a_page_ended_whatever_came_meanwhile,
                    destination_rows_are_those_before_each_destination,
                    outbox_resolve_takes_the_beginning_of_an_id,
                    outbox_counts_are_by_state,
                    pending_oldest_is_when_the_first_of_what_waits_was_recorded,
                    ledger_watch_does_not_end_while_the_ledger_works,
                    ledger_size_grows_with_what_is_kept,
                ]
            }
        }
    };
}

/// A module a noun, a test a case.
macro_rules! cases {
    ($backend:expr; $($noun:ident: [$($case:ident,)+])+) => {
        $(mod $noun {
            $(#[tokio::test]
            async fn $case() {
                let bench = $crate::conformance::harness::Bench::new($backend).await;
                $crate::conformance::$noun::$case(bench).await;
            })+
        })+
    };
}

pub(crate) use cases;

conformance!(sqlite, crate::sqlite::backend::SqliteBackend::default());

/// An operation without a case would be promised by nobody.
#[test]
fn every_operation_has_a_case() {
    let (roles, suite) = (include_str!("../../../host/src/store/mod.rs"), include_str!("mod.rs"));
    let operations: Vec<_> = roles
        .lines()
        .filter_map(|line| line.trim().strip_prefix("async fn "))
        .filter_map(|rest| rest.split_once('(').map(|(name, _)| name))
        .collect();
    assert!(operations.len() >= 24, "{operations:?}");
    for operation in operations {
        let case = format!(" {operation}_");
        assert!(suite.lines().any(|line| line.contains(&case)), "no case begins with {operation}");
    }
}
