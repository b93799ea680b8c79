//! From a bundle to what it says about itself, with everything that was odd on the way.

use model::{Bundle, Manifest, SIDECAR_FILE};

use crate::finding::{Finding, Level};
use crate::frontmatter::{self, Fields, split::body_text};
use crate::limits::Limits;
use crate::lint::{MOST_HIDDEN, hidden_text, lint};
use crate::sidecar::{self, Sidecar};

/// What a bundle says, and what the reader noticed.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// What the bundle says about itself.
    pub manifest: Manifest,
    /// What the reader noticed, `SKILL.md` first.
    pub findings: Vec<Finding>,
}

/// Why a bundle cannot be taken.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ManifestError {
    /// `SKILL.md` is not text.
    #[error("`{file}` is not UTF-8 text (first wrong byte at {offset}); save it as UTF-8")]
    NotUtf8 {
        /// The file.
        file: String,
        /// Where the text breaks off.
        offset: usize,
    },
    /// `SKILL.md` is over its limit.
    #[error("`{file}` has {size} bytes; the limit is {limit}, move details into `references/`")]
    TooLarge {
        /// The file.
        file: String,
        /// Its size.
        size: u64,
        /// The largest size.
        limit: u64,
    },
    /// Neither a description nor any text to take one from.
    #[error("`{file}` has neither a description nor a body; add `description:` to its frontmatter")]
    NoDescription {
        /// The file.
        file: String,
    },
    /// `repertoire.yaml` is wrong; the reading holds what could be read and every finding.
    #[error("`repertoire.yaml` is not valid: {}", first_error(.0))]
    Sidecar(Box<Reading>),
}

impl ManifestError {
    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotUtf8 { .. } => "not_utf8",
            Self::TooLarge { .. } => "too_large",
            Self::NoDescription { .. } => "no_description",
            Self::Sidecar(_) => "sidecar_invalid",
        }
    }

    /// What the reader noticed before it gave up.
    pub fn findings(&self) -> &[Finding] {
        match self {
            Self::Sidecar(reading) => &reading.findings,
            _ => &[],
        }
    }
}

fn first_error(reading: &Reading) -> String {
    let mut errors = reading.findings.iter().filter(|finding| finding.level == Level::Error);
    let first = errors.next().map_or_else(String::new, |finding| match finding.line {
        Some(line) => format!("line {line}: {}", finding.message),
        None => finding.message.clone(),
    });
    match errors.count() {
        0 => first,
        more => format!("{first} (and {more} more)"),
    }
}

/// The body of a `SKILL.md`: what stands behind its frontmatter.
pub fn body(text: &str) -> &str {
    text.get(frontmatter::split::split(text).body).unwrap_or_default()
}

/// Reads what a bundle says; lenient with `SKILL.md`, strict with our own `repertoire.yaml`.
pub fn read(bundle: &Bundle, limits: &Limits) -> Result<Reading, ManifestError> {
    let (file, bytes) = bundle.skill_file();
    let size = bytes.len() as u64;
    if size > limits.max_skill_file_bytes {
        return Err(ManifestError::TooLarge {
            file: file.to_owned(),
            size,
            limit: limits.max_skill_file_bytes,
        });
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| ManifestError::NotUtf8 { file: file.to_owned(), offset: error.valid_up_to() })?;
    let mut frontmatter = frontmatter::read(text);
    let mut findings = std::mem::take(&mut frontmatter.findings);
    if file != model::SKILL_FILE {
        let message =
            format!("`{file}` should be named `SKILL.md`; many clients look for that spelling only");
        findings.insert(0, Finding::warning("skill_file_spelling", message));
    }
    let mut fields = Fields::read(&frontmatter, &mut findings);
    let body = body_text(text.get(frontmatter.split.body.clone()).unwrap_or_default());
    let description = match fields.description.take() {
        Some(description) => Some(description),
        None => described_by_body(body, &mut findings),
    };
    findings.extend(lint(&fields, description.as_deref(), text, body));
    let mut findings: Vec<Finding> = findings.into_iter().map(|finding| finding.in_file(file)).collect();
    let (sidecar, more) = read_sidecar(bundle, limits);
    let invalid = more.iter().any(|finding| finding.level == Level::Error);
    findings.extend(more);
    let others = bundle.files().filter(|(path, _)| path.as_str() != file);
    let hidden = others.filter_map(|(path, file)| hidden_text(path.as_str(), &file.content));
    findings.extend(hidden.take(MOST_HIDDEN));
    let Some(description) = description else {
        return Err(ManifestError::NoDescription { file: file.to_owned() });
    };
    let reading = Reading { manifest: merge(fields, sidecar, description, body), findings };
    if invalid { Err(ManifestError::Sidecar(Box::new(reading))) } else { Ok(reading) }
}

fn described_by_body(body: &str, findings: &mut Vec<Finding>) -> Option<String> {
    let description = frontmatter::summary(body)?;
    let message = "there is no description; the first words of the body stand in, add `description:`";
    findings.push(Finding::warning("description_missing", message));
    Some(description)
}

fn read_sidecar(bundle: &Bundle, limits: &Limits) -> (Sidecar, Vec<Finding>) {
    let Some(file) = bundle.get(SIDECAR_FILE) else { return (Sidecar::default(), Vec::new()) };
    let problem = |code, message: String| {
        (Sidecar::default(), vec![Finding::error(code, message).in_file(SIDECAR_FILE)])
    };
    let size = file.content.len() as u64;
    if size > limits.max_skill_file_bytes {
        let limit = limits.max_skill_file_bytes;
        return problem("sidecar_too_large", format!("it has {size} bytes; the limit is {limit}"));
    }
    match std::str::from_utf8(&file.content) {
        Ok(text) => sidecar::read(text, bundle),
        Err(error) => {
            let offset = error.valid_up_to();
            problem(
                "sidecar_not_utf8",
                format!("not UTF-8 text (first wrong byte at {offset}); save it as UTF-8"),
            )
        }
    }
}

fn merge(fields: Fields, sidecar: Sidecar, description: String, body: &str) -> Manifest {
    Manifest {
        declared_name: fields.name,
        description,
        license: fields.license,
        compatibility: fields.compatibility,
        allowed_tools: fields.allowed_tools,
        metadata: fields.metadata,
        body: body.to_owned(),
        title: sidecar.title.or(fields.title),
        tags: sidecar.tags.unwrap_or(fields.tags),
        icon: sidecar.icon.or(fields.icon),
        example_prompts: sidecar.example_prompts.unwrap_or(fields.example_prompts),
        extends: sidecar.extends.or(fields.extends),
        suggested_tools: sidecar.suggested_tools.unwrap_or(fields.suggested_tools),
        file_descriptions: sidecar.files.unwrap_or_default(),
        procedure: sidecar.procedure,
        policy: sidecar.policy,
    }
}

/// The frontmatter of a `SKILL.md` as JSON, every field of its author in it; nothing where other readers of YAML 1.2
/// would not read the same.
pub fn frontmatter(skill_file: &str) -> Option<serde_json::Map<String, serde_json::Value>> {
    let front = frontmatter::read(skill_file);
    let whole = front.intact && front.split.shape == frontmatter::split::Shape::Closed;
    let fields = front.entries.iter().map(|entry| (entry.key.clone(), entry.value.to_json()));
    whole.then(|| fields.collect())
}
