//! `import`: folders and archives into the library.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::{Args, ValueEnum};
use manifest::Limits;
use model::{Bundle, BundleFile, BundlePath};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::ScopeArg;
use super::import_summary::{BulkResult, Summary};
use crate::client::{Client, api};
use crate::disk::{Found, Scan, Skipped, scan};
use crate::exit::{Exit, Failure, Outcome};
use crate::output::{Output, Progress, Table, line};
use crate::session::Session;

/// How much goes into one request.
const BATCH_ITEMS: usize = 100;
const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// What to do when a name is taken.
#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum OnConflict {
    Rename,
    NewRevision,
    Skip,
    Error,
}

impl OnConflict {
    fn word(self) -> &'static str {
        match self {
            Self::Rename => "rename",
            Self::NewRevision => "new_revision",
            Self::Skip => "skip",
            Self::Error => "error",
        }
    }
}

/// What to import, and how.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // flags of a command line
pub(crate) struct ImportArgs {
    /// Folders (a skill, or a tree with many), SKILL.md files, .zip or .skill archives
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<PathBuf>,
    /// Only this skill of the source, * for all; repeat for more
    #[arg(short, long, value_name = "NAME")]
    skill: Vec<String>,
    /// Show what the sources contain, and import nothing
    #[arg(short, long)]
    list: bool,
    /// Import everything that is found, without asking
    #[arg(long)]
    all: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    /// Who can see them
    #[arg(long, value_enum)]
    scope: Option<ScopeArg>,
    /// What to do when a name is taken
    #[arg(long, value_enum, default_value = "rename")]
    on_conflict: OnConflict,
    /// Overwrite: the same as --on-conflict new_revision
    #[arg(long, conflicts_with = "on_conflict")]
    force: bool,
    /// Let them start as drafts
    #[arg(long)]
    draft: bool,
    /// Why; kept with each revision
    #[arg(short, long)]
    message: Option<String>,
    /// Write what became of each skill to this file, as JSON lines
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

impl ImportArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome<Exit> {
        let output = session.output;
        let limits = &session.settings.limits.bundles;
        let Scan { mut skills, skipped } = self.scan(limits)?;
        if !self.skill.is_empty() {
            skills.retain(|found| self.is_wanted(found, limits));
        }
        if skills.is_empty() {
            let places: Vec<_> = self.sources.iter().map(|path| path.display().to_string()).collect();
            return Err(Failure::not_found(format!("there is no such skill in {}", places.join(", ")))
                .hint("a skill is a folder with a SKILL.md; `--list` shows what a source contains"));
        }
        if self.list {
            return list(&skills, &skipped, limits, output).map(|()| Exit::Ok);
        }
        let asks = skills.len() > 1 && !self.all && !self.yes && std::io::stdin().is_terminal();
        if asks && !output.confirm(&format!("Import {} skills?", skills.len()))? {
            output.note("nothing was imported");
            return Ok(Exit::Ok);
        }
        let mut summary = Summary::new(self.report.as_deref())?;
        session.work(async |client| self.send(client, skills, &mut summary, session).await).await?;
        summary.finish(&skipped, output)
    }

    /// Whether a skill was asked for, by its folder or by its own name.
    fn is_wanted(&self, found: &Found, limits: &Limits) -> bool {
        let own = || found.bundle(limits).ok().and_then(|bundle| wanted_name(&bundle, &found.folder, limits));
        let names = &self.skill;
        names.iter().any(|name| name == "*" || *name == found.folder)
            || own().is_some_and(|own| names.contains(&own))
    }

    fn scan(&self, limits: &Limits) -> Outcome<Scan> {
        let mut all = Scan::default();
        for source in &self.sources {
            let Scan { skills, skipped } = scan(source, limits)?;
            all.skills.extend(skills);
            all.skipped.extend(skipped);
        }
        Ok(all)
    }

    async fn send(
        &self,
        client: &Client,
        skills: Vec<Found>,
        summary: &mut Summary,
        session: &Session,
    ) -> Outcome {
        let (limits, output) = (&session.settings.limits.bundles, session.output);
        let progress = Progress::new(output, skills.len(), "importing");
        let mut batch = Batch::default();
        for found in skills {
            match found.bundle(limits) {
                Err(error) => {
                    summary.refused(&found.source, "invalid_bundle", &error, &[])?;
                    progress.add(1);
                }
                Ok(bundle) => {
                    let item = self.item(&found, &bundle);
                    let size = usize::try_from(bundle.size()).unwrap_or(usize::MAX);
                    if !batch.fits(size) {
                        progress.add(batch.flush(client, summary).await?);
                    }
                    batch.push(found.source, wanted_name(&bundle, &found.folder, limits), item, size);
                }
            }
        }
        progress.add(batch.flush(client, summary).await?);
        progress.finish();
        Ok(())
    }

