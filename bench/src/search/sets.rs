//! Questions with known answers.
//!
//! Only those that nothing of ours was fitted on: the other half may be used for fitting, and a question that stands in
//! it too, word for word, is left out here. The documents are the same for both halves.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};
use model::{Facets, Origin, Scope, SkillId, Status};
use search::Document;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

const SETS: [&str; 6] = ["metatool", "sealtools", "apibench", "bfcl", "clinc150", "banking77"];

/// Documents, and questions about them.
#[derive(Serialize)]
pub(crate) struct Set {
    #[serde(skip)]
    pub(crate) name: &'static str,
    pub(crate) documents: Vec<Text>,
    pub(crate) questions: Vec<Question>,
}

/// A document as the set has it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Text {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    #[serde(default)]
    pub(crate) examples: Vec<String>,
    #[serde(default)]
    pub(crate) body: String,
}

/// A question.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) text: String,
    /// The only documents to choose from, where the set says so.
    #[serde(default, rename(deserialize = "pool"))]
    pub(crate) candidates: Option<Vec<String>>,
    /// The right documents with their grades; none when nothing is right.
    #[serde(skip)]
    pub(crate) expected: Vec<(String, f64)>,
}

impl Set {
    /// The sets that are there.
    ///
    /// Where questions have documents of their own to choose from, the set comes twice: as a ranking of the whole library
    /// for the questions that have an answer, and as `POOL` with all questions, each among its own documents. Whether a
    /// question has no answer is only known within its own.
    pub(crate) fn read_all(folder: &Path) -> Result<Vec<Self>> {
        let mut sets = Vec::new();
        for name in SETS {
            if !folder.join(name).is_dir() {
                continue;
            }
            let set = Self::read(folder, name)?;
            if set.questions.iter().any(|question| question.candidates.is_some()) {
                sets.push(set.over_the_library());
                sets.push(Self { name: "bfcl pool", ..set });
            } else {
                sets.push(set);
            }
        }
        Ok(sets)
    }

    fn read(folder: &Path, name: &'static str) -> Result<Self> {
        let folder = folder.join(name);
        let mut answers: HashMap<String, Vec<(String, f64)>> = HashMap::new();
        for line in unpack(&folder.join("qrels.tsv.gz"))?.lines().skip(1) {
            if let [question, document, grade] = line.split('\t').collect::<Vec<_>>().as_slice() {
                let grade: f64 = grade.parse()?;
                answers.entry((*question).to_owned()).or_default().push(((*document).to_owned(), grade));
            }
        }
        let mut questions: Vec<Question> = read_lines(&folder.join("queries.jsonl.gz"))?;
        let seen = questions.iter().filter(|question| !is_unseen(name, &question.id));
        let seen: HashSet<String> = seen.map(|question| words(&question.text)).collect();
        questions.retain(|question| is_unseen(name, &question.id) && !seen.contains(&words(&question.text)));
        for question in &mut questions {
            question.expected = answers.remove(&question.id).unwrap_or_default();
        }
        Ok(Self { name, documents: read_lines(&folder.join("corpus.jsonl.gz"))?, questions })
    }

    fn over_the_library(&self) -> Self {
        let answerable = self.questions.iter().filter(|question| !question.expected.is_empty());
        let questions =
            answerable.map(|question| Question { candidates: None, ..question.clone() }).collect();
        Self { name: self.name, documents: self.documents.clone(), questions }
    }

    /// Whether it is one of the six that the order is judged by.
    pub(crate) fn ranks(&self) -> bool {
        SETS.contains(&self.name)
    }

    /// Whether similarity and silence are judged by it: not where right answers are missing among the known ones.
    pub(crate) fn gates(&self) -> bool {
        self.name != "bfcl"
    }
}

impl Text {
    /// As search sees it.
    pub(crate) fn document(&self, number: usize, with_examples: bool) -> Document<'_> {
        Document {
            id: id(number),
            name: &self.name,
            title: &self.name,
            description: &self.description,
            tags: &self.tags,
            examples: if with_examples { &self.examples } else { &[] },
            body: &self.body,
            scope: Scope::Workspace,
            status: Status::Active,
            enabled: true,
            origin: Origin::User,
            facets: Facets { instructions: true, procedure: false, policy: false },
        }
    }
}

/// The id of the skill with this number.
pub(crate) fn id(number: usize) -> SkillId {
    SkillId::new(Uuid::from_u128(number as u128 + 1))
}

/// The number of the skill with this id.
pub(crate) fn number(id: SkillId) -> Option<usize> {
    usize::try_from(id.uuid().as_u128()).ok()?.checked_sub(1)
}

/// Whether a question is of the half that nothing was fitted on.
fn is_unseen(set: &str, question: &str) -> bool {
    Sha256::digest(format!("{set}/{question}")).first().is_some_and(|byte| byte % 2 == 1)
}

/// The words of a text, however it is written.
fn words(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

fn read_lines<T: serde::de::DeserializeOwned>(file: &Path) -> Result<Vec<T>> {
    unpack(file)?.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn unpack(file: &Path) -> Result<String> {
    run(Command::new("gzip").args(["--decompress", "--stdout"]).arg(file))
}

/// What a program prints, where it is text.
pub(crate) fn run(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("{} ended with {}", command.get_program().display(), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
