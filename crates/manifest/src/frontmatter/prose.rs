//! What a Markdown body says first, for a skill whose frontmatter has no description.

use super::split::lines;

/// The longest description taken from a body, in characters: the standard's limit.
const MAX: usize = 1024;

/// The first paragraph, or the first heading when there is none.
pub(crate) fn summary(body: &str) -> Option<String> {
    let mut heading = None;
    let mut paragraph = String::new();
    let mut fence: Option<&str> = None;
    let mut comment = false;
    for line in lines(body, 0) {
        let row = line.of(body).trim();
        if let Some(mark) = fence {
            fence = (!row.starts_with(mark)).then_some(mark);
            continue;
        }
        if comment || row.starts_with("<!--") {
            comment = !row.contains("-->");
            continue;
        }
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| row.starts_with(mark)) {
            fence = Some(mark);
        }
        let is_prose = fence.is_none() && is_prose(row);
        if is_prose {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(row.trim_start_matches(['>', '-', '*', '+', ' ']));
        } else if !paragraph.is_empty() {
            break;
        } else if heading.is_none() && row.starts_with('#') {
            heading = Some(row.trim_matches(['#', ' ']));
        }
    }
    let found = if paragraph.trim().is_empty() { heading.unwrap_or_default() } else { &paragraph };
    let words = found.split_whitespace().collect::<Vec<_>>().join(" ");
    let text: String = words.chars().filter(|c| !c.is_control()).take(MAX).collect();
    (!text.trim().is_empty()).then(|| text.trim().to_owned())
}

fn is_prose(row: &str) -> bool {
    let ruler = row.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | ' '));
    !ruler && !row.starts_with(['#', '|', '<', '!', '['])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_words_as_a_table() {
        let table = [
            ("# Title\n\nFirst\nparagraph.\n\nSecond.", Some("First paragraph.")),
            ("# Only a title\n", Some("Only a title")),
            ("```\ncode\n```\n\n<!-- no\nno -->\n---\nText", Some("Text")),
            ("> Quoted words\n", Some("Quoted words")),
            ("\n\n", None),
            ("---\n===\n", None),
            ("```\nunclosed", None),
        ];
        for (body, wanted) in table {
            assert_eq!(summary(body).as_deref(), wanted, "{body:?}");
        }
        assert_eq!(summary(&"wörd ".repeat(1000)).map(|text| text.chars().count()), Some(1024));
    }
}
