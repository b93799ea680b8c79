//! A set of questions with known answers, as a file: JSON lines, or a table with commas or tabs.

use std::path::Path;

use serde::Deserialize;

use crate::exit::{Failure, Outcome};

/// A question and the names of the skills that would be right; none when nothing is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) query: String,
    pub(super) expect: Vec<String>,
}

#[derive(Deserialize)]
struct Line {
    query: String,
    #[serde(default)]
    expect: Option<Expect>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Expect {
    One(String),
    Several(Vec<String>),
}

/// Reads a set of questions; the ending of the file says how it is written.
pub(super) fn read(path: &Path) -> Outcome<Vec<Question>> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::file("read", path, &error))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    let questions = match ending.as_str() {
        "csv" => table(text, ','),
        "tsv" => table(text, '\t'),
        _ => lines(text),
    };
    let questions =
        questions.map_err(|problem| Failure::invalid(format!("`{}`: {problem}", path.display())))?;
    if questions.is_empty() {
        return Err(Failure::invalid(format!("there is no question in `{}`", path.display())).hint(
            r#"one a line: {"query": "how much interest do I pay", "expect": ["compound-interest"]}"#,
        ));
    }
    Ok(questions)
}

fn question(query: &str, expect: Vec<String>, number: usize) -> Result<Question, String> {
    if query.trim().is_empty() {
        return Err(format!("line {number}: the query is empty"));
    }
    let mut names: Vec<String> = Vec::new();
    for name in expect {
        // People write `Revenue_Growth` and mean `revenue-growth`.
        let name = model::slugify(&name).map_or(name, |name| name.to_string());
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(Question { query: query.trim().to_owned(), expect: names })
}

fn lines(text: &str) -> Result<Vec<Question>, String> {
    let lines = text.lines().zip(1_usize..).filter(|(line, _)| !line.trim().is_empty());
    lines
        .map(|(line, number)| {
            let line: Line = serde_json::from_str(line).map_err(|error| {
                // A whole line is a document of its own: its line number says nothing.
                let error = error.to_string();
                format!("line {number}: {}", error.split(" at line ").next().unwrap_or_default())
            })?;
            let expect = match line.expect {
                None => Vec::new(),
                Some(Expect::One(name)) => vec![name],
                Some(Expect::Several(names)) => names,
            };
            question(&line.query, expect, number)
        })
        .collect()
}

fn table(text: &str, between: char) -> Result<Vec<Question>, String> {
    let mut rows = rows(text, between)?.into_iter();
    let (_, header) = rows.next().ok_or("the file is empty")?;
    let column = |name: &str| header.iter().position(|title| title.trim().eq_ignore_ascii_case(name));
    let query = column("query").ok_or("the first line names no column `query`")?;
    let expect = column("expect").ok_or("the first line names no column `expect`")?;
    rows.filter(|(_, row)| row.iter().any(|cell| !cell.trim().is_empty()))
        .map(|(number, row)| {
            let cell = |place: usize| row.get(place).map(String::as_str).unwrap_or_default();
            let names = cell(expect).split([' ', ';']).filter(|name| !name.is_empty()).map(str::to_owned);
            question(cell(query), names.collect(), number)
        })
        .collect()
}

/// The rows of a table (RFC 4180), each with the line it begins on. Cells in quotes may hold anything.
fn rows(text: &str, between: char) -> Result<Vec<(usize, Vec<String>)>, String> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut begins, mut quoted) = (1, 1, false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' if quoted => quoted = false,
            '"' if cell.is_empty() => quoted = true,
            '\r' if !quoted && letters.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push((begins, std::mem::take(&mut row)));
                line += 1;
                begins = line;
            }
            letter if letter == between && !quoted => row.push(std::mem::take(&mut cell)),
            letter => {
                line += usize::from(letter == '\n');
                cell.push(letter);
            }
        }
    }
    if quoted {
        return Err(format!("line {begins}: a quote is never closed"));
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push((begins, row));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(query: &str, expect: &[&str]) -> Question {
        Question { query: query.into(), expect: expect.iter().map(|&name| name.into()).collect() }
    }

    #[test]
    fn json_lines_name_one_several_or_none() {
        let text = "{\"query\": \"a\", \"expect\": [\"One_Two\", \"one-two\", \"b\"], \"id\": 7}\n\n{\"query\": \" c \"}\r\n{\"query\":\"d\",\"expect\":\"e\"}";
        let wanted = [made("a", &["one-two", "b"]), made("c", &[]), made("d", &["e"])];
        assert_eq!(lines(text).unwrap(), wanted);
        for (bad, word) in [("{}", "query"), ("\nx", "line 2"), ("{\"query\": \" \"}", "empty")] {
            let problem = lines(bad).unwrap_err();
            assert!(problem.contains(word), "{problem}");
        }
    }

    #[test]
    fn a_table_has_its_columns_in_any_order() {
        let text = "expect,note,Query\r\nx;y z,n,\"a \"\"b\"\",\nc\"\n\n,n,nothing fits\n";
        assert_eq!(
            table(text, ',').unwrap(),
            [made("a \"b\",\nc", &["x", "y", "z"]), made("nothing fits", &[])]
        );
        assert_eq!(table("query\texpect\nhow, so\tx", '\t').unwrap(), [made("how, so", &["x"])]);
        for (bad, word) in [
            ("", "empty"),
            ("a,b\n1,2", "query"),
            ("query,b\n1,2", "expect"),
            ("query,expect\n\"a", "line 2"),
        ] {
            let problem = table(bad, ',').unwrap_err();
            assert!(problem.contains(word), "{problem}");
        }
    }
}
