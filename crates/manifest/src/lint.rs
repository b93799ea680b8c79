//! What is worth knowing about a bundle that reads well: limits of the standard, and text nobody can see.

use model::is_unseen;

use crate::finding::Finding;
use crate::frontmatter::Fields;
use crate::frontmatter::split::lines;

/// The most lines of a body that the standard recommends.
const BODY_LINES: usize = 500;

/// The largest file that is looked through for hidden text.
pub const LOOKED_THROUGH: u64 = 1024 * 1024;
/// In how many files of a bundle hidden text is reported, beside `SKILL.md`.
pub const MOST_HIDDEN: usize = 20;

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

/// Hidden text in a file beside `SKILL.md`; nothing where the file is too large or no text.
pub fn hidden_text(path: &str, content: &[u8]) -> Option<Finding> {
    let is_text = content.len() as u64 <= LOOKED_THROUGH && !content.contains(&0);
    let text = std::str::from_utf8(content).ok().filter(|_| is_text)?;
    hidden(text).map(|finding| finding.in_file(path))
}

/// The first character that a model reads and a person does not see, or sees elsewhere.
fn hidden(text: &str) -> Option<Finding> {
    // A byte order mark is no text; in `SKILL.md` it has a finding of its own.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (number, found) = (1_u32..)
        .zip(lines(text, 0))
        .find_map(|(number, line)| Some((number, first_hidden(line.of(text))?)))?;
    let message =
        format!("there is a hidden character (U+{:04X}); remove it or say why it is there", u32::from(found));
    Some(Finding::warning("hidden_character", message).at(number))
}

fn first_hidden(line: &str) -> Option<char> {
    let mut previous = None;
    let mut letters = line.chars().peekable();
    while let Some(c) = letters.next() {
        if is_hidden(previous, c, letters.peek().copied()) {
            return Some(c);
        }
        previous = Some(c);
    }
    None
}

/// Whether nobody sees it. Joiners and variation selectors count where no script and no picture has them: any bytes can
/// be written with them, behind one letter or between two.
fn is_hidden(previous: Option<char>, c: char, next: Option<char>) -> bool {
    let is_start = previous.is_none_or(char::is_whitespace);
    match c {
        '\t' | '\u{c}' => false,
        c if is_joiner(c) => {
            let is_ascii = |c: Option<char>| c.is_some_and(|c| c.is_ascii());
            is_start || previous.is_some_and(is_joiner) || (is_ascii(previous) && is_ascii(next))
        }
        '\u{fe00}'..='\u{fe0f}' => {
            is_start || previous.is_some_and(|c| c.is_ascii_alphabetic() || is_selector(c))
        }
        // These choose among the shapes of a Han character.
        '\u{e0100}'..='\u{e01ef}' => !previous.is_some_and(is_han),
        c => is_unseen(c),
    }
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
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
        assert_eq!(codes("a\n\u{200b}"), [("hidden_character", Some(2))]);
        for hidden in [
            "a\u{fe01}",
            "😀\u{fe0f}\u{fe01}",
            "a\u{e0101}",
            "葛\u{e0100}\u{e0101}",
            "a\u{200d}b",
            "\u{200c}",
        ] {
            assert_eq!(codes(hidden), [("hidden_character", Some(1))], "{hidden:?}");
        }
        for hidden in ["a\u{200c}\u{200d}م", "a\u{1b}[8m", "a\u{ad}b", "a\u{2062}b", "\u{3164}"] {
            assert_eq!(codes(hidden), [("hidden_character", Some(1))], "{hidden:?}");
        }
        for seen in ["👩\u{200d}💻 नमस्\u{200c}ते", "👁\u{fe0f}\u{200d}🗨\u{fe0f} 1\u{fe0f}\u{20e3} ©\u{fe0f}"]
        {
            assert_eq!(codes(seen), [], "{seen:?}");
        }
        for seen in ["葛\u{e0100}飾区", "Windows\u{200c}ها", "\u{feff}a\tb\u{c}"] {
            assert_eq!(codes(seen), [], "{seen:?}");
        }
        assert_eq!(codes(&"line\n".repeat(501)), [("body_long", None)]);
    }

    #[test]
    fn hidden_text_is_looked_for_in_texts_of_a_sane_size() {
        let hidden = "one\ntwo\u{e0041}";
        let found = hidden_text("references/a.md", hidden.as_bytes()).unwrap();
        assert_eq!((found.file.as_deref(), found.line), (Some("references/a.md"), Some(2)));
        assert_eq!(hidden_text("a.bin", &[hidden.as_bytes(), b"\0"].concat()), None);
        assert_eq!(hidden_text("a.bin", &[hidden.as_bytes(), b"\xff"].concat()), None);
        let large = usize::try_from(LOOKED_THROUGH).unwrap();
        assert_eq!(hidden_text("a.md", format!("{hidden}{}", "x".repeat(large)).as_bytes()), None);
    }
}
