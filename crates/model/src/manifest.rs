//! What a bundle says about itself, read from `SKILL.md` and `repertoire.yaml`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::word::words;
use crate::{BundlePath, Facets, HostPattern, Policy, RunLimits, is_reserved_variable};

words!(
    /// The language of a procedure.
    Language, "language" {
        /// Python.
        Python => "python",
        /// JavaScript.
        JavaScript => "javascript",
        /// A script with its own interpreter line.
        Shell => "shell",
    }
);

impl Language {
    /// Where the code of a procedure stands when nobody says.
    pub fn usual_file(self) -> &'static str {
        match self {
            Self::Python => "scripts/main.py",
            Self::JavaScript => "scripts/main.js",
            Self::Shell => "scripts/main.sh",
        }
    }
}

words!(
    /// The type of a parameter, in the words of JSON Schema.
    ParameterType, "parameter type" {
        /// Text.
        String => "string",
        /// A whole number.
        Integer => "integer",
        /// Any number.
        Number => "number",
        /// True or false.
        Boolean => "boolean",
        /// A list.
        Array => "array",
        /// A map.
        Object => "object",
        /// Whatever JSON can hold.
        Any => "any",
    }
);

/// One parameter of a procedure.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name in the code.
    pub name: String,
    /// Its type.
    pub kind: ParameterType,
    /// What it means.
    pub description: Option<String>,
    /// Whether a caller must give it.
    pub required: bool,
    /// What it is when a caller does not.
    pub default: Option<Value>,
}

/// The procedure facet: which code to run, and with what.
#[derive(Debug, Clone, PartialEq)]
pub struct Procedure {
    /// Its language.
    pub language: Language,
    /// The file it stands in.
    pub file: BundlePath,
    /// The function to call; a script without one is run as a whole.
    pub function: Option<String>,
    /// Its parameters in order.
    pub parameters: Vec<Parameter>,
    /// The environment profile it needs.
    pub profile: Option<String>,
    /// Bounds on what a run may use.
    pub limits: RunLimits,
    /// The hosts it needs to reach.
    pub network: Vec<HostPattern>,
}

impl Procedure {
    /// The parameters that a script finds as environment variables: those it declares. What else a caller gives, under
    /// names of their own, never becomes one.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let names = self.parameters.iter().map(|parameter| parameter.name.as_str());
        names.filter(|name| self.language == Language::Shell && !is_reserved_variable(name))
    }
}

/// What a bundle says about itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Manifest {
    /// The name as `SKILL.md` writes it; it need not be a slug.
    pub declared_name: Option<String>,
    /// What it does and when to use it.
    pub description: String,
    /// The licence.
    pub license: Option<String>,
    /// What it needs around it.
    pub compatibility: Option<String>,
    /// The tools the standard's `allowed-tools` pre-approves, as written.
    pub allowed_tools: Option<String>,
    /// The standard's `metadata`, flattened to text.
    pub metadata: Vec<(String, String)>,
    /// The Markdown behind the frontmatter.
    pub body: String,
    /// For people.
    pub title: Option<String>,
    /// For filters.
    pub tags: Vec<String>,
    /// An icon's name.
    pub icon: Option<String>,
    /// Requests it can serve.
    pub example_prompts: Vec<String>,
    /// The name of the skill it overlays.
    pub extends: Option<String>,
    /// Tools it commonly uses.
    pub suggested_tools: Vec<String>,
    /// What single files are for, by path.
    pub file_descriptions: BTreeMap<String, String>,
    /// The procedure facet.
    pub procedure: Option<Procedure>,
    /// The policy facet.
    pub policy: Option<Policy>,
}

impl Manifest {
    /// Which facets the bundle has.
    pub fn facets(&self) -> Facets {
        Facets {
            instructions: !self.body.trim().is_empty(),
            procedure: self.procedure.is_some(),
            policy: self.policy.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_gets_what_it_declares_but_no_order_to_its_interpreter() {
        let parameter = |name: &str| Parameter {
            name: name.to_owned(),
            kind: ParameterType::Any,
            description: None,
            required: false,
            default: None,
        };
        let names =
            ["place", "lang", "path", "PATH", "LD_PRELOAD", "BASH_ENV", "PYTHONPATH", "PERL5OPT", "NODE_ENV"];
        let procedure = |language| Procedure {
            language,
            file: BundlePath::parse("run").unwrap(),
            function: None,
            parameters: names.map(parameter).to_vec(),
            profile: None,
            limits: RunLimits::default(),
            network: Vec::new(),
        };
        let of = |language| procedure(language).variables().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(of(Language::Shell), ["place", "lang", "path", "NODE_ENV"]);
        assert_eq!(of(Language::Python), [""; 0]);
    }
}
