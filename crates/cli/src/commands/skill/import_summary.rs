//! What became of an import: counts, refusals, and a report for programs.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::text_of;
use crate::client::{Finding, Published};
use crate::disk::Skipped;
use crate::exit::{Exit, Failure, Outcome};
use crate::output::{Output, Table, line};

/// Up to so many skills are shown one by one.
const SHOWN: usize = 20;

/// What the library says of one of many.
#[derive(Deserialize)]
pub(super) struct BulkResult {
    published: Option<Published>,
    problem: Option<Problem>,
}

#[derive(Deserialize)]
struct Problem {
    code: String,
    detail: String,
    #[serde(default)]
    findings: Vec<Finding>,
}

/// What became of all of them.
pub(super) struct Summary {
    counts: [(&'static str, usize); 5],
    renamed: usize,
    remarks: usize,
    waiting: usize,
    first: Vec<[String; 4]>,
    refused: Vec<Value>,
    report: Option<(PathBuf, BufWriter<File>)>,
}

impl Summary {
    pub(super) fn new(report: Option<&Path>) -> Outcome<Self> {
        let report = match report {
            None => None,
            Some(path) => {
                let file = File::create(path).map_err(|error| Failure::file("write", path, &error))?;
                Some((path.to_path_buf(), BufWriter::new(file)))
            }
        };
        let counts = [("created", 0), ("revised", 0), ("unchanged", 0), ("skipped", 0), ("refused", 0)];
        Ok(Self {
            counts,
            renamed: 0,
            remarks: 0,
            waiting: 0,
            first: Vec::new(),
            refused: Vec::new(),
            report,
        })
    }

    fn count(&mut self, outcome: &str) {
        if let Some((_, count)) = self.counts.iter_mut().find(|(known, _)| *known == outcome) {
            *count += 1;
        }
    }

    fn write(&mut self, value: &Value) -> Outcome {
        if let Some((path, file)) = &mut self.report {
            writeln!(file, "{value}").map_err(|error| Failure::file("write", path, &error))?;
        }
        Ok(())
    }

    /// What the library says of these sources, each with the name its own files ask for.
    pub(super) fn add(&mut self, sources: &[(String, Option<String>)], results: Vec<BulkResult>) -> Outcome {
        let mut results = results.into_iter();
        for (source, wanted) in sources {
            match results.next().map(|result| (result.published, result.problem)) {
                Some((Some(published), _)) => self.published(source, wanted.as_deref(), &published)?,
                Some((None, Some(problem))) => {
                    let findings: Vec<_> = problem.findings.iter().map(ToString::to_string).collect();
                    self.refused(source, &problem.code, &problem.detail, &findings)?;
                }
                _ => self.refused(source, "unexpected_answer", "the server said nothing about it", &[])?,
            }
        }
        Ok(())
    }

    /// A skill that is in the library; `wanted` is the name its own files ask for.
    fn published(&mut self, source: &str, wanted: Option<&str>, published: &Published) -> Outcome {
        self.count(&published.outcome);
        let skill = &published.skill;
        let renamed = published.outcome == "created" && wanted.is_some_and(|wanted| wanted != skill.name);
        self.renamed += usize::from(renamed);
        self.remarks += usize::from(published.findings.iter().any(|finding| finding.level != "info"));
        self.waiting += usize::from(published.outcome != "unchanged" && skill.status == "pending_approval");
        if self.first.len() <= SHOWN {
            let row = [
                published.outcome.clone(),
                skill.name.clone(),
                skill.revision.to_string(),
                shortened(source),
            ];
            self.first.push(row);
        }
        let findings: Vec<_> = published.findings.iter().map(ToString::to_string).collect();
        self.write(&json!({
            "source": source, "outcome": published.outcome, "name": skill.name, "id": skill.id,
            "revision": skill.revision, "status": skill.status, "renamed": renamed, "findings": findings,
        }))
    }

    /// A skill that is not.
    pub(super) fn refused(&mut self, source: &str, code: &str, why: &str, findings: &[String]) -> Outcome {
        self.count("refused");
        let value =
            json!({"source": source, "outcome": "refused", "code": code, "why": why, "findings": findings});
        self.write(&value)?;
        self.refused.push(value);
        Ok(())
    }

    /// Tells it all.
    pub(super) fn finish(mut self, skipped: &[Skipped], output: Output) -> Outcome<Exit> {
        if let Some((path, file)) = &mut self.report {
            file.flush().map_err(|error| Failure::file("write", path, &error))?;
        }
        if output.json {
            self.tell_program(skipped, output)?;
        } else {
            self.tell_person(skipped, output)?;
        }
        Ok(if self.refused.is_empty() { Exit::Ok } else { Exit::Findings })
    }

    fn tell_program(&self, skipped: &[Skipped], output: Output) -> Outcome {
        let counts: Map<_, _> = self.counts.iter().map(|(what, n)| ((*what).to_owned(), json!(n))).collect();
        let left_out: Vec<_> = skipped.iter().map(|one| json!({"path": one.path, "why": one.why})).collect();
        output.json(&json!({
            "counts": counts, "renamed": self.renamed, "waiting": self.waiting,
            "refused": self.refused, "left_out": left_out,
        }))
    }

    fn tell_person(&self, skipped: &[Skipped], output: Output) -> Outcome {
        if !self.first.is_empty() && self.first.len() <= SHOWN && !output.quiet {
            let mut table = Table::new(&["outcome", "name", "rev", "from"]);
            self.first.iter().for_each(|row| table.row(row));
            output.print(&output.table(&table))?;
        }
        if !self.refused.is_empty() {
            let mut table = Table::new(&["refused", "code", "why"]);
            for one in self.refused.iter().take(SHOWN) {
                table.row([shortened(&text_of(one, "source")), text_of(one, "code"), text_of(one, "why")]);
            }
            output.print(&output.table(&table))?;
            if self.refused.len() > SHOWN {
                output.print(&format!(
                    "… and {} more; --report FILE writes them all",
                    self.refused.len() - SHOWN
                ))?;
            }
        }
        for one in skipped.iter().take(SHOWN) {
            output.note(&format!("left out {}: {}", line(&one.path), one.why));
        }
        if skipped.len() > SHOWN {
            output.note(&format!("… and {} more files were left out", skipped.len() - SHOWN));
        }
        let told: Vec<_> =
            self.counts.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!("{n} {what}")).collect();
        output.print(&told.join(", "))?;
        if self.renamed > 0 {
            output.note(&format!("{} got another name, because theirs was taken", self.renamed));
        }
        if self.remarks > 0 {
            output.note(&format!(
                "{} have remarks: --report FILE or `repertoire validate` lists them",
                self.remarks
            ));
        }
        if self.waiting > 0 {
            output.note(&format!("{} wait for a reviewer: `repertoire skill list --waiting`", self.waiting));
        }
        Ok(())
    }
}

/// The end of a long path, which tells it from its neighbours.
fn shortened(path: &str) -> String {
    const LONGEST: usize = 70;
    let length = path.chars().count();
    if length <= LONGEST {
        return path.to_owned();
    }
    std::iter::once('…').chain(path.chars().skip(length - LONGEST + 1)).collect()
}
