//! Makes foreign text harmless to a terminal: no escape sequences, no direction tricks, no invisible letters.

use model::is_unseen;

/// Foreign text on one line: breaks become spaces, everything harmful is spelled out.
pub(crate) fn line(foreign: &str) -> String {
    escape(foreign, false)
}

/// Foreign text that keeps its line breaks and tabs.
pub(crate) fn text(foreign: &str) -> String {
    escape(foreign, true)
}

fn escape(foreign: &str, keeps_breaks: bool) -> String {
    let mut safe = String::with_capacity(foreign.len());
    for character in foreign.chars() {
        match character {
            '\n' | '\t' if keeps_breaks => safe.push(character),
            '\r' if keeps_breaks => {}
            '\n' | '\t' | '\r' => safe.push(' '),
            c if is_unseen(c) => safe.extend(c.escape_unicode()),
            c => safe.push(c),
        }
    }
    safe
}

/// JSON that a terminal does not obey either, and that means the same to a program.
pub(super) fn json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut units = [0; 2];
    for character in text.chars() {
        // Outside of strings there are only line breaks, which stay.
        if character != '\n' && is_unseen(character) {
            for unit in character.encode_utf16(&mut units) {
                safe.push_str("\\u");
                safe.extend(
                    [12, 8, 4, 0]
                        .map(|shift| char::from_digit(u32::from(*unit >> shift) & 0xf, 16).unwrap_or('0')),
                );
            }
        } else {
            safe.push(character);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_never_obeys_foreign_text() {
        assert_eq!(line("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(line("a\u{202e}b\u{9b}c\u{7}"), "a\\u{202e}b\\u{9b}c\\u{7}");
        assert_eq!(line("a\r\nb\tc"), "a  b c");
        assert_eq!(text("a\r\nb\tc\u{8}"), "a\nb\tc\\u{8}");
        assert_eq!(line("héllo 技能 👩‍🔧"), "héllo 技能 👩‍🔧");
        let value = serde_json::json!({"a": "\u{9b}31m \u{e0041} \u{202e} \u{1b} é"});
        let shown = json(&serde_json::to_string_pretty(&value).unwrap());
        assert!(shown.chars().all(|c| c == '\n' || !is_unseen(c)), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
        assert_eq!(line("hid\u{e0041}den"), "hid\\u{e0041}den");
    }
}
