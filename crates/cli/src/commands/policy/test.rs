//! `policy test`: the cases that stand beside a policy.

use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::skill::file_list;
use super::target::{Target, files_of};
use crate::client::{Client, Finding, api};
use crate::exit::{Exit, Failure, Outcome};
use crate::output::{Output, Paint, count, line};
use crate::session::Session;

pub(super) const EXAMPLES: &str = "Examples:
  repertoire policy test ./no-secrets      a folder with SKILL.md, repertoire.yaml and tests/*.yaml
  repertoire policy test ./policies        every policy below a folder
  repertoire policy test no-secrets@3      a revision in the library

Exit code 1 when a case fails or there are no cases, 6 when a policy or a table cannot be read.";

/// Which policies to test.
#[derive(Args)]
pub(crate) struct TestArgs {
    /// Folders on disk, else skills of the library: NAME, ID, NAME@REVISION or NAME@LABEL
    #[arg(required = true, value_name = "POLICY")]
    policies: Vec<String>,
}

/// What came of the cases of a policy.
#[derive(Deserialize)]
struct Tested {
    cases: Vec<Case>,
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Case {
    file: String,
    name: String,
    passed: bool,
    expected: String,
    actual: String,
    reason: Option<String>,
}

/// A policy and the answer about it.
struct Report {
    policy: String,
    answer: Value,
    tested: Tested,
}

impl TestArgs {
    pub(super) async fn run(self, session: &Session) -> Outcome<Exit> {
        let output = session.output;
        let limits = &session.settings.limits.bundles;
        let targets: Vec<Target> =
            self.policies.iter().map(|text| Target::read(text, limits, output)).collect::<Outcome<_>>()?;
        let reports = session.work(async |client| test_all(client, targets).await).await?;
        let passed = reports.iter().map(Report::passed).sum::<u64>();
        let failed = reports.iter().map(|report| report.tested.cases.len() as u64).sum::<u64>() - passed;
        let items: Vec<Value> = reports.iter().map(Report::json).collect();
        output.result(&json!({"passed": passed, "failed": failed, "policies": items}), || {
            let mut shown: Vec<String> = reports.iter().map(|report| report.text(output)).collect();
            shown.push(format!("{} passed, {failed} failed", count(passed, "case")));
            shown.join("\n")
        })?;
        Ok(if reports.iter().all(Report::is_good) { Exit::Ok } else { Exit::Findings })
    }
}

async fn test_all(client: &Client, targets: Vec<Target>) -> Outcome<Vec<Report>> {
    let mut reports = Vec::new();
    for target in targets {
        match target {
            Target::Disk(found) => {
                for one in found {
                    reports.push(test(client, one.source, file_list(&one.bundle)).await?);
                }
            }
            Target::Library(reference) => {
                let (skill, bundle) = files_of(client, &reference).await?;
                let revision = reference.revision.map(|revision| format!("@{revision}"));
                let name = format!("{}{}", skill.name, revision.unwrap_or_default());
                reports.push(test(client, name, file_list(&bundle)).await?);
            }
        }
    }
    Ok(reports)
}

async fn test(client: &Client, policy: String, files: Vec<Value>) -> Outcome<Report> {
    let request = api("POST", &["governance", "test"]).json(json!({"files": files}));
    let answer = client.json(request).await?;
    let tested = serde_json::from_value(answer.clone())
        .map_err(|error| Failure::internal(format!("the server's answer cannot be read: {error}")))?;
    Ok(Report { policy, answer, tested })
}

impl Report {
    fn passed(&self) -> u64 {
        self.tested.cases.iter().filter(|case| case.passed).count() as u64
    }

    /// Whether there are cases, and all passed.
    fn is_good(&self) -> bool {
        let cases = &self.tested.cases;
        !cases.is_empty() && cases.iter().all(|case| case.passed)
    }

    fn json(&self) -> Value {
        let mut answer = self.answer.clone();
        if let Value::Object(answer) = &mut answer {
            answer.insert("policy".to_owned(), Value::from(self.policy.as_str()));
        }
        answer
    }

    fn text(&self, output: Output) -> String {
        let mut lines = vec![output.bold(&line(&self.policy))];
        lines
            .extend(self.tested.findings.iter().map(|finding| format!("    {}", line(&finding.to_string()))));
        if self.tested.cases.is_empty() {
            lines.push("    there are no cases; put them into tests/NAME.yaml beside SKILL.md".to_owned());
        }
        let mut file = "";
        for case in &self.tested.cases {
            if case.file != file {
                file = &case.file;
                lines.push(format!("  {}", line(file)));
            }
            lines.extend(case.lines(output));
        }
        lines.join("\n")
    }
}

impl Case {
    fn lines(&self, output: Output) -> Vec<String> {
        if self.passed {
            return vec![format!("    {} {}", output.paint(Paint::Green, "✓"), line(&self.name))];
        }
        let mut lines = vec![
            format!("    {} {}", output.paint(Paint::Red, "✗"), line(&self.name)),
            format!("        expected: {}", line(&self.expected)),
            format!("        actual:   {}", line(&self.actual)),
        ];
        let reason = self.reason.as_deref().filter(|reason| !self.actual.contains(reason));
        lines.extend(reason.map(|reason| format!("        {}", line(reason))));
        lines
    }
}
