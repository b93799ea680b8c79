//! What is worth knowing about a `SKILL.md` that reads well: limits of the standard, and text nobody can see.

use crate::finding::Finding;
use crate::frontmatter::Fields;
use crate::frontmatter::split::lines;

/// The most lines of a body that the standard recommends.
const BODY_LINES: usize = 500;

/// The findings on the fields, the whole text and the body.
pub(crate) fn lint(fields: &Fields, description: Option<&str>, text: &str, body: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    if fields.name.is_none() {
        findings.push(Finding::warning("name_missing", "there is no name; add `name:` to the frontmatter"));
    }
    let long =
        |text: Option<&str>, max: usize| text.map(|text| text.chars().count()).filter(|count| *count > max);
    if let Some(count) = long(description, 1024) {
        let message = format!("the description has {count} characters; other clients stop at 1024");
        findings.push(Finding::warning("description_too_long", message));
    }
    if let Some(count) = long(fields.compatibility.as_deref(), 500) {
        let message = format!("`compatibility` has {count} characters; other clients stop at 500");
        findings.push(Finding::warning("compatibility_too_long", message));
    }
    let count = lines(body, 0).count();
    if count > BODY_LINES {
        let message = format!(
            "the body has {count} lines; the standard recommends {BODY_LINES}, move details into `references/`"
        );
        findings.push(Finding::info("body_long", message));
    }
    findings.extend(hidden(text));
    findings
}

/// The first character that a model reads and a person does not see, or sees elsewhere.
fn hidden(text: &str) -> Option<Finding> {
    let (number, found) = (1_u32..)
        .zip(lines(text, 0))
        .find_map(|(number, line)| Some((number, line.of(text).chars().find(|c| is_hidden(*c))?)))?;
    let message =
        format!("there is a hidden character (U+{:04X}); remove it or say why it is there", u32::from(found));
    Some(Finding::warning("hidden_character", message).at(number))
}

/// Tag characters, direction overrides and isolates.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_text_is_reported_with_its_line() {
        let codes = |text: &str| {
            let fields = Fields { name: Some("a".to_owned()), ..Fields::default() };
            let found = lint(&fields, Some("d"), text, text);
            found.into_iter().map(|finding| (finding.code, finding.line)).collect::<Vec<_>>()
        };
        assert_eq!(codes("a\nb\u{e0041}c\n\u{e0042}"), [("hidden_character", Some(2))]);
        assert_eq!(codes("x\u{202e}y"), [("hidden_character", Some(1))]);
        assert_eq!(codes("👩\u{200d}💻 नमस्\u{200c}ते"), []);
        assert_eq!(codes(&"line\n".repeat(501)), [("body_long", None)]);
    }
}
