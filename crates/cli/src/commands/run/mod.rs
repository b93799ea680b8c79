//! `repertoire run`: executes a skill's procedure in the sandbox.

mod files;
mod limits;
mod parameters;
mod show;

pub(super) use limits::LimitArg;
pub(super) use parameters::gather as named_values;
pub(super) use show::duration;

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};

use super::skill::revision_number;
use crate::client::{Client, Pick, Reference, Request, Skill, api, find_skill};
use crate::disk::Overwrite;
use crate::exit::{Exit, Failure, Outcome};
use crate::session::Session;

/// What to run, and with what.
#[derive(Args)]
pub(crate) struct RunArgs {
    /// Which: NAME, ID, NAME@REVISION or NAME@LABEL
    skill: Reference,
    /// A parameter: NAME=VALUE, NAME=@FILE or NAME:=JSON; repeat for more
    #[arg(short, long, value_name = "PARAMETER")]
    param: Vec<String>,
    /// Parameters from a JSON file; - is standard input
    #[arg(long, value_name = "FILE")]
    params_json: Option<PathBuf>,
    /// A file for the work folder: PATH, or PATH=NAME to rename it there; repeat for more
    #[arg(short, long, value_name = "PATH")]
    file: Vec<String>,
    /// An argument on the command line of a script; repeat for more
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    arg: Vec<String>,
    /// This revision instead of the current one: a number or a label
    #[arg(long)]
    revision: Option<String>,
    /// Write the files it makes to this folder
    #[arg(short, long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Replace files that are there
    #[arg(long, requires = "output_dir")]
    force: bool,
    /// End it after so many seconds; it never gets more than the installation allows
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<f64>,
    /// A narrower limit, such as memory_mb=64 or processes=1; repeat for more
    #[arg(long, value_name = "NAME=NUMBER")]
    limit: Vec<LimitArg>,
    /// Leave this parameter's value out of the record; repeat for more
    #[arg(long, value_name = "NAME")]
    redact: Vec<String>,
    /// Run it so many times, and say whether it gave the same each time
    #[arg(long, value_name = "TIMES", value_parser = clap::value_parser!(u32).range(2..=100), conflicts_with = "output_dir")]
    check_determinism: Option<u32>,
}

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.001..=31_536_000.0).contains(number));
    number.ok_or_else(|| "write seconds, such as 2 or 0.5".to_owned())
}

impl RunArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome<Exit> {
        let output = session.output;
        let answer = session
            .work(async |client| {
                let skill = find_skill(client, &self.skill.skill, Pick::Nearest).await?;
                let wants_files = output.json || self.output_dir.is_some();
                let body = self.body(client, &skill, wants_files).await?;
                client.json(self.request(&skill.id, body)).await
            })
            .await?;
        if self.check_determinism.is_some() {
            return show::determinism(output, &answer);
        }
        let written = match &self.output_dir {
            Some(folder) => {
                let overwrite = if self.force { Overwrite::Yes } else { Overwrite::No };
                Some(files::write(&answer, folder, overwrite)?)
            }
            None => None,
        };
        show::run(output, &answer, written.as_ref())
    }

    fn request(&self, skill: &str, body: Value) -> Request {
        let request = match self.check_determinism {
            Some(_) => api("POST", &["skills", skill, "runs", "check"]),
            None => api("POST", &["skills", skill, "runs"]),
        };
        request.json(body).patiently()
    }

    async fn body(&self, client: &Client, skill: &Skill, wants_files: bool) -> Outcome<Value> {
        let revision = match (&self.revision, &self.skill.revision) {
            (Some(_), Some(named)) => {
                let message = format!("the revision stands twice: `@{named}` and --revision");
                return Err(Failure::usage(message).hint("leave one of them out"));
            }
            (Some(named), None) | (None, Some(named)) => {
                Some(revision_number(client, &skill.id, named).await?)
            }
            (None, None) => None,
        };
        let shown = api("GET", &["skills", &skill.id]);
        let number = revision.map(|number| number.to_string());
        let shown = client.json(shown.query("revision", number.as_deref())).await?;
        let parameters = parameters::gather(self.params_json.as_deref(), &self.param, &shown)?;
        let mut limits = Map::new();
        LimitArg::over(&self.limit, &mut limits);
        LimitArg::over(self.timeout.and_then(LimitArg::wall).as_slice(), &mut limits);
        let files = files::inputs(&self.file)?;
        let parts = [
            ("parameters", Some(Value::Object(parameters))),
            ("arguments", (!self.arg.is_empty()).then(|| json!(self.arg))),
            ("files", (!files.is_empty()).then(|| json!(files))),
            ("revision", revision.map(Value::from)),
            ("limits", (!limits.is_empty()).then_some(Value::Object(limits))),
            ("redact", (!self.redact.is_empty()).then(|| json!(self.redact))),
            // Their names and sizes come in any case.
            ("include_files", Some(Value::Bool(wants_files))),
            ("times", self.check_determinism.map(Value::from)),
        ];
        let body: Map<_, _> =
            parts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
        Ok(Value::Object(body))
    }
}
