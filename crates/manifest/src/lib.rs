//! Foreign bytes to and from bundles: `SKILL.md`, `repertoire.yaml`, file trees, archives.
//!
//! Pure: it never touches a file, a clock or the network. Everything it is given is hostile.

mod archive;
mod clients;
mod compose;
mod edit;
mod finding;
mod fix;
mod frontmatter;
mod limits;
mod lint;
mod naming;
mod reading;
pub mod reference;
mod sidecar;
mod tree;
mod yaml;

pub use archive::{ArchiveError, Unpacked, read_zip, write_zip};
pub use clients::{Client, ClientVerdict, Outcome, verdicts};
pub use compose::{ComposeError, Draft, body_template};
pub use edit::{Change, Changes, EditError, edit};
pub use finding::{Finding, Level};
pub use fix::{Fixed, fix};
pub use limits::{LimitError, Limits};
pub use lint::{LOOKED_THROUGH, MOST_HIDDEN, hidden_text};
pub use naming::choose_name;
pub use reading::{ManifestError, Reading, body, frontmatter, read};
pub use sidecar::{PolicyLines, policy_tests, sidecar_schema};
pub use tree::{DuplicatePath, FileTree, Found};
