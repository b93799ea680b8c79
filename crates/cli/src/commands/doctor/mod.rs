//! `repertoire doctor`: looks for what could be wrong, and says what to do about it.

mod sandbox;
mod search;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::client::{api, connect};
use crate::data_folder::DataFolder;
use crate::exit::{Exit, Outcome};
use crate::output::{Output, Paint, count, line};
use crate::session::Session;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Ok,
    Warn,
    Fail,
}

struct Check {
    verdict: Verdict,
    what: &'static str,
    found: String,
    advice: Option<String>,
}

impl Check {
    fn new(verdict: Verdict, what: &'static str, found: impl Into<String>) -> Self {
        Self { verdict, what, found: found.into(), advice: None }
    }

    fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Ok => "ok",
            Verdict::Warn => "warn",
            Verdict::Fail => "fail",
        }
    }

    fn text(&self, output: Output) -> String {
        let paint = match self.verdict {
            Verdict::Ok => Paint::Green,
            Verdict::Warn => Paint::Yellow,
            Verdict::Fail => Paint::Red,
        };
        let mark = output.paint(paint, &format!("{:<5}", self.word()));
        let found = format!("{mark} {:<13} {}", self.what, line(&self.found));
        match &self.advice {
            Some(advice) => format!("{found}\n{:<20}→ {}", "", line(advice)),
            None => found,
        }
    }
}

/// Checks everything that can be checked from here.
pub(crate) async fn run(session: &Session) -> Outcome<Exit> {
    let library = &session.settings.library;
    let version = format!("repertoire {}", env!("CARGO_PKG_VERSION"));
    let mut checks = vec![Check::new(Verdict::Ok, "version", version), settings(session)];
    if library.server.value.is_none() && library.database.value.is_none() {
        checks.extend(data_folder(&library.data.value));
    }
    checks.extend(reach(session).await);
    if library.server.value.is_none() {
        checks.extend(search::embedder(session).await);
        checks.extend(sandbox::here(session).await);
    }
    let failed = checks.iter().any(|check| check.verdict == Verdict::Fail);
    let list: Vec<Value> = checks
        .iter()
        .map(|check| json!({"check": check.what, "verdict": check.word(), "found": check.found, "advice": check.advice}))
        .collect();
    session.output.result(&json!({"checks": list}), || {
        checks.iter().map(|check| check.text(session.output)).collect::<Vec<_>>().join("\n")
    })?;
    Ok(if failed { Exit::Findings } else { Exit::Ok })
}

fn settings(session: &Session) -> Check {
    match &session.settings.places.file {
        Some(path) => Check::new(Verdict::Ok, "settings", path.display().to_string()),
        None => Check::new(Verdict::Ok, "settings", "no file; defaults, environment and flags"),
    }
}

fn data_folder(path: &Path) -> Vec<Check> {
    let Ok(metadata) = std::fs::metadata(path) else {
        return vec![
            Check::new(Verdict::Warn, "data folder", format!("{} is not there yet", path.display()))
                .advise("the first command or `repertoire serve` makes it"),
        ];
    };
    let mut checks = Vec::new();
    let mode = metadata.permissions().mode() & 0o777;
    let shown = path.display().to_string();
    checks.push(if mode == mode & 0o700 {
        Check::new(Verdict::Ok, "data folder", shown)
    } else {
        Check::new(Verdict::Warn, "data folder", format!("{shown} is open to others (mode {mode:o})"))
            .advise(format!("chmod 700 {shown}"))
    });
    checks.push(disk_space(path));
    if let Ok(folder) = DataFolder::open(path)
        && let Some((server, _)) = folder.server()
    {
        checks.push(Check::new(Verdict::Ok, "server", format!("process {} at {}", server.pid, server.url)));
    }
    checks
}

/// Free space, as `df` sees it: the standard library cannot say.
fn disk_space(path: &Path) -> Check {
    let free = std::process::Command::new("df").arg("-Pk").arg(path).output().ok().and_then(|done| {
        let text = String::from_utf8(done.stdout).ok()?;
        text.lines().nth(1)?.split_whitespace().nth(3)?.parse::<u64>().ok()
    });
    match free {
        None => Check::new(Verdict::Warn, "disk space", "unknown").advise("`df` could not be asked"),
        Some(kib) if kib < 512 * 1024 => {
            Check::new(Verdict::Warn, "disk space", format!("{} MiB free", kib / 1024))
                .advise("make room; a backup needs as much again as the library")
        }
        Some(kib) => Check::new(Verdict::Ok, "disk space", format!("{} GiB free", kib / 1024 / 1024)),
    }
}

/// Opens the library, which also brings its schema up to date, and asks it a question.
async fn reach(session: &Session) -> Vec<Check> {
    let library = &session.settings.library;
    let what = match (&library.server.value, &library.database.value) {
        (Some(_), _) => "server",
        (None, Some(_)) => "postgres",
        (None, None) => "database",
    };
    if what == "database" && !library.data.value.exists() {
        return Vec::new();
    }
    let client = match connect(&session.settings).await {
        Ok(client) => client,
        Err(failure) => {
            let check = Check::new(Verdict::Fail, what, failure.message.clone());
            return vec![match &failure.hint {
                Some(hint) => check.advise(hint.clone()),
                None => check,
            }];
        }
    };
    let mut checks = Vec::new();
    let counted = api("GET", &["skills"]).query("count", Some("true")).query("limit", Some("1"));
    match client.json(counted).await {
        Ok(page) => {
            let total = page.get("total").and_then(Value::as_u64).unwrap_or_default();
            let found =
                format!("answers on {}, schema up to date, {}", client.place(), count(total, "skill"));
            checks.push(Check::new(Verdict::Ok, what, found));
        }
        Err(failure) => {
            let check = Check::new(Verdict::Fail, what, failure.message.clone());
            checks.push(match &failure.hint {
                Some(hint) => check.advise(hint.clone()),
                None => check,
            });
        }
    }
    checks.push(search::index(&client).await);
    if what == "server" {
        checks.extend(sandbox::there(&client).await);
    }
    // What came of closing shows in the next command.
    let _ = client.close().await;
    checks
}
