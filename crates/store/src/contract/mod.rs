//! The suite that every back end passes: each claim is a function over an empty database, named after what it claims.
//!
//! A back end runs them all with [`contract_tests!`](crate::contract_tests), one test a claim. A claim knows nothing
//! of SQL, and never looks behind [`Store`](crate::Store).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::assigning_clones,
    clippy::inconsistent_struct_constructor,
    clippy::case_sensitive_file_extension_comparisons,
    reason = "it is test code: panicking is how a claim fails, and nothing has to be fast"
)]
#![allow(missing_docs, reason = "a claim's name says it all")]

pub mod agents;
pub mod analytics;
pub mod audit;
pub mod governance;
pub mod idempotency;
pub mod policies_in_force;
mod random;
pub mod random_operations;
pub mod revisions;
pub mod runs;
pub mod samples;
pub mod scopes;
pub mod search;
pub mod sessions;
pub mod sign_ins;
pub mod skill_lists;
pub mod skill_pages;
pub mod skills;
pub mod statistics;
pub mod tokens;
pub mod transactions;
pub mod upgrades;
pub mod users;
pub mod workspaces;
mod world;

pub use world::World;

/// One test a claim. `$open` is an async function that gives an `Arc<dyn Store>` on an empty database, and a guard
/// that is dropped when the store was closed.
#[macro_export]
macro_rules! contract_tests {
    ($open:path) => {
        $crate::contract_tests! { @each $open;
            workspaces {
                a_workspace_comes_back_as_it_was_stored
                a_taken_workspace_name_is_refused_and_the_transaction_goes_on
                updating_a_workspace_replaces_title_and_settings_only
                workspaces_are_listed_by_name
            }
            users {
                a_user_comes_back_as_it_was_stored
                a_taken_handle_is_refused_and_the_transaction_goes_on
                updating_a_user_keeps_id_and_handle
                a_second_membership_replaces_the_roles
                members_are_listed_by_handle_and_only_of_their_workspace
                a_removed_member_is_gone_and_cannot_be_removed_twice
            }
            tokens {
                a_token_comes_back_as_it_was_stored
                tokens_are_listed_newest_first_and_by_user
                a_token_is_of_no_other_workspace
                revoking_ends_a_token_once
                revoking_all_of_a_user_leaves_others_and_earlier_ends_alone
                tokens_that_ended_before_a_moment_are_forgotten
            }
            sign_ins {
                a_sign_in_comes_back_and_ends
                ending_all_of_a_user_takes_sign_ins_and_links
                a_link_is_taken_once
                of_two_takers_at_once_one_gets_the_link
                a_taken_link_comes_back_when_the_transaction_does_not_commit
                what_expired_is_removed_and_counted
            }
            agents {
                an_agent_comes_back_as_it_was_stored
                a_taken_agent_name_is_refused_and_the_transaction_goes_on
                the_same_agent_name_may_stand_in_another_workspace
                agents_are_listed_by_name_in_pages
                updating_an_agent_replaces_it_with_its_assignments
                a_stale_agent_changes_nothing
                a_removed_agent_takes_its_assignments_along
                an_agent_that_owns_skills_is_not_removed
                assigning_an_unknown_skill_is_a_conflict
            }
            skills {
                a_skill_comes_back_as_it_was_stored
                a_full_skill_comes_back_as_it_was_stored
                duplicate_name_in_a_scope_is_refused_and_the_transaction_goes_on
                the_same_name_may_stand_in_every_other_scope
                the_same_name_may_stand_in_another_workspace
                a_source_is_imported_once_a_scope
                skills_without_a_source_do_not_clash
                a_skill_is_found_by_name_in_its_very_scope_only
                a_skill_is_found_by_source_in_its_very_scope_only
                stale_version_changes_nothing
                an_update_replaces_every_field
                renaming_onto_a_taken_name_is_a_conflict
                a_skill_of_an_unknown_agent_is_a_conflict
                soft_delete_frees_name_and_source
                bringing_back_onto_a_taken_name_is_a_conflict
                purging_removes_everything_of_a_skill
                purging_keeps_shared_blobs_and_removes_others
                purging_spares_other_workspaces
                rejected_content_is_found_by_digest
                untouched_drafts_are_found
                deleted_skills_wait_to_be_purged
                assigned_agents_are_listed_by_name
                text_survives_whatever_it_holds
                moments_round_trip_to_the_microsecond
            }
            skill_lists {
                an_empty_filter_shows_all_but_deleted
                words_must_all_stand_somewhere
                words_are_taken_literally
                words_fold_case_in_every_script
                a_tag_matches_exactly
                status_enabled_origin_and_scope_narrow
                owners_narrow
                facets_narrow
                a_name_matches_exactly
                waiting_is_what_someone_has_to_decide
                deleted_shows_only_what_can_be_brought_back
                filters_combine
                the_count_knows_nothing_of_pages
                tags_are_counted_over_what_can_be_seen
                records_carry_their_statistics
                groups_know_their_owners
                control_characters_in_a_filter_find_nothing_and_break_nothing
            }
            scopes {
                a_user_sees_their_own_and_the_shared_through_any_agent
                through_an_agent_nothing_of_another_agent_is_seen
                visibility_holds_for_lists_counts_and_tags
                workspaces_never_mix
                the_nearest_of_each_name_wins
                what_cannot_be_used_hides_nothing
                what_is_off_counts_where_nothing_of_its_name_is_on
                what_cannot_be_seen_hides_nothing
                nearest_goes_with_other_filters_and_pages
            }
            skill_pages {
                pages_by_name_cover_everything_once
                pages_by_change_cover_everything_once
                pages_by_creation_cover_everything_once
                equal_keys_are_told_apart_by_id
                names_sort_by_their_bytes
                a_page_goes_on_after_a_row_that_is_gone
            }
            revisions {
                a_revision_comes_back_with_its_files_in_path_order
                revisions_are_listed_newest_first_in_pages
                a_revision_number_is_used_once
                a_revision_is_found_by_its_label
                a_label_is_unique_in_a_skill_and_free_in_others
                a_label_can_be_taken_away_and_given_anew
                a_revision_is_let_in_once
                the_newest_revision_with_a_digest_is_found
                a_file_without_its_blob_is_a_conflict
                a_blob_is_stored_once
                blobs_are_of_one_workspace
                any_bytes_come_back
            }
            statistics {
                counters_come_back
                counters_and_feedback_do_not_touch_each_other
                feedback_counts_the_latest_word_of_each_person
                feedback_is_listed_newest_first
                statistics_leave_the_version_alone
                statistics_of_an_unknown_skill_are_a_conflict
            }
            analytics {
                uses_add_up_by_day
                uses_are_narrowed_to_days_user_and_agent
                uses_of_what_is_not_seen_are_not_counted
                used_skills_come_with_the_most_used_first
                unused_skills_come_with_the_longest_unused_first
                uses_through_agents_are_told_with_their_names
                skills_are_counted_by_status
                pruning_forgets_the_days_before_one
                days_go_with_their_skill
                a_use_is_of_a_skill_and_of_no_other_workspace
            }
            runs {
                a_run_comes_back_as_it_was_stored
                a_run_is_of_no_other_workspace
                a_run_of_an_unknown_skill_is_a_conflict
                runs_are_listed_newest_first_in_pages
                runs_are_filtered_by_each_field
                pruning_forgets_what_began_before
                counters_of_revisions_come_back_newest_first
                purging_a_skill_takes_its_runs_and_counters_along
            }
            search {
                change_numbers_grow_with_each_transaction
                a_rolled_back_transaction_leaves_no_trace_of_its_number
                each_change_is_seen_from_before_it_and_not_from_after
                what_changes_nothing_is_no_change_of_a_skill
                pages_of_changes_cover_everything_once
                a_changed_skill_brings_the_text_of_its_current_revision
                changes_of_another_workspace_are_not_seen
                a_purged_id_that_is_taken_again_is_a_skill
                skills_are_written_in_a_transaction_of_their_workspace_only
                skills_are_found_by_their_ids
                vectors_are_replaced_skill_by_skill
                vectors_are_kept_by_embedder
                vectors_go_with_their_skill
                a_reader_that_follows_misses_nothing_of_many_writers
            }
            governance {
                a_governed_run_comes_back_as_it_was_stored
                updating_a_governed_run_replaces_what_changes
                counting_steps_of_a_governed_run_leaves_its_texts
                governed_runs_are_listed_newest_first_in_pages
                governed_runs_are_filtered_by_each_field
                a_decision_comes_back_as_it_was_stored
                a_decision_is_kept_once
                decisions_are_listed_newest_first_in_pages
                decisions_are_filtered_by_each_field
                an_id_in_a_filter_is_taken_literally
                sealed_decisions_keep_their_order
                policies_that_were_active_together_are_told_from_others
                pruning_takes_whole_seals_only
                pruning_takes_runs_that_are_over_and_have_no_decision_left
                pruning_spares_what_is_younger_when_clocks_went_back
                governance_is_of_no_other_workspace
                decisions_that_are_not_committed_are_gone
            }
            policies_in_force {
                policy_changes_begin_with_what_may_be_in_force
                policy_changes_go_on_with_every_skill
            }
            sessions {
                a_session_comes_back_as_it_was_stored
                updating_a_session_replaces_what_changes
                sessions_are_listed_newest_first_in_pages
                sessions_are_filtered_by_each_field
                the_open_session_is_the_one_used_last
                entries_come_back_in_their_order_in_pages
                a_place_in_a_session_is_taken_once
                a_removed_session_takes_its_entries_along
                the_sessions_used_since_a_moment_come_latest_first
                pruning_forgets_sessions_by_their_last_use
                a_session_is_of_no_other_workspace
            }
            audit {
                a_chain_starts_empty
                entries_are_dense_and_sealed
                chains_of_workspaces_are_apart
                entries_are_read_forwards_in_pages
                entries_are_read_backwards_in_pages
                entries_are_filtered_by_each_field
                a_rolled_back_entry_leaves_no_gap
                a_chain_of_no_workspace_is_refused
            }
            idempotency {
                a_key_is_claimed_once
                a_key_belongs_to_one_user_of_one_workspace
                a_rolled_back_claim_is_free_again
                of_two_claims_at_once_one_is_new
                old_keys_are_forgotten
            }
            transactions {
                what_is_not_committed_is_rolled_back
                an_open_transaction_is_not_seen_and_blocks_no_reader
                a_transaction_sees_its_own_writes
                an_unknown_workspace_cannot_be_begun
                a_transaction_that_met_an_error_cannot_be_committed
                concurrent_writers_lose_nothing_and_the_chain_stays_dense
                concurrent_writers_of_many_workspaces_all_finish
                readers_and_writers_together_meet_no_error
                a_begin_given_up_halfway_holds_nothing
                a_task_that_is_aborted_holds_nothing
                the_generation_counts_commits_and_only_them
                a_closed_store_is_unavailable
            }
            random_operations {
                random_operations_agree_with_a_simple_model
            }
        }
    };
    (@each $open:path; $($module:ident { $($claim:ident)+ })+) => {$(
        mod $module {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $claim() {
                    let (store, guard) = $open().await;
                    $crate::contract::$module::$claim(::std::sync::Arc::clone(&store)).await;
                    store.close().await;
                    drop(guard);
                }
            )+
        }
    )+};
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_claim_is_listed() {
        let listed = include_str!("mod.rs");
        let files = [
            include_str!("agents.rs"),
            include_str!("analytics.rs"),
            include_str!("audit.rs"),
            include_str!("governance.rs"),
            include_str!("policies_in_force.rs"),
            include_str!("idempotency.rs"),
            include_str!("random_operations.rs"),
            include_str!("revisions.rs"),
            include_str!("runs.rs"),
            include_str!("scopes.rs"),
            include_str!("search.rs"),
            include_str!("sign_ins.rs"),
            include_str!("skill_lists.rs"),
            include_str!("skill_pages.rs"),
            include_str!("skills.rs"),
            include_str!("statistics.rs"),
            include_str!("tokens.rs"),
            include_str!("transactions.rs"),
            include_str!("users.rs"),
            include_str!("workspaces.rs"),
        ];
        let missing: Vec<_> = files
            .iter()
            .flat_map(|file| file.split("pub async fn ").skip(1))
            .filter_map(|text| text.split('(').next())
            .filter(|claim| !listed.lines().any(|line| line.trim() == *claim))
            .collect();
        assert!(missing.is_empty(), "claims that no back end runs: {missing:?}");
    }

    #[test]
    fn every_method_is_called_by_a_claim() {
        let traits = [
            include_str!("../agents.rs"),
            include_str!("../analytics.rs"),
            include_str!("../audit.rs"),
            include_str!("../governance.rs"),
            include_str!("../idempotency.rs"),
            include_str!("../lib.rs"),
            include_str!("../runs.rs"),
            include_str!("../search.rs"),
            include_str!("../sign_ins.rs"),
            include_str!("../skills.rs"),
            include_str!("../statistics.rs"),
            include_str!("../tokens.rs"),
            include_str!("../users.rs"),
            include_str!("../workspaces.rs"),
        ];
        let claims = [
            include_str!("agents.rs"),
            include_str!("analytics.rs"),
            include_str!("audit.rs"),
            include_str!("governance.rs"),
            include_str!("policies_in_force.rs"),
            include_str!("idempotency.rs"),
            include_str!("revisions.rs"),
            include_str!("runs.rs"),
            include_str!("scopes.rs"),
            include_str!("search.rs"),
            include_str!("sign_ins.rs"),
            include_str!("skill_lists.rs"),
            include_str!("skills.rs"),
            include_str!("statistics.rs"),
            include_str!("tokens.rs"),
            include_str!("transactions.rs"),
            include_str!("users.rs"),
            include_str!("workspaces.rs"),
        ]
        .concat();
        let untested: Vec<_> = traits
            .iter()
            .flat_map(|text| text.split("fn ").skip(1))
            .filter_map(|text| text.split('(').next())
            .filter(|method| !claims.contains(&format!(".{method}(")))
            .collect();
        assert!(untested.is_empty(), "methods that no claim calls: {untested:?}");
    }
}
