//! Skills for large libraries: parts of real ones put together anew, the same in every run.

use std::path::Path;
use std::process::Command;

use model::Scope;
use search::Document;

use super::sets::{Set, Text, run};

/// Parts of real skills.
pub(crate) struct Workshop {
    names: Vec<String>,
    sentences: Vec<String>,
    examples: Vec<String>,
    tags: Vec<String>,
    /// Lines of instructions.
    lines: Vec<String>,
    /// Questions that people asked.
    pub(crate) questions: Vec<String>,
}

impl Workshop {
    pub(crate) fn new(sets: &[Set], archive: &Path) -> Self {
        let documents = || sets.iter().filter(|set| set.ranks()).flat_map(|set| &set.documents);
        let questions = |set: &Set| {
            set.questions
                .iter()
                .take(200)
                .map(|question| question.text.replace('\n', " "))
                .collect::<Vec<_>>()
        };
        let mut workshop = Self {
            names: documents().map(|document| document.name.clone()).collect(),
            sentences: documents().flat_map(|document| sentences(&document.description)).collect(),
            examples: documents().flat_map(|document| document.examples.clone()).collect(),
            tags: documents().flat_map(|document| document.tags.clone()).collect(),
            lines: documents().flat_map(|document| sentences(&document.body)).collect(),
            questions: in_turns(&sets.iter().filter(|set| set.ranks()).map(questions).collect::<Vec<_>>()),
        };
        let unpack =
            || run(Command::new("tar").args(["--extract", "--gzip", "--to-stdout", "--file"]).arg(archive));
        let files = if archive.is_file() { unpack().unwrap_or_default() } else { String::new() };
        for line in files.lines().map(str::trim).filter(|line| (40..400).contains(&line.len())) {
            match line.strip_prefix("description:") {
                Some(description) => workshop.sentences.extend(sentences(description)),
                None => workshop.lines.push(line.to_owned()),
            }
        }
        workshop
    }

    /// The skill with this number: a name of up to four words, two or three sentences, two tags, two example prompts and
    /// eight lines of instructions.
    pub(crate) fn skill(&self, number: usize) -> Text {
        let mut dice = Dice(number as u64);
        let words = |name: &str| name.split_whitespace().take(2).collect::<Vec<_>>().join("-").to_lowercase();
        let mut many = |from: &[String], count: usize| -> Vec<String> {
            (0..count).filter_map(|_| dice.choose(from).cloned()).collect()
        };
        Text {
            id: String::new(),
            name: many(&self.names, 2).iter().map(|name| words(name)).collect::<Vec<_>>().join("-"),
            description: many(&self.sentences, 2 + number % 2).join(" "),
            tags: many(&self.tags, 2),
            examples: many(&self.examples, 2),
            body: many(&self.lines, 8).join("\n"),
        }
    }
}

/// A made skill as search sees it.
pub(crate) fn document(text: &Text, number: usize, scope: Scope) -> Document<'_> {
    Document { scope, ..text.document(number, true) }
}

fn sentences(text: &str) -> Vec<String> {
    let sentences = text.split_inclusive(". ").map(str::trim).filter(|sentence| sentence.len() >= 20);
    sentences.map(str::to_owned).collect()
}

/// One of each, then the next of each.
fn in_turns(lists: &[Vec<String>]) -> Vec<String> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|place| lists.iter().filter_map(move |list| list.get(place).cloned())).collect()
}

/// Numbers that look random and are the same in every run (splitmix64).
struct Dice(u64);

impl Dice {
    fn choose<'a>(&mut self, from: &'a [String]) -> Option<&'a String> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let place = usize::try_from((mixed ^ (mixed >> 31)) >> 1).ok()?;
        from.get(place.checked_rem(from.len())?)
    }
}
