//! How skills are written for a prompt.
//!
//! What a skill says of itself is foreign text. It stays on its line and is never able to end a block, to begin a
//! heading or a code fence, or to hide letters.

use manifest::reference::{escape_html, skill_to_prompt};
use model::{Origin, SKILL_FILE, Skill, is_unseen};
use store::SkillRecord;

use super::DiscoveredSkill;

/// How the text for a prompt is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PromptFormat {
    /// `## Available Skills`, a line a skill.
    #[default]
    Markdown,
    /// `<available_skills>`, as the reference of the standard has it.
    Xml,
    /// One JSON object.
    Json,
}

/// Where learned skills stand in the text for a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LearnedPlace {
    /// Among the others, each with its origin.
    #[default]
    Shared,
    /// In a block of their own.
    Separate,
}

/// What becomes of learned skills.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Learned {
    /// So many at most where not all skills are listed.
    pub(crate) most: usize,
    pub(crate) place: LearnedPlace,
}

/// How skills are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form {
    pub(crate) format: PromptFormat,
    /// Nothing where learned skills are like all others.
    pub(crate) learned: Option<Learned>,
    /// Whether it is said how often each was used, and with success.
    pub(crate) counts: bool,
}

/// What is said of a skill beside its own words.
#[derive(Clone, Copy)]
struct Marks {
    /// It is learned, and stands among others.
    learned: bool,
    /// How often it was used, and with success.
    counts: Option<(u64, u64)>,
}

impl Marks {
    fn markdown(self) -> String {
        let origin = self.learned.then(|| "learned".to_owned());
        let counts = self.counts.map(|(uses, successes)| format!("uses: {uses}, successes: {successes}"));
        let words: Vec<_> = origin.into_iter().chain(counts).collect();
        if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
    }

    fn xml(self) -> String {
        let origin = if self.learned { " origin=\"learned\"" } else { "" };
        self.counts.map_or_else(
            || origin.to_owned(),
            |(uses, successes)| format!("{origin} use_count=\"{uses}\" success_count=\"{successes}\""),
        )
    }

    fn json(self) -> String {
        let origin = if self.learned { ",\"origin\":\"learned\"" } else { "" };
        self.counts.map_or_else(
            || origin.to_owned(),
            |(uses, successes)| format!("{origin},\"use_count\":{uses},\"success_count\":{successes}"),
        )
    }
}

/// What encloses the skills of a block, and what stands between two of them.
pub(super) struct Frame {
    pub(super) open: &'static str,
    pub(super) between: &'static str,
    pub(super) close: &'static str,
}

impl PromptFormat {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Xml => "xml",
            Self::Json => "json",
        }
    }

    /// What stands between two parts of the text.
    pub(crate) fn between(self) -> &'static str {
        match self {
            Self::Markdown => "\n\n",
            Self::Xml => "\n",
            Self::Json => ",\n",
        }
    }

    /// The whole text.
    pub(crate) fn document(self, parts: &[String]) -> String {
        let text = parts.join(self.between());
        if self == Self::Json { format!("{{{text}}}") } else { text }
    }

    /// A part that is text of ours or of an admin, under its heading or name.
    pub(crate) fn prose(self, heading: &str, name: &str, text: &str) -> String {
        match self {
            Self::Markdown => format!("## {heading}\n{text}"),
            Self::Xml => format!("<{name}>\n{}\n</{name}>", escape_html(text)),
            Self::Json => format!("\"{name}\":{}", quoted(text)),
        }
    }

    fn entry(self, skill: &Skill, apart: bool, marks: Marks) -> String {
        let name = skill.name.as_str();
        match (self, apart) {
            (Self::Markdown, false) => {
                let tags: Vec<_> = skill.tags.iter().map(|tag| markdown(tag)).collect();
                let tags = if tags.is_empty() { String::new() } else { format!(" [{}]", tags.join(", ")) };
                format!("- {name}{}: {}{tags}", marks.markdown(), markdown(&skill.description))
            }
            (Self::Xml, false) => {
                let location = format!("skill://{name}/{SKILL_FILE}");
                let plain = skill_to_prompt(name, &xml(&skill.description), &location);
                plain.replacen("<skill>", &format!("<skill{}>", marks.xml()), 1)
            }
            (Self::Markdown | Self::Xml, true) => {
                let (title, description, marks) = (xml(&skill.title), xml(&skill.description), marks.xml());
                format!("<learned-skill key=\"{name}\" name=\"{title}\"{marks}>{description}</learned-skill>")
            }
            (Self::Json, false) => {
                let tags: Vec<_> = skill.tags.iter().map(|tag| quoted(&one_line(tag))).collect();
                let tags =
                    if tags.is_empty() { String::new() } else { format!(",\"tags\":[{}]", tags.join(",")) };
                let description = quoted(&one_line(&skill.description));
                format!("{{\"name\":\"{name}\",\"description\":{description}{tags}{}}}", marks.json())
            }
            (Self::Json, true) => {
                let (title, description) =
                    (quoted(&one_line(&skill.title)), quoted(&one_line(&skill.description)));
                let marks = marks.json();
                format!("{{\"key\":\"{name}\",\"name\":{title},\"description\":{description}{marks}}}")
            }
        }
    }
}

