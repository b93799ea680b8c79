//! `repertoire mcp`.

use std::io::IsTerminal as _;

use clap::Args;

use crate::exit::{Exit, Failure, Outcome};
use crate::session::Session;
use crate::stdio;

/// What to offer over MCP.
#[derive(Args)]
pub(crate) struct McpArgs {
    /// The groups of tools to offer: interpreter, memory, library, learning; several with commas
    #[arg(long, alias = "toolset", value_name = "NAMES", value_delimiter = ',')]
    toolsets: Vec<String>,
}

impl McpArgs {
    pub(crate) async fn run(self, session: Session) -> Outcome<Exit> {
        for word in &self.toolsets {
            model::Toolset::parse(word).map_err(|error| Failure::usage(error.to_string()))?;
        }
        if std::io::stdin().is_terminal() {
            session
                .output
                .note("waiting for a host's messages; `repertoire connect` sets one up, Ctrl-D ends this");
        }
        stdio::bridge(session.settings, &self.toolsets).await
    }
}
