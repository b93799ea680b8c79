//! Which name a skill gets when its author's is missing or not a slug.

use model::{Digest, Manifest, SkillName, slugify};

use crate::finding::{Finding, shown};

/// The skill's name: as declared, else the nearest slug, else from the folder, else from the content. Of a folder
/// that is a path, the last part counts.
pub fn choose_name(manifest: &Manifest, folder: Option<&str>) -> (SkillName, Option<Finding>) {
    let folder = folder.and_then(|path| path.rsplit('/').find(|part| !part.is_empty()));
    if let Some(declared) = manifest.declared_name.as_deref() {
        if let Ok(name) = SkillName::parse(declared) {
            let finding = folder.filter(|folder| *folder != declared).map(|folder| {
                let message = format!(
                    "name `{declared}` differs from its folder `{}`; strict clients want them equal",
                    shown(folder)
                );
                Finding::warning("name_folder_mismatch", message)
            });
            return (name, finding);
        }
        if let Some(name) = slugify(declared) {
            let message = format!("name `{}` is not a valid name; `{name}` is used", shown(declared));
            return (name, Some(Finding::warning("name_slugified", message)));
        }
    }
    let (name, source) = match folder.and_then(slugify) {
        Some(name) => (name, "its folder"),
        None => (from_content(manifest), "its content"),
    };
    let message = format!("no usable name is declared; `{name}` was made from {source}");
    (name, Some(Finding::warning("name_made_up", message)))
}

fn from_content(manifest: &Manifest) -> SkillName {
    let mut digest = Digest::of(format!("{}\0{}", manifest.description, manifest.body).as_bytes());
    // `skill-` and hex digits are a slug, so the first pass returns.
    loop {
        let short: String = digest.hex().chars().take(8).collect();
        if let Ok(name) = SkillName::parse(&format!("skill-{short}")) {
            return name;
        }
        digest = Digest::of(digest.bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_a_table() {
        let table = [
            (Some("code-review"), Some("code-review"), "code-review", None),
            (Some("code-review"), None, "code-review", None),
            (Some("code-review"), Some("skills/other"), "code-review", Some("name_folder_mismatch")),
            (Some("Code_Review"), Some("x"), "code-review", Some("name_slugified")),
            (Some("技能"), Some("a/My Skill/"), "my-skill", Some("name_made_up")),
            (None, Some("My Skill"), "my-skill", Some("name_made_up")),
            (None, Some("技能"), "skill-6e340b9c", Some("name_made_up")),
            (None, None, "skill-6e340b9c", Some("name_made_up")),
        ];
        for (declared, folder, wanted, code) in table {
            let manifest = Manifest { declared_name: declared.map(str::to_owned), ..Manifest::default() };
            let (name, finding) = choose_name(&manifest, folder);
            assert_eq!((name.as_str(), finding.map(|f| f.code)), (wanted, code), "{declared:?} {folder:?}");
        }
    }
}
