//! Foreign bytes to and from bundles: `SKILL.md`, `repertoire.yaml`, file trees, archives.
//!
//! Pure: it never touches a file, a clock or the network. Everything it is given is hostile.

pub mod reference;
