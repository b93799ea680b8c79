//! `skill edit`: in an editor, or with flags.

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use serde_json::{Map, Value, json};

use super::{tell, text_of};
use crate::client::{Client, Pick, Published, Reference, Skill, api, find_skill};
use crate::config::{Environment as _, ProcessEnvironment};
use crate::disk::scratch_folder;
use crate::exit::{Failure, Outcome};
use crate::session::Session;

/// What to change.
#[derive(Args)]
pub(crate) struct EditArgs {
    /// Which: NAME or ID
    skill: Reference,
    /// Edit this file instead of SKILL.md; it is made if it is not there
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Take the file's content from here; - is standard input
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Remove the file that --file names
    #[arg(long, requires = "file", conflicts_with = "from")]
    remove: bool,
    /// A new name
    #[arg(long, value_name = "NAME")]
    rename: Option<String>,
    /// A new title; empty takes it away
    #[arg(long)]
    title: Option<String>,
    /// A new description
    #[arg(long)]
    description: Option<String>,
    /// All tags from now on; repeat for more, empty takes them away
    #[arg(long)]
    tag: Vec<String>,
    /// A version label for the new revision, such as 1.1.0
    #[arg(long)]
    label: Option<String>,
    /// Why; kept with the revision
    #[arg(short, long)]
    message: Option<String>,
}

impl EditArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let mut body = self.fields();
        let path = self.file.as_deref().unwrap_or("SKILL.md");
        let takes_content = !self.remove && (self.from.is_some() || body.is_empty());
        let (skill, stored) = session
            .work(async |client| {
                let skill = find_skill(client, self.skill.whole()?, Pick::Only).await?;
                let stored = if takes_content {
                    Some(stored_file(client, &skill, path, self.file.is_none()).await?)
                } else {
                    None
                };
                Ok((skill, stored))
            })
            .await?;
        let mut written = None;
        if let Some(stored) = stored {
            // Nobody waits for the library while someone writes.
            let content = match &self.from {
                Some(source) => read_bytes(source)?,
                None => in_editor(&stored, &self.skill.skill)?,
            };
            if stored.content.as_deref() == Some(&content) && body.is_empty() {
                session.output.note("nothing was changed");
                return Ok(());
            }
            let encoded = STANDARD.encode(&content);
            let file =
                json!({"path": stored.path, "content_base64": encoded, "executable": stored.executable});
            body.insert("files".to_owned(), json!([file]));
            written = self.from.is_none().then_some(content);
        } else if self.remove {
            body.insert("files".to_owned(), json!([{"path": path, "delete": true}]));
        }
        for (key, value) in [("label", &self.label), ("message", &self.message)] {
            if let Some(value) = value {
                body.insert(key.to_owned(), Value::from(value.as_str()));
            }
        }
        body.insert("expected_revision".to_owned(), Value::from(skill.revision));
        let request = api("PATCH", &["skills", &skill.id]).json(Value::Object(body));
        let changed = session.work(async |client| client.json(request).await).await;
        let changed = changed.map_err(|failure| match &written {
            Some(content) => keep(failure, content, &self.skill.skill),
            None => failure,
        })?;
        let published: Published =
            serde_json::from_value(changed.clone()).map_err(|error| Failure::internal(error.to_string()))?;
        session.output.result(&changed, || tell(session.output, &published))
    }

    /// The fields that flags change.
    fn fields(&self) -> Map<String, Value> {
        let none_if_empty =
            |text: &String| if text.is_empty() { Value::Null } else { Value::from(text.as_str()) };
        let tags: Vec<&String> = self.tag.iter().filter(|tag| !tag.is_empty()).collect();
        let parts = [
            ("name", self.rename.as_deref().map(Value::from)),
            ("title", self.title.as_ref().map(none_if_empty)),
            ("description", self.description.as_deref().map(Value::from)),
            ("tags", (!self.tag.is_empty()).then(|| json!(tags))),
        ];
        parts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
    }
}

/// What someone wrote is not lost because it was refused.
fn keep(failure: Failure, content: &[u8], skill: &str) -> Failure {
    let kept =
        tempfile::Builder::new().prefix("repertoire-edit-").suffix(".md").tempfile().and_then(|mut file| {
            file.write_all(content)?;
            file.keep().map_err(|error| error.error)
        });
    match kept {
        Ok((_, path)) => {
            let path = path.display();
            failure.hint(format!(
                "your text is in {path}; mend it, then `repertoire skill edit {skill} --from {path}`"
            ))
        }
        Err(_) => failure,
    }
}

struct StoredFile {
    path: String,
    /// Nothing when the file is new.
    content: Option<Vec<u8>>,
    executable: bool,
}

async fn stored_file(client: &Client, skill: &Skill, path: &str, is_main: bool) -> Outcome<StoredFile> {
    let files = client.all(api("GET", &["skills", &skill.id, "files"]), None).await?;
    let same = |file: &&Value| {
        let stored = text_of(file, "path");
        stored == path || (is_main && stored.eq_ignore_ascii_case(path))
    };
    let Some(file) = files.iter().find(same) else {
        return Ok(StoredFile { path: path.to_owned(), content: None, executable: false });
    };
    let path = text_of(file, "path");
    let content = client.send(api("GET", &["skills", &skill.id, "files", &path])).await?.body;
    let executable = file.get("executable").and_then(Value::as_bool).unwrap_or_default();
    Ok(StoredFile { path, content: Some(content.to_vec()), executable })
}

/// Opens an editor on a copy, and gives back what was saved; where the editor fails, that is kept.
fn in_editor(stored: &StoredFile, skill: &str) -> Outcome<Vec<u8>> {
    let environment = ProcessEnvironment;
    let editor = environment.get("VISUAL").or_else(|| environment.get("EDITOR"));
    let Some(editor) = editor else {
        return Err(Failure::usage("there is no editor to open")
            .hint("set EDITOR, or pass --from FILE, --title, --description or --tag"));
    };
    let name = stored.path.rsplit('/').next().unwrap_or("SKILL.md");
    let folder = scratch_folder()?;
    let path = folder.path().join(name);
    let failed = |doing: &str, error: std::io::Error| Failure::file(doing, &path, &error);
    std::fs::write(&path, stored.content.as_deref().unwrap_or_default())
        .map_err(|error| failed("write", error))?;
    // People write `code --wait`; a shell reads that as they mean it.
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("sh")
        .arg(&path)
        .status()
        .map_err(|error| Failure::usage(format!("the editor `{editor}` does not start: {error}")))?;
    let saved = std::fs::read(&path);
    if !status.success() {
        let failure =
            Failure::usage(format!("the editor `{editor}` ended with {status}; nothing was changed"));
        let before = stored.content.as_deref().unwrap_or_default();
        return Err(match saved.ok().filter(|saved| saved != before) {
            Some(saved) => keep(failure, &saved, skill),
            None => failure,
        });
    }
    saved.map_err(|error| failed("read", error))
}

/// The bytes of a file, or of standard input.
fn read_bytes(path: &Path) -> Outcome<Vec<u8>> {
    if path != Path::new("-") {
        return std::fs::read(path).map_err(|error| Failure::file("read", path, &error));
    }
    if std::io::stdin().is_terminal() {
        eprintln!("reading from the terminal; end with Ctrl-D");
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::usage(format!("cannot read standard input: {error}")))?;
    Ok(bytes)
}

/// The text of a file, or of standard input.
pub(super) fn read_text(path: &Path) -> Outcome<String> {
    String::from_utf8(read_bytes(path)?)
        .map_err(|_| Failure::invalid(format!("`{}` is not UTF-8 text", path.display())))
}
