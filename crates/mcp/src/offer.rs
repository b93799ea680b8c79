//! What a caller is offered: which tools, whether skills are shown at all, and what is said about it.

use app::{Context, Error};
use model::Toolset;
use rmcp::model::Tool;

use crate::Asking;
use crate::tools;

/// What a caller is offered.
#[derive(Debug, Clone)]
pub(crate) struct Offer {
    /// The groups of tools.
    toolsets: Vec<Toolset>,
    /// Whether the agent has procedural memory.
    memory: bool,
}

impl Offer {
    /// What this caller is offered: what the address names, else what the agent's settings name, else the one tool
    /// that does it all.
    pub(crate) async fn to(cx: &Context, asking: &Asking) -> Result<Self, Error> {
        let memory = app::interpreter::has_memory(cx, &asking.caller).await?;
        let toolsets = match &asking.toolsets {
            Some(toolsets) => toolsets.clone(),
            None => app::agents::toolsets(cx, &asking.caller).await?,
        };
        let toolsets = if toolsets.is_empty() { vec![Toolset::Interpreter] } else { toolsets };
        Ok(Self { toolsets, memory })
    }

    /// Whether skills are shown as resources, prompts and by the skills extension: where the agent has memory, or was
    /// given the library.
    pub(crate) fn shows_skills(&self) -> bool {
        self.memory || self.toolsets.contains(&Toolset::Library)
    }

    /// Whether the agent has procedural memory.
    pub(crate) fn has_memory(&self) -> bool {
        self.memory
    }

    /// The tools, in a fixed order.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        tools::ALL.iter().filter(|tool| self.has(tool)).map(|tool| tool.describe(self.memory)).collect()
    }

    /// A tool by its name or one of its other names, if it is offered.
    pub(crate) fn tool(&self, name: &str) -> Option<&'static tools::ToolKind> {
        tools::ALL.iter().find(|tool| tool.is_called(name) && self.has(tool))
    }

    fn has(&self, tool: &tools::ToolKind) -> bool {
        self.toolsets.contains(&tool.toolset) && (self.memory || !tool.needs_memory)
    }

    /// Whether one of the tools executes code.
    fn executes(&self) -> bool {
        self.toolsets.contains(&Toolset::Interpreter) || self.toolsets.contains(&Toolset::Memory)
    }

    /// How a model runs the code of a skill; nothing where no tool does.
    pub(crate) fn running(&self) -> Option<&'static str> {
        if !self.memory {
            None
        } else if self.toolsets.contains(&Toolset::Interpreter) {
            Some("call `code_interpreter` with operation `use_skill`, its name and parameters")
        } else if self.toolsets.contains(&Toolset::Memory) {
            Some("load it with `load_functions`, and import it in `execute_code`")
        } else {
            None
        }
    }

    /// What the server says about itself to the model.
    pub(crate) fn instructions(&self) -> String {
        let mut lines = Vec::new();
        if !self.memory {
            if self.executes() {
                lines.push("Executes Python in a sandbox without a network.");
            }
        } else if self.toolsets.contains(&Toolset::Interpreter) {
            lines.push(
                "A library of skills: code and instructions that worked before. Before you write code, call \
                 code_interpreter with operation search_skills and the task as prompt. If a skill has a similarity of \
                 0.8 or more, run it with use_skill and tell the user which skill you used. Otherwise run your code \
                 with execute. If it works and is reusable, save it with register_skill and tell the user. Operation \
                 auto does this in one call: give the task as prompt, and code to fall back on.",
            );
        } else if self.memory && self.toolsets.contains(&Toolset::Memory) {
            lines.push(
                "A library of skills: code and instructions that worked before. Before you write code, call search \
                 with the task. Load what fits with load_functions and import it in execute_code; else write the code, \
                 and save it with register_skill if it works and is reusable. Tell the user which skills you use and \
                 save. Keep the plan of a long task with write_todos.",
            );
        }
        if self.toolsets.contains(&Toolset::Library) {
            lines.push(
                "Skills are written procedures. list_skills shows them, read_skill gives the whole text of one: read \
                 it before you do what it describes. After a complex or multi-step task, consider saving the procedure \
                 with create_skill; when you are corrected, mend the skill with update_skill.",
            );
        }
        if self.memory && self.toolsets.contains(&Toolset::Learning) {
            lines.push(
                "When you see a procedure worth keeping, propose it with propose_skill; the user confirms it. Say \
                 with record_feedback whether a skill helped.",
            );
        }
        if self.shows_skills() {
            lines.push("Each skill can also be read as the resource skill://NAME/SKILL.md.");
        }
        lines.join("\n")
    }
}
