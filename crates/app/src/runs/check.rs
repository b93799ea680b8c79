//! Runs a skill several times and compares what it gives back.

use std::sync::Arc;

use model::{Caller, Digest, SkillId};

use super::execute::{admit, perform};
use super::prepare::prepare;
use super::{Ran, RunSkill};
use crate::{Code, Context, Error};

/// What a comparison of runs found.
#[derive(Debug, Clone)]
pub struct Check {
    /// The first run.
    pub first: Ran,
    /// How many runs there were.
    pub times: u32,
    /// What they gave back, with how many gave it, most first.
    pub output_digests: Vec<(Digest, u32)>,
    /// What the first run that differs has different.
    pub first_difference: Option<String>,
}

impl Check {
    /// Whether all of them gave back the same.
    pub fn is_deterministic(&self) -> bool {
        self.output_digests.len() == 1
    }
}

/// Runs a skill so many times with the same parameters. Each is a run like any other.
pub async fn check(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    request: RunSkill,
    times: u32,
) -> Result<Check, Error> {
    if !(2..=100).contains(&times) {
        return Err(Error::invalid(Code::InvalidRequest, "times must be between 2 and 100"));
    }
    if request.session.is_some() {
        let message = "a check needs a new work folder for each run; leave `session_id` out and give `files`";
        return Err(Error::invalid(Code::InvalidRequest, message));
    }
    admit(cx, caller, id, &request).await?;
    let prepared = Arc::new(prepare(cx, caller, id, request).await?);
    let first = perform(cx, caller, &prepared, None).await?;
    let mut output_digests = vec![(first.run.output_digest, 1)];
    let mut first_difference = None;
    for n in 2..=times {
        let ran = perform(cx, caller, &prepared, None).await?;
        let digest = ran.run.output_digest;
        match output_digests.iter_mut().find(|(known, _)| *known == digest) {
            Some((_, count)) => *count += 1,
            None => output_digests.push((digest, 1)),
        }
        if digest != first.run.output_digest && first_difference.is_none() {
            first_difference = Some(format!("run {n} {}", difference(&first, &ran)));
        }
    }
    output_digests.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    Ok(Check { first, times, output_digests, first_difference })
}

/// What the second has different, in a few words.
fn difference(first: &Ran, second: &Ran) -> String {
    if first.run.error != second.run.error {
        let ending = |ran: &Ran| {
            ran.run.error.as_ref().map_or("succeeded".to_owned(), |error| {
                format!("failed ({}): {}", error.code, short(&error.message))
            })
        };
        return format!("{}, the first {}", ending(second), ending(first));
    }
    if first.result != second.result {
        let (then, now) = (first.result.to_string(), second.result.to_string());
        return format!("returned {}, the first {}", short(&now), short(&then));
    }
    if first.stdout.bytes != second.stdout.bytes {
        return stdout_difference(&first.stdout.text(), &second.stdout.text());
    }
    let paths = |ran: &Ran| ran.files.iter().map(|file| file.path.clone()).collect::<Vec<_>>();
    if paths(first) != paths(second) {
        return format!("made the files {:?}, the first {:?}", paths(second), paths(first));
    }
    let differs = first.files.iter().zip(&second.files).find(|(then, now)| then.digest != now.digest);
    differs.map_or("differs".to_owned(), |(file, _)| format!("wrote another `{}` than the first", file.path))
}

fn stdout_difference(then: &str, now: &str) -> String {
    let lines = then.lines().count().max(now.lines().count());
    let line = |text: &str, n: usize| text.lines().nth(n).map_or("nothing".to_owned(), short);
    let differs = (0..lines).find(|&n| then.lines().nth(n) != now.lines().nth(n)).unwrap_or(0);
    format!(
        "printed {} on line {} of stdout, the first {}",
        line(now, differs),
        differs + 1,
        line(then, differs)
    )
}

fn short(text: &str) -> String {
    let shown: String = text.chars().take(80).collect();
    if shown.len() < text.len() { format!("`{shown}…`") } else { format!("`{shown}`") }
}