    fn item(&self, found: &Found, bundle: &Bundle) -> Value {
        let on_conflict = if self.force { OnConflict::NewRevision } else { self.on_conflict };
        let parts = [
            ("files", Some(Value::from(file_list(bundle)))),
            ("folder", Some(Value::from(found.folder.as_str()))),
            ("source", Some(Value::from(found.source.as_str()))),
            ("origin", Some(Value::from("imported"))),
            ("on_conflict", Some(Value::from(on_conflict.word()))),
            ("scope", self.scope.map(|scope| Value::from(scope.word()))),
            ("draft", self.draft.then_some(Value::Bool(true))),
            ("message", self.message.as_deref().map(Value::from)),
        ];
        Value::Object(parts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect())
    }
}

/// The files of a bundle as requests carry them: as text where they are text.
pub(crate) fn file_list(bundle: &Bundle) -> Vec<Value> {
    let one = |(path, file): (&BundlePath, &BundleFile)| {
        let mut one = Map::from_iter([("path".to_owned(), Value::from(path.as_str()))]);
        match std::str::from_utf8(&file.content) {
            Ok(text) => one.insert("content".to_owned(), Value::from(text)),
            Err(_) => one.insert("content_base64".to_owned(), Value::from(STANDARD.encode(&file.content))),
        };
        if file.executable {
            one.insert("executable".to_owned(), Value::Bool(true));
        }
        Value::Object(one)
    };
    bundle.files().map(one).collect()
}

/// Skills that go in together.
#[derive(Default)]
struct Batch {
    /// Where each comes from, and the name its own files ask for.
    sources: Vec<(String, Option<String>)>,
    items: Vec<Value>,
    bytes: usize,
}

#[derive(Deserialize)]
struct BulkAnswer {
    results: Vec<BulkResult>,
}

impl Batch {
    fn fits(&self, more: usize) -> bool {
        self.items.is_empty()
            || (self.items.len() < BATCH_ITEMS && self.bytes.saturating_add(more) <= BATCH_BYTES)
    }

    fn push(&mut self, source: String, wanted: Option<String>, item: Value, size: usize) {
        self.sources.push((source, wanted));
        self.items.push(item);
        self.bytes = self.bytes.saturating_add(size);
    }

    /// Sends what there is, and gives back how many that were.
    async fn flush(&mut self, client: &Client, summary: &mut Summary) -> Outcome<usize> {
        let Self { sources, items, .. } = std::mem::take(self);
        let sent = sources.len();
        if sent == 0 {
            return Ok(0);
        }
        match send(client, items.clone()).await {
            Ok(results) => summary.add(&sources, results)?,
            // A request that is refused as a whole, for its size or for one item's sake, may still fit piece by piece.
            Err(failure) if is_about_content(&failure) => {
                for (source, item) in sources.into_iter().zip(items) {
                    match send(client, vec![item]).await {
                        Ok(results) => summary.add(&[source], results)?,
                        Err(failure) if is_about_content(&failure) => {
                            summary.refused(&source.0, &failure.code, &failure.message, &[])?;
                        }
                        Err(failure) => return Err(failure),
                    }
                }
            }
            Err(failure) => return Err(failure),
        }
        Ok(sent)
    }
}

fn is_about_content(failure: &Failure) -> bool {
    matches!(failure.exit, Exit::Usage | Exit::Invalid)
}

async fn send(client: &Client, items: Vec<Value>) -> Outcome<Vec<BulkResult>> {
    let body = json!({"mode": "each", "items": items});
    let answer: BulkAnswer = client.read(api("POST", &["skills", "bulk"]).json(body)).await?;
    Ok(answer.results)
}

/// The name a skill would get if it were free.
pub(crate) fn wanted_name(bundle: &Bundle, folder: &str, limits: &Limits) -> Option<String> {
    let reading = manifest::read(bundle, limits).ok()?;
    Some(manifest::choose_name(&reading.manifest, Some(folder)).0.to_string())
}

fn list(skills: &[Found], skipped: &[Skipped], limits: &Limits, output: Output) -> Outcome {
    let rows: Vec<(String, String, String)> = skills
        .iter()
        .map(|found| {
            let described = found.bundle(limits).and_then(|bundle| {
                manifest::read(&bundle, limits)
                    .map_err(|error| error.to_string())
                    .map(|reading| reading.manifest)
            });
            match described {
                Ok(read) => {
                    let name = manifest::choose_name(&read, Some(&found.folder)).0;
                    (name.to_string(), found.source.clone(), read.description)
                }
                Err(error) => ("-".to_owned(), found.source.clone(), format!("would be refused: {error}")),
            }
        })
        .collect();
    let items: Vec<_> = rows
        .iter()
        .map(
            |(name, source, description)| json!({"name": name, "source": source, "description": description}),
        )
        .collect();
    output.result(&json!({"items": items}), || {
        let mut table = Table::new(&["name", "where", "description"]);
        for (name, source, description) in &rows {
            table.row([name, source, description]);
        }
        output.table(&table)
    })?;
    for one in skipped {
        output.note(&format!("would leave out {}: {}", line(&one.path), one.why));
    }
    Ok(())
}
