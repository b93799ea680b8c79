//! Messages pinned in `tests/reference_cases.txt`, as the real tool gave them.
//!
//! A case is a title (`##`), the directory, the file as a JSON string, and the expected errors. `{{c*n}}` stands for
//! the character `c` written `n` times; `|` continues an error, and `$` ends a line that would end in a space; `crash`
//! means that the reference ends in an exception.

use std::fmt::Write as _;

use repertoire_manifest::reference::{UNREADABLE, validate};

use super::skill;

const CASES: &str = include_str!("../../reference_cases.txt");

/// One case of the golden file.
pub(super) struct Case {
    pub(super) title: &'static str,
    pub(super) directory_name: String,
    pub(super) content: String,
    /// `None` where the reference crashes.
    errors: Option<Vec<String>>,
}

/// All cases of the golden file.
pub(super) fn cases() -> Vec<Case> {
    CASES.split("\n## ").skip(1).map(parse_case).collect()
}

fn parse_case(text: &'static str) -> Case {
    let mut lines = text.lines();
    let title = lines.next().unwrap();
    let directory_name = expand(lines.next().unwrap().strip_prefix("directory ").unwrap());
    let content = lines.next().unwrap().strip_prefix("content ").unwrap();
    let content = expand(&serde_json::from_str::<String>(content).unwrap());
    let mut errors = Some(Vec::<String>::new());
    for line in lines.take_while(|line| !line.is_empty()) {
        let line = line.strip_suffix('$').filter(|line| line.ends_with(' ')).unwrap_or(line);
        if line == "crash" {
            errors = None;
        } else if let Some(error) = line.strip_prefix("error ") {
            errors.as_mut().unwrap().push(expand(error));
        } else {
            let more = line.strip_prefix("    | ").unwrap();
            write!(errors.as_mut().unwrap().last_mut().unwrap(), "\n{}", expand(more)).unwrap();
        }
    }
    Case { title, directory_name, content, errors }
}

fn expand(text: &str) -> String {
    let Some((before, rest)) = text.split_once("{{") else { return text.to_owned() };
    let (repeated, after) = rest.split_once("}}").unwrap();
    let (unit, count) = repeated.split_once('*').unwrap();
    format!("{before}{}{}", unit.repeat(count.parse().unwrap()), expand(after))
}

#[test]
fn messages_are_those_of_the_reference() {
    for case in cases() {
        let errors = validate(skill(&case.directory_name, case.content.as_bytes()));
        if let Some(expected) = case.errors {
            assert_eq!(errors, expected, "{}", case.title);
        } else {
            assert_eq!(errors.len(), 1, "{}", case.title);
            assert!(errors[0].starts_with(UNREADABLE), "{}: {errors:?}", case.title);
        }
    }
}
