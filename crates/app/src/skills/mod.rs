//! Skills: writing them, reading them, deciding about them.

mod access;
mod admission;
mod archive;
mod bundles;
pub mod by_name;
mod changes;
mod create;
mod delete;
mod diff;
mod edit;
mod list;
mod names;
mod prepare;
mod propose;
mod publish;
mod rate;
mod read;
mod review;
mod rewrite;

pub(crate) use access::load;
pub(crate) use archive::archive_error;
pub use archive::{
    Examination, ImportArchive, Imported, bundle_from_archive, bundle_from_files, export_archive,
    import_archive, validate,
};
pub use bundles::export;
pub(crate) use bundles::{content as file_content, load_bundle, load_manifest_bundle};
pub(crate) use changes::readable_changed;
pub use changes::{Changed, changes};
pub use create::{Bulk, BulkItem, BulkMode, Idempotency, bulk, create};
pub use delete::{delete, undelete};
pub use diff::{Change, FileDiff, diff};
pub(crate) use edit::edit_in;
pub use edit::{Edit, EditSkill, edit, label, restore};
pub(crate) use list::visibility;
pub use list::{ListSkills, groups, list, list_all, resolve, tags};
pub use names::{WrittenName, scope_of, written_name};
pub use prepare::read_manifest;
pub(crate) use prepare::{examine, prepare};
pub use propose::{Proposal, Proposed, propose};
pub(crate) use publish::publish;
pub use publish::{Content, CreateSkill, OnConflict, Outcome, Published};
pub(crate) use rate::{count_execution, count_given};
pub use rate::{count_read, feedback, record_feedback, record_use};
pub(crate) use read::usable_digest;
pub use read::{Detail, RevisionRef, file, files, read, read_in_use, revision, revisions};
pub use review::{Decision, Reviewed, decide, promote, set_enabled};
pub(crate) use review::{decide_in, set_enabled_in};
pub use rewrite::{Operation, Rewrite, RewriteSkill, rewrite};
