//! Skills in archives: in, out, and examined without being stored.

use manifest::{ClientVerdict, Finding};
use model::{Bundle, BundleFile, BundlePath, Caller, Label, Origin, Scope, SkillId};
use policy::access::{self, Act};

use super::bundles::export;
use super::create::{Bulk, BulkItem, BulkMode, bulk};
use super::prepare::examine;
use super::publish::{Content, CreateSkill, OnConflict};
use super::read::RevisionRef;
use crate::{Code, Context, Error};

/// How to import what an archive holds.
#[derive(Debug, Clone)]
pub struct ImportArchive {
    /// The zip file.
    pub archive: Vec<u8>,
    /// What the archive is called; with each skill's folder it makes the source by which it is found again.
    pub source: Option<String>,
    /// The scope of all skills in it.
    pub scope: Option<Scope>,
    /// Their origin.
    pub origin: Option<Origin>,
    /// What to do when a name is taken.
    pub on_conflict: OnConflict,
    /// What happens to the others when one fails.
    pub mode: BulkMode,
    /// A semantic version for each revision.
    pub label: Option<Label>,
    /// Why.
    pub message: String,
}

/// What became of an archive.
#[derive(Debug)]
pub struct Imported {
    /// The folder of each skill, in the order of the results; empty for the archive's root.
    pub folders: Vec<String>,
    /// What became of each.
    pub bulk: Bulk,
    /// What was found in the archive itself.
    pub findings: Vec<Finding>,
}

/// Puts every skill of an archive in.
pub async fn import_archive(
    cx: &Context,
    caller: &Caller,
    request: ImportArchive,
) -> Result<Imported, Error> {
    access::decide(caller, Act::ListSkills)?;
    let unpacked = manifest::read_zip(&request.archive, &cx.limits).map_err(archive_error)?;
    let found = unpacked.tree.split();
    if found.is_empty() {
        return Err(Error::invalid(Code::InvalidBundle, "the archive has no `SKILL.md` in it"));
    }
    let mut folders = Vec::with_capacity(found.len());
    let mut items: Vec<BulkItem> = Vec::with_capacity(found.len());
    for skill in found {
        let folder = folder_name(&skill.folder);
        let source = request.source.as_ref().map(|archive| match skill.folder.as_str() {
            "" => archive.clone(),
            inside => format!("{archive}/{inside}"),
        });
        folders.push(skill.folder);
        items.push(skill.bundle.map_err(|error| Error::invalid(Code::InvalidBundle, error)).map(|bundle| {
            CreateSkill {
                scope: request.scope,
                origin: Some(request.origin.unwrap_or(Origin::Imported)),
                on_conflict: request.on_conflict,
                label: request.label.clone(),
                message: request.message.clone(),
                source,
                ..CreateSkill::new(Content::Bundle { bundle, folder })
            }
        }));
    }
    let bulk = bulk(cx, caller, request.mode, items).await?;
    Ok(Imported { folders, bulk, findings: unpacked.findings })
}

/// The one bundle that an archive holds, and the name of the folder it stands in.
pub fn bundle_from_archive(cx: &Context, archive: &[u8]) -> Result<(Option<String>, Bundle), Error> {
    let unpacked = manifest::read_zip(archive, &cx.limits).map_err(archive_error)?;
    let mut found = unpacked.tree.split().into_iter();
    match (found.next(), found.next()) {
        (Some(one), None) => {
            let folder = folder_name(&one.folder);
            let bundle = one.bundle.map_err(|error| Error::invalid(Code::InvalidBundle, error))?;
            Ok((folder, bundle))
        }
        (None, _) => Err(Error::invalid(Code::InvalidBundle, "the archive has no `SKILL.md` in it")),
        (Some(_), Some(_)) => Err(Error::invalid(
            Code::InvalidBundle,
            "the archive holds more than one skill; import it instead",
        )),
    }
}

/// The bundle that these files make.
pub fn bundle_from_files(files: Vec<(String, BundleFile)>) -> Result<Bundle, Error> {
    let mut parsed = std::collections::BTreeMap::new();
    for (path, file) in files {
        let path = BundlePath::parse(&path).map_err(|error| Error::invalid(Code::InvalidPath, error))?;
        if parsed.insert(path.clone(), file).is_some() {
            return Err(Error::invalid(Code::InvalidPath, format!("the file `{path}` is there twice")));
        }
    }
    Bundle::new(parsed).map_err(|error| Error::invalid(Code::InvalidBundle, error))
}

fn folder_name(path: &str) -> Option<String> {
    path.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

/// What an archive was refused for.
pub(crate) fn archive_error(error: manifest::ArchiveError) -> Error {
    use manifest::ArchiveError::{Bomb, Limit, TooLarge, TooManyEntries};
    let code = match error {
        TooLarge { .. } | TooManyEntries { .. } | Bomb { .. } | Limit(_) => Code::TooLarge,
        _ => Code::InvalidArchive,
    };
    Error::invalid(code, error)
}

/// A revision as a zip file with one folder in it, and that folder's name.
pub async fn export_archive(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    revision: RevisionRef,
) -> Result<(String, Vec<u8>), Error> {
    let (record, _, bundle) = export(cx, caller, id, revision).await?;
    let folder = record.skill.name.to_string();
    let archive = manifest::write_zip(&bundle, Some(&folder)).map_err(archive_error)?;
    Ok((folder, archive))
}

/// What an examination of a bundle shows.
#[derive(Debug)]
pub struct Examination {
    /// What was found.
    pub findings: Vec<Finding>,
    /// Why it would not be let in, if so.
    pub refusal: Option<Error>,
    /// Which clients of the standard load it.
    pub clients: Vec<ClientVerdict>,
}

/// Examines a bundle without storing it.
pub fn validate(
    cx: &Context,
    caller: &Caller,
    bundle: &Bundle,
    folder: Option<&str>,
) -> Result<Examination, Error> {
    access::decide(caller, Act::ListSkills)?;
    let clients = manifest::verdicts(bundle, folder);
    Ok(match examine(cx, bundle) {
        Ok(reading) => {
            let (_, finding) = manifest::choose_name(&reading.manifest, folder);
            let findings = reading.findings.into_iter().chain(finding).collect();
            Examination { findings, refusal: None, clients }
        }
        Err(error) => Examination { findings: error.findings().to_vec(), refusal: Some(error), clients },
    })
}
