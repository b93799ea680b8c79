//! The reference validator of the Agent Skills standard, reproduced to the letter.
//!
//! It agrees with `skills-ref` 0.1.1 over strictyaml 1.7.3: the same verdict, messages and order, down to the marks
//! and snippets of a YAML problem. It must never be improved; our own rules live elsewhere.
//!
//! Where the reference ends in an uncaught exception (bytes that are not UTF-8, control characters, comments that
//! collide, a key that is a sequence, nesting of hundreds of levels) there is no text to agree with: we report one
//! error that begins with [`UNREADABLE`]. Where exactly nesting becomes too deep depends on the Python that runs the
//! reference, as do letters that are newer than its Unicode tables. A lone surrogate, which only an escape in double
//! quotes can name, counts as U+FFFD.

mod fields;
mod frontmatter;
mod properties;
mod python;
mod yaml;

pub use self::properties::{
    PromptEntry, Properties, escape_html, read_properties, skill_to_prompt, to_prompt,
};
pub use self::yaml::Value;

use self::python::display_path;

/// How the error begins that we report where the reference crashes.
pub const UNREADABLE: &str = "SKILL.md cannot be read: ";

/// What a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetKind {
    /// Nothing.
    Missing,
    /// A file, or anything else that is no directory.
    NotADirectory,
    /// A directory.
    Directory,
}

/// A path to judge, with what the caller found there.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The path as the user wrote it, for messages.
    pub path: &'a str,
    /// What the path names.
    pub kind: TargetKind,
    /// The last part of the path as `pathlib` has it (nothing for `.`), which the name of the skill must equal.
    pub directory_name: &'a str,
    /// The bytes of `SKILL.md`, or of `skill.md` where only that exists.
    pub skill_file: Option<&'a [u8]>,
}

/// All errors of the skill, in the order of the reference; none means that it is valid.
pub fn validate(target: Target<'_>) -> Vec<String> {
    match target.kind {
        TargetKind::Missing => return vec![format!("Path does not exist: {}", display_path(target.path))],
        TargetKind::NotADirectory => return vec![format!("Not a directory: {}", display_path(target.path))],
        TargetKind::Directory => {}
    }
    let Some(bytes) = target.skill_file else {
        return vec!["Missing required file: SKILL.md".to_owned()];
    };
    match frontmatter::parse(bytes) {
        Ok(entries) => fields::errors(&entries, target.directory_name),
        Err(error) => vec![error],
    }
}
