//! Says what speaks for each skill, question by question: what `embedding/fit.py` fits the ranking on.
//!
//! It reads JSON lines, `{"set", "skills": [{"id", "name", "description", "tags", "examples", "body"}]}` for each set,
//! then `{"set", "query", "text", "kind", "right": {id: grade}, "pool": [id]}` for each question, and writes one line a
//! candidate: the best 50 of a question, and those that are right.

use std::collections::HashMap;
use std::error::Error;
use std::io::{BufRead, Write};

use model::{Facets, Origin, Scope, SkillId, Status};
use repertoire_search::{Document, Filter, Index, Prepared, Query, View, Wanted};
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

const BEST: usize = 50;

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Set { set: String, skills: Vec<Skill> },
    Question(Question),
}

#[derive(Deserialize)]
struct Skill {
    id: String,
    name: String,
    description: String,
    tags: Vec<String>,
    examples: Vec<String>,
    body: String,
}

#[derive(Deserialize)]
struct Question {
    set: String,
    query: String,
    text: String,
    kind: String,
    right: HashMap<String, f64>,
    pool: Option<Vec<String>>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut sets: HashMap<String, (Index, Vec<Skill>)> = HashMap::new();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        match serde_json::from_str(&line?)? {
            Line::Set { set, skills } => {
                let mut index = Index::default();
                for (number, skill) in (0_u128..).zip(&skills) {
                    index.put(&prepared(number, skill));
                }
                sets.insert(set, (index, skills));
            }
            Line::Question(question) => {
                let (index, skills) = sets.get(&question.set).ok_or("a question before its set")?;
                answer(&question, index, skills, &mut out)?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

fn prepared(number: u128, skill: &Skill) -> Prepared {
    Prepared::new(&Document {
        id: SkillId::new(Uuid::from_u128(number)),
        name: &skill.name,
        title: &skill.name,
        description: &skill.description,
        tags: &skill.tags,
        examples: &skill.examples,
        body: &skill.body,
        scope: Scope::Workspace,
        status: Status::Active,
        enabled: true,
        origin: Origin::User,
        facets: Facets::default(),
    })
}

fn answer(
    question: &Question,
    index: &Index,
    skills: &[Skill],
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let query = Query::new(&question.text);
    let all = Wanted { limit: skills.len(), floor: 0.0, nearest: false, collapse: false };
    let mut shown = 0;
    for hit in index.search(&query, View::All, &Filter::default(), all) {
        let skill = skills.get(usize::try_from(hit.id.uuid().as_u128())?).ok_or("a skill nobody put in")?;
        if question.pool.as_ref().is_some_and(|pool| !pool.contains(&skill.id)) {
            continue;
        }
        let grade = question.right.get(&skill.id).copied().unwrap_or(0.0);
        shown += 1;
        if shown > BEST && grade == 0.0 {
            continue;
        }
        let signals = hit.why.signals;
        let line = json!({
            "set": question.set,
            "query": question.query,
            "kind": question.kind,
            "answers": question.right.len(),
            "grade": grade,
            "lexical": signals.lexical,
            "rarity": query.rarity(),
            "cosine": signals.cosine,
            "example": signals.example.map(|(cosine, _)| cosine),
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}
