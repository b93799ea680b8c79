//! The gate in front of the tools that the library itself offers to agents.

use model::{Caller, DecisionId};
use policy::access::{self, Act};
use serde_json::Value;

use super::force::{Kind, Subject};
use super::{Ask, Call, Usage, judge};
use crate::{Context, Error, interpreter};

/// A call of one of the library's own tools.
#[derive(Debug, Clone)]
pub struct OwnCall<'a> {
    /// The tool.
    pub tool: &'a str,
    /// Its arguments.
    pub arguments: Value,
}

impl OwnCall<'_> {
    /// What the agent says it wants; empty where it says nothing.
    fn task(&self) -> String {
        let said = self.arguments.get("prompt").or(self.arguments.get("query"));
        said.and_then(Value::as_str).unwrap_or_default().to_owned()
    }
}

/// Why a call was not let through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    /// Under which the decision is kept.
    pub decision: DecisionId,
    /// Which policies say so, and why.
    pub reason: String,
}

/// The same for what an agent does past the tools, by the HTTP API: it is asked as a call of the interpreter, so that a
/// policy on the interpreter holds whichever way code comes. People are not asked here.
pub(crate) async fn admit_agent(cx: &Context, caller: &Caller, arguments: Value) -> Result<(), Error> {
    if caller.agent.is_none() {
        return Ok(());
    }
    admit(cx, caller, OwnCall { tool: interpreter::TOOL, arguments }).await
}

/// Lets a call through or says which policies are against it. Where no policy holds for the caller, nothing is asked
/// and nothing is kept.
pub async fn admit(cx: &Context, caller: &Caller, call: OwnCall<'_>) -> Result<(), Error> {
    access::decide(caller, Act::Govern)?;
    let subject = Subject::of(caller, None)?;
    let mut tx = cx.read().await?;
    let snapshot = cx.governance.0.register.current(cx, &mut *tx, caller.workspace, Kind::Reading).await?;
    drop(tx);
    if snapshot.of(subject).is_empty() {
        return Ok(());
    }
    let ask = Ask { task: call.task(), ..Ask::default() };
    // Hosts know the same tool by the name of its server, and so may policies.
    let alias = Some(format!("mcp__repertoire__{}", call.tool));
    let call = Call { tool: call.tool.to_owned(), alias, arguments: call.arguments };
    let judged = judge(cx, caller, ask, call, Usage::default()).await?;
    match judged.verdict.denial {
        None => Ok(()),
        Some(denial) => Err(Error::Denied(Denied { decision: judged.decision, reason: denial.reason })),
    }
}
