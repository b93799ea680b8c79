//! Which client would load a bundle, by the rules its own source or documents state.
//!
//! A rule stands here only if `skills-ref`, a validator or a client's source supports it; what is not known is not
//! claimed. Clients that read only `name` and `description` say nothing about other fields.

use model::Bundle;

use crate::finding::shown;
use crate::frontmatter::split::{Shape, lines};
use crate::frontmatter::{self, Fields, Frontmatter};
use crate::reference::{self, Target, TargetKind};

#[cfg(test)]
mod tests;

/// A client of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Client {
    /// The reference library `skills-ref`.
    Reference,
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Gemini CLI.
    GeminiCli,
    /// `OpenCode`.
    OpenCode,
    /// Goose.
    Goose,
    /// Microsoft Agent Framework.
    AgentFramework,
    /// `OpenClaw`.
    OpenClaw,
    /// Anthropic's validator and API.
    Anthropic,
    /// `OpenAI`'s validator and API.
    OpenAi,
}

impl Client {
    /// Every client, in the order of the report.
    pub const ALL: &'static [Self] = &[
        Self::Reference,
        Self::ClaudeCode,
        Self::Codex,
        Self::GeminiCli,
        Self::OpenCode,
        Self::Goose,
        Self::AgentFramework,
        Self::OpenClaw,
        Self::Anthropic,
        Self::OpenAi,
    ];

    /// The client as one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::OpenCode => "opencode",
            Self::Goose => "goose",
            Self::AgentFramework => "agent-framework",
            Self::OpenClaw => "openclaw",
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
        }
    }
}

/// What a client does with a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// It loads it as it is.
    Loads,
    /// It loads it, but not all of it or not as meant.
    LoadsWithWarning,
    /// It does not load it.
    Refuses,
}

impl Outcome {
    /// The outcome as one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Loads => "loads",
            Self::LoadsWithWarning => "loads_with_warning",
            Self::Refuses => "refuses",
        }
    }
}

/// What one client does with a bundle, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientVerdict {
    /// The client.
    pub client: Client,
    /// What it does.
    pub outcome: Outcome,
    /// Why; empty when it simply loads.
    pub reasons: Vec<String>,
}

/// What each client does with this bundle in a folder of this name.
pub fn verdicts(bundle: &Bundle, folder: Option<&str>) -> Vec<ClientVerdict> {
    let folder = folder.and_then(|path| path.rsplit('/').find(|part| !part.is_empty()));
    let facts = Facts::gather(bundle, folder);
    Client::ALL.iter().map(|client| facts.judge(*client, bundle)).collect()
}

/// The errors of the reference validator; without a folder the declared name stands in.
pub(crate) fn reference_errors(bundle: &Bundle, folder: Option<&str>) -> Vec<String> {
    let (_, bytes) = bundle.skill_file();
    let declared = || {
        let text = String::from_utf8_lossy(bytes).into_owned();
        Fields::read(&frontmatter::read(&text), &mut Vec::new()).name.unwrap_or_default()
    };
    let name = folder.map_or_else(declared, str::to_owned);
    reference::validate(Target {
        path: &name,
        kind: TargetKind::Directory,
        directory_name: &name,
        skill_file: Some(bytes),
    })
}

/// What the verdicts are made from.
struct Facts {
    /// `None` when `SKILL.md` is not UTF-8.
    front: Option<Frontmatter>,
    fields: Fields,
    folder: Option<String>,
    file: String,
    bytes: usize,
    /// Whether the frontmatter stands between two `---` lines at the very top.
    plain_shape: bool,
    byte_order_mark: bool,
    /// Whether a line-wise search finds a description.
    findable: bool,
    files: usize,
    total: u64,
    largest: usize,
}

/// Collects reasons; the gravest outcome wins.
struct Judge(Outcome, Vec<String>);

impl Judge {
    fn refuse(&mut self, when: bool, reason: impl Into<String>) {
        if when {
            self.0 = Outcome::Refuses;
            self.1.push(reason.into());
        }
    }

    fn warn(&mut self, when: bool, reason: impl Into<String>) {
        if when {
            self.0 = self.0.max(Outcome::LoadsWithWarning);
            self.1.push(reason.into());
        }
    }
}

