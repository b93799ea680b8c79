//! `repertoire validate`: skills on disk, without a library.

mod fix;
mod reference;

use std::path::PathBuf;

use clap::Args;
use manifest::{ClientVerdict, Finding, Level, Limits, choose_name, verdicts};
use model::Bundle;
use serde_json::{Value, json};

use crate::disk::{Found, Skipped, scan};
use crate::exit::{Exit, Failure, Outcome};
use crate::output::{Output, Paint, Table, line};

/// What to check.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // flags of a command line
pub(crate) struct ValidateArgs {
    /// Folders with skills, a SKILL.md, or .zip and .skill archives
    #[arg(required_unless_present = "schema")]
    paths: Vec<PathBuf>,
    /// Judge exactly as the reference validator of the standard does
    #[arg(long, conflicts_with_all = ["clients", "fix"])]
    reference: bool,
    /// Show which agents would load each skill, and which would refuse it
    #[arg(long)]
    clients: bool,
    /// Repair what can be repaired, in place
    #[arg(long)]
    fix: bool,
    /// With --fix: show what would change, and change nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,
    /// Print the JSON Schema of repertoire.yaml
    #[arg(long, exclusive = true)]
    schema: bool,
}

impl ValidateArgs {
    pub(crate) fn run(self, limits: &Limits, output: Output) -> Outcome<Exit> {
        if self.schema {
            return output.json(&manifest::sidecar_schema()).map(|()| Exit::Ok);
        }
        if self.reference {
            return reference::run(&self.paths, output);
        }
        let mut found = Vec::new();
        let mut skipped = Vec::new();
        for path in &self.paths {
            let scan = scan(path, limits)?;
            if scan.skills.is_empty() {
                return Err(Failure::not_found(format!("there is no SKILL.md in `{}`", path.display()))
                    .hint("`repertoire init NAME` starts a skill"));
            }
            found.extend(scan.skills);
            skipped.extend(scan.skipped);
        }
        if self.fix {
            return fix::run(&found, self.dry_run, limits, output);
        }
        let reports: Vec<Report> =
            found.iter().map(|skill| Report::of(skill, self.clients, limits)).collect();
        show(&reports, &skipped, output)?;
        let fails = reports.iter().any(Report::fails);
        Ok(if fails { Exit::Findings } else { Exit::Ok })
    }
}

/// What was found in one skill.
struct Report {
    source: String,
    name: Option<String>,
    findings: Vec<Finding>,
    clients: Vec<ClientVerdict>,
}

impl Report {
    fn of(found: &Found, clients: bool, limits: &Limits) -> Self {
        let mut report =
            Self { source: found.source.clone(), name: None, findings: Vec::new(), clients: Vec::new() };
        match found.bundle(limits) {
            Err(error) => report.findings.push(Finding::error("invalid_bundle", error)),
            Ok(bundle) => {
                report.read(&bundle, &found.folder, limits);
                if clients {
                    report.clients = verdicts(&bundle, Some(&found.folder));
                }
            }
        }
        report.findings.sort_by_key(|finding| finding.level);
        report
    }

    fn read(&mut self, bundle: &Bundle, folder: &str, limits: &Limits) {
        if let Err(error) = limits.check(bundle) {
            self.findings.push(Finding::error("too_large", error.to_string()));
            return;
        }
        match app::skills::read_manifest(bundle, limits) {
            Ok(reading) => {
                let (name, finding) = choose_name(&reading.manifest, Some(folder));
                self.name = Some(name.to_string());
                self.findings.extend(reading.findings);
                self.findings.extend(finding);
            }
            Err(error) => {
                self.findings.extend(error.findings().iter().cloned());
                if !self.fails() {
                    self.findings.push(Finding::error(error.code(), error.to_string()));
                }
            }
        }
    }

    fn fails(&self) -> bool {
        self.findings.iter().any(|finding| finding.level == Level::Error)
    }

    fn json(&self) -> Value {
        let findings: Vec<_> = self
            .findings
            .iter()
            .map(|one| {
                json!({"level": one.level.as_str(), "code": one.code, "message": one.message,
                    "file": one.file, "line": one.line})
            })
            .collect();
        let clients: Vec<_> = self
            .clients
            .iter()
            .map(|one| {
                json!({"client": one.client.as_str(), "outcome": one.outcome.as_str(), "reasons": one.reasons})
            })
            .collect();
        json!({"skill": self.source, "name": self.name, "valid": !self.fails(), "findings": findings, "clients": clients})
    }

    fn text(&self, output: Output) -> String {
        let mark =
            if self.fails() { output.paint(Paint::Red, "✗") } else { output.paint(Paint::Green, "✓") };
        let mut lines = vec![format!("{mark} {}", output.bold(&line(&self.source)))];
        lines.extend(self.findings.iter().map(|finding| format!("    {}", line(&finding.to_string()))));
        if !self.clients.is_empty() {
            let mut table = Table::new(&["client", "verdict", "why"]);
            for one in &self.clients {
                let outcome = one.outcome.as_str().replace('_', " ");
                table.row([one.client.as_str(), &outcome, &one.reasons.join("; ")]);
            }
            lines.extend(output.table(&table).lines().map(|row| format!("    {row}")));
        }
        lines.join("\n")
    }
}

fn show(reports: &[Report], skipped: &[Skipped], output: Output) -> Outcome {
    if output.json {
        let left_out: Vec<_> = skipped.iter().map(|one| json!({"path": one.path, "why": one.why})).collect();
        let skills: Vec<_> = reports.iter().map(Report::json).collect();
        return output.json(&json!({"skills": skills, "left_out": left_out}));
    }
    for report in reports {
        // Among many skills only those with something to say are worth a line.
        if reports.len() <= 20 || !report.findings.is_empty() || !report.clients.is_empty() {
            output.print(&report.text(output))?;
        }
    }
    for one in skipped {
        output.note(&format!("left out {}: {}", line(&one.path), one.why));
    }
    if reports.len() > 1 {
        let bad = reports.iter().filter(|report| report.fails()).count();
        let warned = reports.iter().filter(|report| !report.fails() && !report.findings.is_empty()).count();
        output.print(&format!("{} skills: {bad} with errors, {warned} with remarks", reports.len()))?;
    }
    Ok(())
}
