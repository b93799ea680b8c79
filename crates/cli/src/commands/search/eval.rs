//! `repertoire search eval`: how well search does on questions with known answers.

use std::collections::BTreeSet;
use std::path::PathBuf;

use app::search::evaluation::{Answered, Measures, measure};
use clap::Args;
use serde_json::{Value, json};

use super::questions::{self, Question};
use super::text_of;
use crate::client::{Client, api};
use crate::exit::{Failure, Outcome};
use crate::output::{Progress, line};
use crate::session::Session;

/// How many are looked at for each question.
const DEPTH: usize = 10;

/// Which questions, and from where on something counts as found.
#[derive(Args)]
pub(crate) struct EvalArgs {
    /// The questions: JSON lines {"query": …, "expect": [NAME, …]}, or a .csv or .tsv file with these columns
    #[arg(long, value_name = "FILE")]
    set: PathBuf,
    /// The similarity from which on a skill counts as found
    #[arg(long, default_value_t = 0.7, value_name = "NUMBER")]
    gate: f64,
    /// Also list the questions whose right skill was not first, or that should have found nothing
    #[arg(long)]
    misses: bool,
}

/// A question with what came of it.
struct Asked {
    question: Question,
    found: Vec<(String, f64)>,
}

impl EvalArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        if !(0.0..=1.0).contains(&self.gate) {
            return Err(Failure::usage("the gate is a similarity, from 0 to 1"));
        }
        let questions = questions::read(&self.set)?;
        let output = session.output;
        let (asked, unknown) = session
            .work(async |client| {
                let progress = Progress::new(output, questions.len(), "asking");
                let mut asked = Vec::with_capacity(questions.len());
                for question in questions {
                    let found = ask(client, &question.query).await?;
                    asked.push(Asked { question, found });
                    progress.add(1);
                }
                progress.finish();
                let unknown = unknown(client, &asked).await?;
                Ok((asked, unknown))
            })
            .await?;
        let answered: Vec<Answered> = asked.iter().map(Asked::answered).collect();
        let measures = measure(&answered, self.gate);
        let misses: Vec<&Asked> =
            asked.iter().filter(|asked| self.misses && asked.missed(self.gate)).collect();
        if output.json {
            return output.json(&self.as_json(&measures, &misses, &unknown));
        }
        if !unknown.is_empty() {
            let names: Vec<_> = unknown.iter().map(|name| format!("`{}`", line(name))).collect();
            output.note(&format!("note: no skill that you can find has these names: {}", names.join(", ")));
        }
        output.print(&self.as_text(&measures, &misses))
    }

    fn as_json(&self, measures: &Measures, misses: &[&Asked], unknown: &[String]) -> Value {
        let mut told = json!({
            "questions": {"answerable": measures.answerable, "unanswerable": measures.unanswerable},
            "gate": self.gate,
        });
        if let Value::Object(fields) = &mut told {
            for (key, _, value, _) in rows(measures) {
                fields.insert(key.to_owned(), json!(value));
            }
            fields.insert("unknown_names".to_owned(), json!(unknown));
            if self.misses {
                fields.insert("misses".to_owned(), misses.iter().map(|asked| asked.as_json()).collect());
            }
        }
        told
    }

    fn as_text(&self, measures: &Measures, misses: &[&Asked]) -> String {
        let told = format!("{} with an answer, {} without", measures.answerable, measures.unanswerable);
        let mut lines = vec![format!("{:<19}{told}; gate {}", "questions", self.gate)];
        lines.extend(rows(measures).map(|(_, name, value, meaning)| {
            let value = value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
            format!("{name:<19}{value:<7}{meaning}")
        }));
        for asked in misses {
            lines.extend([String::new(), format!("? {}", line(&asked.question.query))]);
            let expect = asked.question.expect.iter().map(|name| line(name)).collect::<Vec<_>>().join(", ");
            lines.push(format!("  right  {}", if expect.is_empty() { "nothing".to_owned() } else { expect }));
            let found: Vec<_> =
                asked.best().map(|(name, similarity)| format!("{} {similarity:.2}", line(name))).collect();
            lines.push(format!(
                "  found  {}",
                if found.is_empty() { "nothing".to_owned() } else { found.join(", ") }
            ));
        }
        lines.join("\n")
    }
}

