//! Skills.

mod content;
mod files;
mod history;
mod library;
mod list;
mod propose;
mod rating;
mod requests;
mod review;

pub(crate) use content::{delete, edit, export, read, replace_bundle, undelete};
pub(crate) use files::{delete_file, list_files, put_file, read_file};
pub(crate) use history::{diff, label, list_revisions, read_revision, restore};
pub(crate) use library::{bulk, create, import, validate};
pub(crate) use list::{groups, list, list_tags, resolve, word};
pub(crate) use propose::propose;
pub(crate) use rating::{list_feedback, record_feedback, record_use};
pub(crate) use requests::{FileRequest, bundle_of};
pub(crate) use review::{approve, archive, disable, enable, promote, reject, reopen, submit};

// The macros of the document look for these beside the handlers.
pub(crate) use content::{
    __path_delete, __path_edit, __path_export, __path_read, __path_replace_bundle, __path_undelete,
};
pub(crate) use files::{__path_delete_file, __path_list_files, __path_put_file, __path_read_file};
pub(crate) use history::{
    __path_diff, __path_label, __path_list_revisions, __path_read_revision, __path_restore,
};
pub(crate) use library::{__path_bulk, __path_create, __path_import, __path_validate};
pub(crate) use list::{__path_groups, __path_list, __path_list_tags, __path_resolve};
pub(crate) use propose::__path_propose;
pub(crate) use rating::{__path_list_feedback, __path_record_feedback, __path_record_use};
pub(crate) use review::{
    __path_approve, __path_archive, __path_disable, __path_enable, __path_promote, __path_reject,
    __path_reopen, __path_submit,
};
