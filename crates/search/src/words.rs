//! Text to words: identifiers taken apart, accents and case folded, everything else a gap.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization as _;

/// Calls back with each word of a text, folded. `calculateRevenue_growth` is three words.
pub(crate) fn each_word(text: &str, mut word: impl FnMut(&str)) {
    let mut buffer = String::with_capacity(32);
    if text.is_ascii() {
        each_ascii_word(text.as_bytes(), &mut buffer, &mut word);
        return;
    }
    let is_accent = |letter: &char| get_general_category(*letter) == GeneralCategory::NonspacingMark;
    let folded: String = split_identifiers(text).nfkd().filter(|letter| !is_accent(letter)).collect();
    let mut flush = |buffer: &mut String| {
        if !buffer.is_empty() {
            word(buffer);
            buffer.clear();
        }
    };
    for letter in folded.to_lowercase().chars() {
        if is_ideograph(letter) {
            flush(&mut buffer);
            buffer.push(letter);
            flush(&mut buffer);
        } else if is_part_of_a_word(letter) {
            buffer.push(letter);
        } else {
            flush(&mut buffer);
        }
    }
    flush(&mut buffer);
}

/// Calls back with the words of each compound of a text: of what is written in one go, or with `-` and `_` between.
pub(crate) fn each_compound(text: &str, mut compound: impl FnMut(&[String])) {
    let is_inside = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    for run in text.split(|letter| !is_inside(letter)) {
        // Two hyphens in a row are no part of a compound.
        for run in run.split("--").flat_map(|run| run.split("__")) {
            let is_compound = run.len() > 3
                && (run.contains(['-', '_'])
                    || run.chars().skip(1).any(char::is_uppercase)
                    || !run.is_ascii());
            if is_compound {
                let words = words(run);
                if words.len() > 1 {
                    compound(&words);
                }
            }
        }
    }
}

/// The words of a text as a list.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, |word| words.push(word.to_owned()));
    words
}

fn each_ascii_word(text: &[u8], buffer: &mut String, word: &mut impl FnMut(&str)) {
    for (place, &letter) in text.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|place| text.get(place)).copied().unwrap_or(b' ');
        let ends = !letter.is_ascii_alphanumeric()
            || starts_a_part(before.into(), letter.into(), text.get(place + 1).copied().map(char::from));
        if ends && !buffer.is_empty() {
            word(buffer);
            buffer.clear();
        }
        if letter.is_ascii_alphanumeric() {
            buffer.push(letter.to_ascii_lowercase().into());
        }
    }
    if !buffer.is_empty() {
        word(buffer);
    }
}

/// Whether a part of an identifier starts here: `fooBar`, `v2Beta`, `HTTPServer`.
fn starts_a_part(before: char, letter: char, after: Option<char>) -> bool {
    letter.is_uppercase()
        && (before.is_lowercase()
            || before.is_ascii_digit()
            || (before.is_uppercase() && after.is_some_and(char::is_lowercase)))
}

fn split_identifiers(text: &str) -> String {
    let mut split = String::with_capacity(text.len() + 16);
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if starts_a_part(before, letter, letters.peek().copied()) {
            split.push(' ');
        }
        split.push(letter);
        before = letter;
    }
    split
}

/// Letters and numbers; vowel signs beside a letter are neither.
fn is_part_of_a_word(letter: char) -> bool {
    use GeneralCategory::{
        DecimalNumber, LetterNumber, LowercaseLetter, ModifierLetter, OtherLetter, OtherNumber,
        TitlecaseLetter, UppercaseLetter,
    };
    let category = get_general_category(letter);
    matches!(
        category,
        UppercaseLetter
            | LowercaseLetter
            | TitlecaseLetter
            | ModifierLetter
            | OtherLetter
            | DecimalNumber
            | LetterNumber
            | OtherNumber
    )
}

fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn identifiers_are_taken_apart() {
        assert_eq!(words("calculate_revenue_growth"), ["calculate", "revenue", "growth"]);
        assert_eq!(words("getHTTPServerURL2Text v2"), ["get", "http", "server", "url2", "text", "v2"]);
        assert_eq!(words("pdf-tools/report.docx"), ["pdf", "tools", "report", "docx"]);
    }

    #[test]
    fn compounds_are_what_is_written_in_one_go() {
        let mut found = Vec::new();
        super::each_compound("Open a pull-request on GitHub, see snake_case_names -- really", |parts| {
            found.push(parts.join("+"));
        });
        assert_eq!(found, ["pull+request", "git+hub", "snake+case+names"]);
    }

    #[test]
    fn accents_and_case_are_folded_and_ideographs_stand_alone() {
        assert_eq!(words("Überprüfe das Café"), ["uberprufe", "das", "cafe"]);
        assert_eq!(words("読む pdf"), ["読", "む", "pdf"]);
        assert_eq!(words(" \n…—"), Vec::<String>::new());
    }
}