type Row = (&'static str, &'static str, Option<f64>, &'static str);

/// Each measure: its key, its name, its value if there was something to measure, and what it says.
fn rows(measures: &Measures) -> impl Iterator<Item = Row> + use<> {
    let with = |value: f64| (measures.answerable > 0).then_some(value);
    let without = (measures.unanswerable > 0).then_some(measures.abstention);
    [
        ("ndcg_5", "nDCG@5", with(measures.ndcg_5), "how well the first five are ordered"),
        ("recall_1", "recall@1", with(measures.recall_1), "right ones that are first"),
        ("recall_5", "recall@5", with(measures.recall_5), "right ones among the first five"),
        ("recall_10", "recall@10", with(measures.recall_10), "right ones among the first ten"),
        ("mrr", "MRR", with(measures.mrr), "one over the place of the first right one"),
        (
            "gated_recall_5",
            "gated recall@5",
            with(measures.gated_recall_5),
            "the same as recall@5, from the gate on",
        ),
        ("abstention", "abstention", without, "questions without an answer that found nothing"),
        (
            "calibration_error",
            "calibration error",
            Some(measures.calibration_error),
            "how far similarities are from shares of right ones",
        ),
    ]
    .into_iter()
}

async fn ask(client: &Client, query: &str) -> Outcome<Vec<(String, f64)>> {
    let body = json!({"query": query, "min_similarity": 0, "limit": DEPTH, "explain": false});
    let answer = client.json(api("POST", &["skills", "search"]).json(body)).await?;
    let items = answer.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
    let read = |item: &Value| {
        let similarity = item.get("similarity").and_then(Value::as_f64).unwrap_or_default();
        (item.get("skill").map(|skill| text_of(skill, "name")).unwrap_or_default(), similarity)
    };
    Ok(items.iter().map(read).collect())
}

/// Names that are expected and that no skill has which could be found.
async fn unknown(client: &Client, asked: &[Asked]) -> Outcome<Vec<String>> {
    let seen: BTreeSet<&str> =
        asked.iter().flat_map(|asked| asked.found.iter().map(|(name, _)| name.as_str())).collect();
    let wanted: BTreeSet<&str> =
        asked.iter().flat_map(|asked| asked.question.expect.iter().map(String::as_str)).collect();
    let mut unknown = Vec::new();
    for &name in wanted.difference(&seen) {
        let known = name.chars().count() <= 64 && {
            let request = api("GET", &["skills"]).query("name", Some(name)).query("nearest", Some("true"));
            !client.all(request, Some(1)).await?.is_empty()
        };
        if !known {
            unknown.push(name.to_owned());
        }
    }
    Ok(unknown)
}

impl Asked {
    fn answered(&self) -> Answered {
        let expected = self.question.expect.iter().map(|name| (name.clone(), 1.0)).collect();
        Answered { expected, found: self.found.clone() }
    }

    fn missed(&self, gate: f64) -> bool {
        let first = self.found.first();
        if self.question.expect.is_empty() {
            return first.is_some_and(|(_, similarity)| *similarity >= gate);
        }
        first.is_none_or(|(name, _)| !self.question.expect.contains(name))
    }

    fn best(&self) -> impl Iterator<Item = &(String, f64)> {
        self.found.iter().take(3)
    }

    fn as_json(&self) -> Value {
        let found: Vec<_> =
            self.best().map(|(name, similarity)| json!({"name": name, "similarity": similarity})).collect();
        json!({"query": self.question.query, "expect": self.question.expect, "found": found})
    }
}
