//! Reads and checks content before anything is written; touches no database.

use manifest::{ComposeError, Finding, Level, Limits, ManifestError, Reading};
use model::{Bundle, Manifest, Origin, SkillName};

use super::publish::Content;
use crate::governance::policy_findings;
use crate::{Code, Context, Error};

/// Content that was read and found sound.
pub(crate) struct Prepared {
    pub bundle: Bundle,
    pub manifest: Manifest,
    pub name: SkillName,
    pub findings: Vec<Finding>,
    /// The origin that a use case gives what it makes; else that of the request, which not everyone may ask for.
    pub origin: Option<Origin>,
}

/// Reads and checks content; touches no database.
pub(crate) fn prepare(cx: &Context, content: Content, name: Option<SkillName>) -> Result<Prepared, Error> {
    let (bundle, folder) = match content {
        Content::Bundle { bundle, folder } => (bundle, folder),
        Content::Draft(draft) => {
            let name = draft.name.to_string();
            let bundle = draft.compose().map_err(compose_error)?;
            (bundle, Some(name))
        }
    };
    let Reading { manifest, mut findings } = examine(cx, &bundle)?;
    let (chosen, finding) = manifest::choose_name(&manifest, folder.as_deref());
    findings.extend(finding);
    Ok(Prepared { bundle, name: name.unwrap_or(chosen), manifest, findings, origin: None })
}

/// Reads a bundle's manifest within the limits.
pub(crate) fn examine(cx: &Context, bundle: &Bundle) -> Result<Reading, Error> {
    cx.limits.check(bundle).map_err(|error| Error::invalid(Code::TooLarge, error))?;
    read_manifest(bundle, &cx.limits).map_err(|error| manifest_error(&error))
}

/// Reads what a bundle says, its policy made ready for a try: what could not be enforced is not let in.
pub fn read_manifest(bundle: &Bundle, limits: &Limits) -> Result<Reading, ManifestError> {
    let mut reading = manifest::read(bundle, limits)?;
    let found = policy_findings(bundle, &reading.manifest);
    let invalid = found.iter().any(|finding| finding.level == Level::Error);
    reading.findings.extend(found);
    if invalid { Err(ManifestError::Sidecar(Box::new(reading))) } else { Ok(reading) }
}

/// What is wrong with a manifest, with the lines that say so.
pub(super) fn manifest_error(error: &ManifestError) -> Error {
    Error::Invalid {
        code: match error {
            ManifestError::TooLarge { .. } => Code::TooLarge,
            ManifestError::Sidecar(_) => Code::InvalidSidecar,
            _ => Code::InvalidManifest,
        },
        message: error.to_string(),
        findings: error.findings().to_vec(),
    }
}

fn compose_error(error: ComposeError) -> Error {
    match error {
        ComposeError::Manifest(error) => manifest_error(&error),
        ComposeError::Bundle(error) => Error::invalid(Code::InvalidBundle, error),
        ComposeError::Reserved(_) => Error::invalid(Code::InvalidPath, error),
        error => Error::invalid(Code::InvalidManifest, error),
    }
}
