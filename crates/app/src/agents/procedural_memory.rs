//! What an agent with procedural memory is told about finding, using and saving skills.

use model::{ProceduralMemory, ProposalMode, Toolset};

/// What the tools are called in an agent's toolset.
struct Names {
    search: &'static str,
    apply: &'static str,
    execute: &'static str,
}

impl Names {
    fn of(toolsets: &[Toolset]) -> Self {
        let separate = toolsets.contains(&Toolset::Memory) && !toolsets.contains(&Toolset::Interpreter);
        if separate {
            Self { search: "search", apply: "load_functions", execute: "execute_code" }
        } else {
            Self { search: "search_skills", apply: "use_skill", execute: "execute" }
        }
    }
}

/// The prompt for an agent with these settings and these tools.
pub(super) fn prompt(settings: &ProceduralMemory, toolsets: &[Toolset]) -> String {
    let names = Names::of(toolsets);
    let mut lines = vec![
        "Skills hold code that worked before. Your skills are personal to you and this user.".to_owned(),
    ];
    let search = if settings.prefer_skills {
        "- Before you write code, search for a skill that does the task"
    } else {
        "- You can search for a skill that does the task"
    };
    lines.push(format!("{search} (`{}`).", names.search));
    lines.push(format!(
        "- If a skill is found with a similarity of at least {}, use it (`{}`) and tell the user so.",
        settings.skill_search_threshold, names.apply
    ));
    lines.push(format!("- If none is, write the code and run it (`{}`).", names.execute));
    if settings.auto_register_skills {
        let waits = if settings.require_skill_approval {
            " It cannot be used before it is approved; say that too."
        } else {
            ""
        };
        lines.push(format!(
            "- If the code works and is reusable, save it as a skill (`register_skill`) and tell the user so.{waits}"
        ));
    } else {
        lines.push("- Do not save skills on your own.".to_owned());
    }
    match settings.proposal_mode {
        ProposalMode::Proactive => {
            let then = if settings.auto_register_skills { "" } else { " If so, propose it to the user." };
            lines.push(format!(
                "- After completing a complex or multi-step task, consider whether the procedure should be saved \
                 as a skill for future reference.{then}"
            ));
        }
        ProposalMode::OnRequest => {
            lines.push("- Propose a procedure as a skill only when the user asks for it.".to_owned());
        }
        ProposalMode::Off => lines.push("- Do not propose procedures as skills.".to_owned()),
    }
    lines.join("\n")
}
