//! From code and what is said about it to the content of a skill, as `register_skill` writes it.

use manifest::{Change, Changes, Draft};
use model::{BundleFile, Caller, Language, Parameter, Procedure, SkillName, slugify};

use super::Whole;
use crate::interpreter::{PythonCode, procedure_body, procedure_draft, read_python};
use crate::object_ids::written_name;
use crate::skills::{Edit, EditSkill};
use crate::{Code, Context, Error};

/// What someone says about a skill; of one that is there, what is left out stays.
#[derive(Debug, Clone, Default)]
pub struct Said {
    /// The name as they write it.
    pub name: Option<String>,
    /// A name for people.
    pub display_name: Option<String>,
    /// What it does and when to use it.
    pub description: Option<String>,
    /// Its source, in Python where it is new.
    pub code: Option<String>,
    /// What it is called with; read from the code when left out.
    pub parameters: Option<Vec<Parameter>>,
    /// For filters.
    pub tags: Option<Vec<String>>,
    /// Requests it can serve.
    pub example_prompts: Option<Vec<String>>,
}

fn needed(field: &str) -> Error {
    Error::invalid(Code::InvalidRequest, format!("a new skill needs `{field}`"))
}

impl Said {
    /// The name of a new skill.
    pub fn slug(&self) -> Result<SkillName, Error> {
        let name = self.name.as_deref().ok_or_else(|| needed("name"))?;
        slugify(name).ok_or_else(|| {
            let message = format!("`{name}` has nothing a name could be made of; use letters and digits");
            Error::invalid(Code::InvalidName, message)
        })
    }
}

/// The content of a new skill. Code that is no Python is refused.
pub async fn draft(cx: &Context, caller: &Caller, said: Said) -> Result<Draft, Error> {
    let slug = said.slug()?;
    let written = said.name.ok_or_else(|| needed("name"))?;
    let description = said.description.ok_or_else(|| needed("description"))?;
    let code = said.code.ok_or_else(|| needed("code"))?;
    let read = read(cx, caller, &code, &written, said.parameters).await?;
    let draft = procedure_draft(slug, &written, &description, &code, &read)?;
    Ok(Draft {
        title: said.display_name.or(draft.title),
        tags: said.tags.unwrap_or_default(),
        example_prompts: said.example_prompts.unwrap_or_default(),
        ..draft
    })
}

/// How the content of a skill changes.
pub(super) async fn edit(
    cx: &Context,
    caller: &Caller,
    whole: &Whole,
    said: Said,
) -> Result<EditSkill, Error> {
    let skill = &whole.record.skill;
    if said.name.is_some() && said.slug()? != skill.name {
        let message = "the name is part of a skill's id; put a skill with another name under its own id";
        return Err(Error::invalid(Code::InvalidRequest, message));
    }
    let mut changes = Changes {
        description: said.description,
        title: said.display_name.map_or(Change::Keep, Change::Set),
        tags: said.tags,
        example_prompts: said.example_prompts,
        ..Changes::default()
    };
    let (body, description) = (&whole.manifest.body, &skill.description);
    let heading = heading(body, &skill.name, description);
    let made = heading.is_some() || body.trim().is_empty();
    let written = heading.unwrap_or_else(|| written_name(skill));
    if said.code.is_some() || said.parameters.is_some() {
        let code = said.code.or_else(|| whole.code.clone()).ok_or_else(|| needed("code"))?;
        let known = whole.manifest.procedure.as_ref();
        if let Some(known) = known.filter(|known| known.language != Language::Python) {
            let parameters = said.parameters.unwrap_or_else(|| known.parameters.clone());
            changes.procedure = Change::Set(Procedure { parameters, ..known.clone() });
            changes.files.insert(known.file.clone(), Some(BundleFile::new(code.into_bytes())));
        } else {
            let read = read(cx, caller, &code, written, said.parameters).await?;
            let next = changes.description.as_ref().unwrap_or(description);
            let draft = procedure_draft(skill.name.clone(), written, next, &code, &read)?;
            let (fresh, _) = draft.procedure.ok_or_else(|| needed("code"))?;
            let file = known.map_or_else(|| fresh.file.clone(), |known| known.file.clone());
            let PythonCode { function, parameters, .. } = read.clone();
            let known = known.cloned().unwrap_or(fresh);
            changes.files.insert(file, Some(BundleFile::new(code.into_bytes())));
            changes.procedure = Change::Set(Procedure { function, parameters, ..known });
            if made {
                changes.body = Some(procedure_body(written, next, &read));
            }
        }
    }
    if changes.body.is_none() && made {
        let next = changes.description.as_ref();
        changes.body = next.map(|next| body.replacen(description.as_str(), next, 1));
    }
    Ok(EditSkill::new(Edit::Changes(Box::new(changes))))
}

/// The name in the first line of instructions that were made of code. These are made anew with the code; what
/// somebody wrote stays.
fn heading<'a>(body: &'a str, name: &SkillName, description: &str) -> Option<&'a str> {
    let (heading, rest) = body.strip_prefix("# ")?.split_once("\n\n")?;
    let made = rest.starts_with(description) && slugify(heading).as_ref() == Some(name);
    made.then_some(heading)
}

async fn read(
    cx: &Context,
    caller: &Caller,
    code: &str,
    name: &str,
    parameters: Option<Vec<Parameter>>,
) -> Result<PythonCode, Error> {
    let read = read_python(cx, caller, code, name).await?;
    Ok(PythonCode { parameters: parameters.unwrap_or(read.parameters), ..read })
}
