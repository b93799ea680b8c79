//! Skills as the tool handles them: found by name, with their manifest and their code.

use model::{Caller, Manifest, Scope};

use super::search::fitting;
use crate::skills::{ListSkills, RevisionRef, file, list, read_in_use, resolve};
use crate::{Code, Context, Error, SkillRecord, object_ids};

/// From where on a skill with another name is named to someone who asked for one that is not there.
const NEAR: f64 = 0.5;

/// A skill with what its revision for this caller says.
pub(super) struct Loaded {
    pub record: SkillRecord,
    /// Its name as its author wrote it.
    pub name: String,
    pub manifest: Manifest,
    /// The code of its procedure; nothing where it has none.
    pub code: String,
    /// Other Python files in its bundle.
    pub has_modules: bool,
}

/// The skill that a name means to the caller, in either spelling.
pub(super) async fn by_name(cx: &Context, caller: &Caller, name: &str) -> Result<SkillRecord, Error> {
    match resolve(cx, caller, name).await {
        Err(Error::NotFound { .. }) => Err(missing(cx, caller, name).await?),
        found => found,
    }
}

/// Why there is no usable skill of this name: its state, or that there is none.
async fn missing(cx: &Context, caller: &Caller, name: &str) -> Result<Error, Error> {
    let shown: String = name.chars().take(100).collect();
    if let Some(slug) = model::slugify(name) {
        let request = ListSkills { name: Some(slug), ..ListSkills::default() };
        let (page, _) = list(cx, caller, request).await?;
        let own = |scope: Scope| {
            scope.user().is_none_or(|user| user == caller.user)
                && scope.agent().is_none_or(|agent| caller.agent == Some(agent))
        };
        let nearest = page
            .items
            .into_iter()
            .filter(|record| own(record.skill.scope))
            .max_by_key(|record| record.skill.scope.nearness());
        if let Some(record) = nearest {
            return Ok(not_active(&record));
        }
    }
    let mut message = format!("There is no skill named '{shown}'.");
    let near = if shown.trim().is_empty() {
        Vec::new()
    } else {
        fitting(cx, caller, &shown.replace(['_', '-'], " "), NEAR, 3).await?
    };
    if !near.is_empty() {
        let near: Vec<String> =
            near.iter().map(|found| format!("'{}'", object_ids::written_name(&found.record.skill))).collect();
        message.extend([format!(" Did you mean {}?", near.join(" or "))]);
    }
    Ok(Error::invalid(Code::NotFound, message))
}

fn not_active(record: &SkillRecord) -> Error {
    let name = object_ids::written_name(&record.skill);
    let state = object_ids::status_word(&record.skill);
    let next = match state {
        "PendingApproval" => "it can be used once somebody approves it",
        "Disabled" => "it can be used once somebody enables it",
        _ => "only active skills can be used",
    };
    let message = format!("The skill '{name}' is not active: its status is {state}; {next}.");
    Error::conflict(Code::SkillNotActive, message)
}

/// Reads a skill at the revision that the caller uses.
pub(super) async fn load(cx: &Context, caller: &Caller, record: SkillRecord) -> Result<Loaded, Error> {
    let id = record.skill.id;
    let detail = read_in_use(cx, caller, id).await?;
    let code = match &detail.manifest.procedure {
        Some(procedure) => {
            let path = procedure.file.as_str();
            let which = RevisionRef::Number(detail.revision.number);
            let (_, bytes) = file(cx, caller, id, which, path).await?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
        None => String::new(),
    };
    let main = detail.manifest.procedure.as_ref().map(|procedure| &procedure.file);
    let has_modules = detail.files.iter().any(|file| {
        Some(&file.path) != main
            && std::path::Path::new(file.path.as_str()).extension().is_some_and(|e| e == "py")
    });
    let name = object_ids::written_name(&record.skill).to_owned();
    Ok(Loaded { record, name, manifest: detail.manifest, code, has_modules })
}