impl Facts {
    fn gather(bundle: &Bundle, folder: Option<&str>) -> Self {
        let (file, bytes) = bundle.skill_file();
        let text = std::str::from_utf8(bytes).ok();
        let front = text.map(frontmatter::read);
        let fields = front.as_ref().map(|front| Fields::read(front, &mut Vec::new())).unwrap_or_default();
        let split = front.as_ref().map(|front| &front.split);
        let starts = |prefix: &str| text.is_some_and(|text| text.starts_with(prefix));
        let yaml = text.zip(split).and_then(|(text, split)| text.get(split.yaml.clone())).unwrap_or_default();
        Self {
            plain_shape: starts("---") && split.is_some_and(|split| split.shape == Shape::Closed),
            byte_order_mark: starts("\u{feff}"),
            findable: lines(yaml, 0).any(|line| line.of(yaml).trim_start().starts_with("description:")),
            fields,
            front,
            folder: folder.map(str::to_owned),
            file: file.to_owned(),
            bytes: bytes.len(),
            files: bundle.files().len(),
            total: bundle.size(),
            largest: bundle.files().map(|(_, file)| file.content.len()).max().unwrap_or(0),
        }
    }

    fn judge(&self, client: Client, bundle: &Bundle) -> ClientVerdict {
        let mut judge = Judge(Outcome::Loads, Vec::new());
        if client == Client::Reference {
            for error in reference_errors(bundle, self.folder.as_deref()) {
                judge.refuse(true, error);
            }
        } else {
            judge.refuse(self.front.is_none(), "SKILL.md is not UTF-8 text");
            let spelled = self.file == model::SKILL_FILE || client == Client::OpenAi;
            judge.refuse(!spelled, "it looks for the spelling `SKILL.md` only");
            if judge.0 == Outcome::Loads {
                self.judge_text(client, &mut judge);
            }
        }
        ClientVerdict { client, outcome: judge.0, reasons: judge.1 }
    }

    fn judge_text(&self, client: Client, judge: &mut Judge) {
        match client {
            Client::Reference => {}
            Client::ClaudeCode => self.claude_code(judge),
            Client::Codex => self.codex(judge),
            Client::GeminiCli => self.gemini(judge),
            Client::OpenCode => self.name_and_description(judge),
            Client::Goose => self.goose(judge),
            Client::AgentFramework => self.agent_framework(judge),
            Client::OpenClaw => self.openclaw(judge),
            Client::Anthropic => self.anthropic(judge),
            Client::OpenAi => self.openai(judge),
        }
    }

    fn intact(&self) -> bool {
        self.front.as_ref().is_some_and(|front| front.intact)
    }

    fn description(&self) -> Option<&str> {
        self.fields.description.as_deref()
    }

    fn name(&self) -> Option<&str> {
        self.fields.name.as_deref()
    }

    fn frontmatter(&self, judge: &mut Judge) {
        judge.refuse(!self.plain_shape, "there is no frontmatter between `---` lines at the top");
    }

    /// Its source is closed, so nothing is called a refusal.
    fn claude_code(&self, judge: &mut Judge) {
        judge.warn(!self.plain_shape, "there is no frontmatter between `---` lines at the top");
        judge.warn(!self.intact(), "the frontmatter is not valid YAML");
        judge.warn(self.description().is_none(), "there is no description to choose the skill by");
        let count = self.description().map_or(0, |text| text.chars().count());
        judge.warn(
            count > 1536,
            format!("the catalogue shows at most 1536 characters; the description has {count}"),
        );
    }

    fn codex(&self, judge: &mut Judge) {
        self.frontmatter(judge);
        judge.refuse(self.description().is_none(), "it requires a description");
        let name = self.name().or(self.folder.as_deref()).unwrap_or_default();
        judge.refuse(name.chars().count() > 64, "the name has more than 64 characters");
        judge.warn(!self.intact(), "the YAML is repaired line by line; the result may differ");
        let count = self.description().map_or(0, |text| text.chars().count());
        judge.warn(
            count > 1024,
            format!("the catalogue shows at most 1024 characters; the description has {count}"),
        );
        judge.warn(
            self.bytes > 8000,
            format!("a mentioned SKILL.md is cut at 8000 bytes; it has {}", self.bytes),
        );
    }

