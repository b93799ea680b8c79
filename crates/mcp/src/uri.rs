//! `skill://` addresses: `skill://NAME/PATH`, or `skill://KEPT/NAME/PATH` where a skill is kept under another name than
//! its own `SKILL.md` says.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

const SCHEME: &str = "skill://";
/// What may not stand in a path as it is.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b']')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Where the files of a skill are found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SkillUri(String);

impl SkillUri {
    /// Of a skill that is kept under a name, and calls itself by one.
    pub(crate) fn new(kept: &str, declared: Option<&str>) -> Self {
        match declared.filter(|declared| *declared != kept) {
            Some(declared) => Self(format!("{SCHEME}{kept}/{declared}")),
            None => Self(format!("{SCHEME}{kept}")),
        }
    }

    /// A file or a folder in it.
    pub(crate) fn of(&self, path: &str) -> String {
        format!("{}/{}", self.0, utf8_percent_encode(path, ESCAPED))
    }

    /// The path in this folder that an address means; the folder itself is the empty path.
    pub(crate) fn path_of(&self, uri: &str) -> Option<String> {
        let rest = uri.strip_prefix(&self.0)?;
        let path = if rest.is_empty() { rest } else { rest.strip_prefix('/')? };
        percent_decode_str(path.trim_end_matches('/')).decode_utf8().ok().map(std::borrow::Cow::into_owned)
    }
}

/// The name under which the skill of an address is kept.
pub(crate) fn kept_name(uri: &str) -> Option<&str> {
    let rest = uri.strip_prefix(SCHEME)?;
    let name = rest.split('/').next()?;
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_back_to_the_path_it_was_made_of() {
        let uri = SkillUri::new("refunds", Some("refunds"));
        for path in ["SKILL.md", "references/a b.md", "größe/100%.txt", "a?b#c"] {
            let address = uri.of(path);
            assert!(address.is_ascii(), "{address}");
            assert_eq!(kept_name(&address), Some("refunds"));
            assert_eq!(uri.path_of(&address).as_deref(), Some(path));
        }
        assert_eq!(uri.path_of("skill://refunds").as_deref(), Some(""));
        assert_eq!(uri.path_of("skill://refunds2/SKILL.md"), None);
    }

    #[test]
    fn a_skill_that_calls_itself_otherwise_stands_below_the_name_it_is_kept_under() {
        let uri = SkillUri::new("refunds-7f3a", Some("refunds"));
        assert_eq!(uri.of("SKILL.md"), "skill://refunds-7f3a/refunds/SKILL.md");
        assert_eq!(kept_name("skill://refunds-7f3a/refunds/SKILL.md"), Some("refunds-7f3a"));
        assert_eq!(kept_name("file:///etc/passwd"), None);
    }
}