impl Form {
    /// One list of all.
    pub(super) const LIST: Self = Self { format: PromptFormat::Markdown, learned: None, counts: false };

    /// How many learned skills there may be where not all skills are listed, if this is one.
    pub(super) fn most_like(self, skill: &Skill) -> Option<usize> {
        self.learned.filter(|_| skill.origin == Origin::Learned).map(|learned| learned.most)
    }

    /// Whether the skill stands in the block of learned ones.
    pub(super) fn is_apart(self, skill: &Skill) -> bool {
        self.most_like(skill).is_some()
            && self.learned.is_some_and(|learned| learned.place == LearnedPlace::Separate)
    }

    /// A skill as it stands in its block.
    pub(super) fn entry(self, record: &SkillRecord) -> String {
        let SkillRecord { skill, statistics } = record;
        let apart = self.is_apart(skill);
        let marks = Marks {
            learned: self.most_like(skill).is_some() && !apart,
            counts: self.counts.then_some((statistics.use_count, statistics.success_count)),
        };
        self.format.entry(skill, apart, marks)
    }

    /// The block of learned skills, or of the others.
    pub(super) fn frame(self, learned: bool) -> Frame {
        let (open, between, close) = match (self.format, learned) {
            (PromptFormat::Markdown, false) => ("## Available Skills\n", "\n", ""),
            (PromptFormat::Xml, false) => ("<available_skills>\n", "\n", "\n</available_skills>"),
            (PromptFormat::Markdown | PromptFormat::Xml, true) => (
                "<learned-skills hint=\"Use learned_skills_load to activate relevant skills\">\n",
                "\n",
                "\n</learned-skills>",
            ),
            (PromptFormat::Json, false) => ("\"skills\":[\n", ",\n", "\n]"),
            (PromptFormat::Json, true) => ("\"learned_skills\":[\n", ",\n", "\n]"),
        };
        Frame { open, between, close }
    }

    /// The blocks that there are.
    pub(crate) fn blocks(self, skills: &[DiscoveredSkill]) -> Vec<String> {
        let block = |learned| {
            let entries: Vec<&str> = skills
                .iter()
                .filter(|told| self.is_apart(&told.record.skill) == learned)
                .map(|told| told.line.as_str())
                .collect();
            let Frame { open, between, close } = self.frame(learned);
            (!entries.is_empty()).then(|| format!("{open}{}{close}", entries.join(between)))
        };
        [false, true].into_iter().filter_map(block).collect()
    }
}

/// Foreign text on one line, without what nobody sees.
fn one_line(foreign: &str) -> String {
    let seen: String = foreign.chars().filter(|&c| c.is_whitespace() || !is_unseen(c)).collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A code fence may begin wherever three of these stand.
const FENCES: [(char, &str); 2] = [('`', "```"), ('~', "~~~")];

fn unfenced(text: &str, instead: impl Fn(char) -> String) -> String {
    FENCES.iter().fold(text.to_owned(), |text, (letter, fence)| {
        text.replace(fence, &instead(*letter).repeat(fence.len()))
    })
}

/// A character as a reference to it, which means the same in XML and in Markdown.
fn reference(c: char) -> String {
    format!("&#x{:x};", u32::from(c))
}

/// Foreign text in the middle of a line of Markdown.
fn markdown(foreign: &str) -> String {
    unfenced(&one_line(foreign).replace('<', "&lt;"), reference)
}

/// Foreign text in an element or in an attribute. It may stand at the beginning of a line, so that the letter with
/// which a heading, a list or a rule begins is written as a reference.
fn xml(foreign: &str) -> String {
    let text = unfenced(&escape_html(&one_line(foreign)), reference);
    match text.chars().next() {
        Some(first @ ('#' | '-' | '=' | '*' | '+' | '_' | '~' | '`' | '|')) => {
            format!("{}{}", reference(first), text.get(first.len_utf8()..).unwrap_or_default())
        }
        _ => text,
    }
}

/// A JSON string in which no tag and no fence is seen.
fn quoted(text: &str) -> String {
    let escaped = |c: char| format!("\\u{:04x}", u32::from(c));
    let json = serde_json::Value::from(text).to_string();
    unfenced(&json.replace('<', &escaped('<')), escaped)
}