    fn gemini(&self, judge: &mut Judge) {
        self.frontmatter(judge);
        judge.refuse(
            self.name().is_none() || self.description().is_none(),
            "it requires a name and a description",
        );
        judge.refuse(
            !self.intact() && !self.findable,
            "neither YAML nor a search by line finds a description",
        );
        judge.warn(
            !self.intact() && self.findable,
            "the YAML is broken; name and description are searched by line",
        );
        let odd =
            self.name().is_some_and(|name| name.contains([':', '\\', '/', '<', '>', '*', '?', '"', '|']));
        judge.warn(odd, "characters of the name are replaced by hyphens");
    }

    fn name_and_description(&self, judge: &mut Judge) {
        self.frontmatter(judge);
        judge.refuse(
            self.name().is_none() || self.description().is_none(),
            "it requires a name and a description",
        );
        judge.warn(
            !self.intact(),
            "the frontmatter is not valid YAML; no repair is documented, it may be skipped",
        );
    }

    fn goose(&self, judge: &mut Judge) {
        self.name_and_description(judge);
        judge.refuse(self.name().is_some_and(|name| name.contains('/')), "the name contains `/`");
    }

    fn agent_framework(&self, judge: &mut Judge) {
        judge.refuse(
            !self.plain_shape && !self.byte_order_mark,
            "there is no frontmatter between `---` lines at the top",
        );
        self.strict_name(judge);
        self.lengths(judge);
        judge.refuse(self.description().is_none(), "it requires a description");
        judge.warn(
            self.files > 20 || self.total > 1024 * 1024,
            "over MCP it takes at most 20 files and 1 MiB",
        );
    }

    fn openclaw(&self, judge: &mut Judge) {
        self.frontmatter(judge);
        judge.refuse(self.description().is_none(), "it requires a description");
        judge.warn(!self.intact(), "the YAML is broken; only one-line fields are read");
    }

    fn anthropic(&self, judge: &mut Judge) {
        self.quick_validate(
            judge,
            &["name", "description", "license", "allowed-tools", "metadata", "compatibility"],
        );
        let reserved = self.name().is_some_and(|name| name.contains("anthropic") || name.contains("claude"));
        judge.refuse(reserved, "the API reserves the words `anthropic` and `claude` in names");
        judge.refuse(self.total >= 30_000_000, "the API takes less than 30 MB");
    }

    fn openai(&self, judge: &mut Judge) {
        self.quick_validate(judge, &["name", "description", "license", "allowed-tools", "metadata"]);
        let placeholder = self.description().is_some_and(|text| text.contains("TODO"));
        judge.refuse(placeholder, "the description still has a placeholder");
        judge.refuse(self.files > 500, format!("the API takes at most 500 files; there are {}", self.files));
        judge.refuse(self.largest > 25_000_000, "the API takes at most 25 MB for one file");
    }

    /// The rules that the skill creators of both vendors check before an upload.
    fn quick_validate(&self, judge: &mut Judge, known: &[&str]) {
        self.frontmatter(judge);
        judge.refuse(!self.intact(), "the frontmatter is not valid YAML");
        let entries = self.front.as_ref().map(|front| front.entries.as_slice()).unwrap_or_default();
        let unknown: Vec<String> = entries
            .iter()
            .filter(|entry| !known.contains(&entry.key.as_str()))
            .map(|entry| shown(&entry.key))
            .collect();
        judge.refuse(!unknown.is_empty(), format!("unexpected fields: {}", unknown.join(", ")));
        let texts = entries.iter().filter(|entry| matches!(entry.key.as_str(), "name" | "description"));
        judge.refuse(
            texts.into_iter().any(|entry| !entry.value.to_json().is_string()),
            "name and description must be text",
        );
        self.strict_name(judge);
        self.lengths(judge);
        let description = self.description();
        judge.refuse(description.is_none(), "it requires a description");
        let tags = description.is_some_and(|text| text.contains(['<', '>']));
        judge.refuse(tags, "the description contains `<` or `>`");
    }

    fn strict_name(&self, judge: &mut Judge) {
        let Some(name) = self.name() else {
            judge.refuse(true, "it requires a name");
            return;
        };
        let slug = model::SkillName::parse(name);
        judge.refuse(slug.is_err(), format!("name `{}` is not of a-z, 0-9 and single hyphens", shown(name)));
    }

    fn lengths(&self, judge: &mut Judge) {
        let count = |text: Option<&str>| text.map_or(0, |text| text.chars().count());
        judge.refuse(count(self.description()) > 1024, "the description has more than 1024 characters");
        judge.refuse(
            count(self.fields.compatibility.as_deref()) > 500,
            "`compatibility` has more than 500 characters",
        );
    }
}
