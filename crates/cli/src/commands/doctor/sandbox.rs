//! What `doctor` finds about running code: each protection, Python and its profiles, and a real execution.

use std::time::{Duration, Instant};

use app::Runner as _;
use sandbox::{Ending, Protection};
use serde_json::Value;

use super::{Check, Verdict};
use crate::client::{Client, api};
use crate::output::count;
use crate::python::{self, Entry, Profiles};
use crate::serve::trial;
use crate::session::Session;
use crate::wiring::{self, Life};

/// How long the trial may take; a first start imports packages.
const PATIENCE: Duration = Duration::from_mins(1);

/// The sandbox of this machine.
pub(super) async fn here(session: &Session) -> Vec<Check> {
    let settings = &session.settings.sandbox;
    if !settings.enabled.value {
        return vec![Check::new(Verdict::Ok, "sandbox", "switched off by `sandbox.enabled`")];
    }
    let mut checks = vec![own_python(session).await];
    checks.extend(profiles(session));
    let runner = match wiring::runner(&session.settings, Life::Command) {
        Ok(runner) => runner,
        Err(failure) => {
            checks.push(Check::new(Verdict::Fail, "sandbox", failure.message.clone()));
            return checks;
        }
    };
    match runner.protections().await {
        Ok(protections) => checks.extend(protections.iter().map(protection)),
        Err(error) => {
            checks.push(Check::new(Verdict::Fail, "sandbox", error.to_string()).advise(
                "until then skills are kept and served, but not run; `sandbox.enabled = false` says that this is meant",
            ));
            return checks;
        }
    }
    if settings.python().is_some() {
        let start = Instant::now();
        let ended = tokio::time::timeout(PATIENCE, runner.execute(trial())).await;
        checks.push(trial_check(ended, start.elapsed()));
    }
    checks
}

async fn own_python(session: &Session) -> Check {
    let settings = &session.settings.sandbox;
    let Some(path) = settings.python() else {
        return Check::new(Verdict::Warn, "python", settings.no_python())
            .advise("skills in Python need it; everything else works without");
    };
    match python::version(&path).await {
        Some(version) => Check::new(Verdict::Ok, "python", format!("{} is Python {version}", path.display())),
        None => Check::new(Verdict::Warn, "python", format!("{} does not start", path.display()))
            .advise("name another one with `sandbox.python`"),
    }
}

fn profiles(session: &Session) -> Vec<Check> {
    let known = match Profiles::of(&session.settings).list() {
        Ok(known) => known,
        Err(failure) => return vec![Check::new(Verdict::Warn, "profile", failure.message.clone())],
    };
    let check = |(name, entry): (String, Entry)| match entry {
        Entry::Ready(known) => {
            let packages = count(known.packages, "package");
            Check::new(Verdict::Ok, "profile", format!("{name}: Python {}, {packages}", known.version))
        }
        Entry::Building => Check::new(Verdict::Ok, "profile", format!("{name} is being built")),
        Entry::Broken => Check::new(Verdict::Warn, "profile", format!("{name} was never finished"))
            .advise(format!("`repertoire python remove {name}`, then add it again")),
    };
    known.into_iter().map(check).collect()
}

fn protection(one: &Protection) -> Check {
    let found = format!("{}: {}", one.name, one.detail);
    match (one.active, one.required) {
        (true, _) => Check::new(Verdict::Ok, "protection", found),
        (false, true) => Check::new(Verdict::Fail, "protection", format!("{found} (required, missing)")),
        (false, false) => Check::new(Verdict::Warn, "protection", format!("{found} (missing)")),
    }
}

fn trial_check(
    ended: Result<Result<sandbox::Outcome, sandbox::Error>, tokio::time::error::Elapsed>,
    took: Duration,
) -> Check {
    let (verdict, found) = match ended {
        Ok(Ok(outcome)) if outcome.ending == Ending::Returned(Value::from(2)) => {
            let start = took.saturating_sub(outcome.usage.wall);
            let found = format!("1 + 1 gave 2 in {:.1?}, after a start of {start:.0?}", outcome.usage.wall);
            return Check::new(Verdict::Ok, "trial run", found);
        }
        Ok(Ok(outcome)) => (Verdict::Fail, format!("1 + 1 ended with {:?}", outcome.ending)),
        Ok(Err(error)) => (Verdict::Fail, error.to_string()),
        Err(_) => (Verdict::Fail, format!("1 + 1 did not end within {PATIENCE:?}")),
    };
    Check::new(verdict, "trial run", found)
}

/// The sandbox of a server, as it describes itself.
pub(super) async fn there(client: &Client) -> Vec<Check> {
    let found = match client.json(api("GET", &["sandbox"])).await {
        Ok(found) => found,
        Err(failure) => return vec![Check::new(Verdict::Warn, "sandbox", failure.message.clone())],
    };
    let list = |key: &str| found.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut checks = Vec::new();
    if found.get("available").and_then(Value::as_bool) == Some(true) {
        let profiles = list("profiles");
        let names: Vec<_> = profiles.iter().filter_map(Value::as_str).collect();
        checks.push(Check::new(
            Verdict::Ok,
            "sandbox",
            format!("runs code; Python profiles: {}", names.join(", ")),
        ));
    } else {
        let reason = found.get("reason").and_then(Value::as_str).unwrap_or("it is not available");
        checks.push(Check::new(Verdict::Fail, "sandbox", reason));
    }
    for one in list("protections") {
        let text = |key: &str| one.get(key).and_then(Value::as_str).unwrap_or_default();
        let is = |key: &str| one.get(key).and_then(Value::as_bool).unwrap_or_default();
        let verdict = match (is("active"), is("required")) {
            (true, _) => Verdict::Ok,
            (false, true) => Verdict::Fail,
            (false, false) => Verdict::Warn,
        };
        checks.push(Check::new(verdict, "protection", format!("{}: {}", text("name"), text("detail"))));
    }
    checks
}
