//! An agent proposes a skill: a draft that waits for the person it is for.

use model::{Caller, Origin, ProposalMode, Scope, ScopeKind, SessionId, SkillId, Status};
use policy::access::{self, Act};
use store::{SkillFilter, SkillOrder, SkillQuery, SkillRecord, Tx, Visibility};

use super::names::{WrittenName, written_name};
use super::prepare::{Prepared, prepare};
use super::publish::{Content, CreateSkill, OnConflict, Outcome, publish};
use crate::artifacts::{Artifact, ArtifactKind};
use crate::{Code, Context, Draft, Error, sessions};

/// How many proposals of an agent may wait for one person.
const MOST_OPEN: usize = 10;
/// How many of a person's proposals are looked through; those of a hundred agents at their limit.
const MOST_READ: u32 = 1_000;

/// What the act is called in a session.
const TOOL: &str = "propose_skill";

/// What is proposed.
#[derive(Debug, Clone, Default)]
pub struct Proposal {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// How it is done.
    pub instructions: String,
    /// Requests it would serve.
    pub example_queries: Vec<String>,
    /// Tools it needs.
    pub suggested_tools: Vec<String>,
    /// The session it comes from, which shows it from then on.
    pub session: Option<SessionId>,
}

/// A proposal that waits.
#[derive(Debug, Clone)]
pub struct Proposed {
    /// What became of it: a new draft, or a new revision of one that waits already.
    pub outcome: Outcome,
    /// The draft.
    pub record: SkillRecord,
    /// What the conversation shows the person.
    pub artifact: Artifact,
    /// What the agent is told.
    pub message: &'static str,
}

/// Proposes a skill to the person the caller acts for. It is theirs alone, and cannot be used before they confirm it.
pub async fn propose(cx: &Context, caller: &Caller, proposal: Proposal) -> Result<Proposed, Error> {
    if proposal.instructions.trim().is_empty() {
        return Err(Error::invalid(
            Code::InvalidRequest,
            "a proposal needs `instructions`; say how it is done",
        ));
    }
    let WrittenName { name, title } = written_name(&proposal.name)?;
    let mut draft = Draft::new(name.clone(), proposal.description);
    draft.title = title;
    draft.body = proposal.instructions;
    draft.example_prompts = proposal.example_queries;
    draft.suggested_tools = proposal.suggested_tools;
    let scope = Scope::User(caller.user);
    let mut request = CreateSkill {
        scope: Some(scope),
        draft: true,
        session: proposal.session,
        ..CreateSkill::new(Content::Draft(Box::new(draft)))
    };
    let prepared = Prepared { origin: Some(Origin::Learned), ..prepare(cx, request.content.clone(), None)? };
    let mut tx = cx.begin(caller.workspace).await?;
    access::decide(caller, Act::CreateSkill(scope))?;
    check_mode(&mut *tx, caller).await?;
    if let Some(session) = proposal.session {
        sessions::check_writable(&mut *tx, caller, session).await?;
    }
    match tx.skill_named(caller.workspace, scope, &name).await? {
        Some(known) if is_open(&known) => request.on_conflict = OnConflict::NewRevision,
        Some(known) => {
            let message = format!(
                "the user has a skill `{name}` already, which is {}; propose it under another name",
                known.skill.status
            );
            return Err(Error::conflict(Code::NameTaken, message));
        }
        None => check_open(&mut *tx, caller).await?,
    }
    let published =
        Box::pin(publish(cx, &mut *tx, caller, SkillId::new(cx.id()), &request, prepared)).await?;
    if published.outcome == Outcome::Unchanged {
        drop(tx);
    } else {
        tx.commit().await?;
    }
    let message = match published.outcome {
        Outcome::Created => "Skill proposal created. Awaiting user confirmation.",
        Outcome::Revised => "Skill proposal updated. Awaiting user confirmation.",
        Outcome::Unchanged | Outcome::Skipped => "Skill proposal unchanged. Awaiting user confirmation.",
    };
    let record = published.record;
    let artifact = Artifact::new(cx, ArtifactKind::SkillProposal, &record, String::new()).await?;
    if let Some(session) = proposal.session {
        sessions::append_outcome(cx, caller, session, vec![artifact.entry(cx, TOOL)]).await?;
    }
    Ok(Proposed { outcome: published.outcome, record, artifact, message })
}

/// Whether it is a proposal that nobody has decided about.
fn is_open(record: &SkillRecord) -> bool {
    record.skill.origin == Origin::Learned && record.skill.status == Status::Draft
}

/// Whether the agent may propose at all. A person who acts in person may.
async fn check_mode(tx: &mut dyn Tx, caller: &Caller) -> Result<(), Error> {
    let Some(id) = caller.agent else { return Ok(()) };
    let agent = tx.agent(caller.workspace, id).await?.ok_or_else(|| Error::not_found("agent", id))?;
    let name = &agent.name;
    let message = match agent.procedural_memory.filter(|memory| memory.enabled) {
        Some(memory) if memory.proposal_mode != ProposalMode::Off => return Ok(()),
        Some(_) => format!("the agent `{name}` does not propose skills; its proposal mode is off"),
        None => format!("the agent `{name}` does not propose skills; its procedural memory is off"),
    };
    Err(Error::conflict(Code::ProposalsOff, message))
}

/// So many wait at most, so that a person can still read them.
async fn check_open(tx: &mut dyn Tx, caller: &Caller) -> Result<(), Error> {
    let query = SkillQuery {
        workspace: caller.workspace,
        visibility: Visibility::All,
        filter: SkillFilter {
            user: Some(caller.user),
            scope: Some(ScopeKind::User),
            origin: Some(Origin::Learned),
            status: Some(Status::Draft),
            ..SkillFilter::default()
        },
        order: SkillOrder::Name,
        after: None,
        limit: MOST_READ,
    };
    let waiting = tx.skills(&query).await?;
    let by_this_agent = |record: &&SkillRecord| record.skill.provenance.agent == caller.agent;
    if waiting.iter().filter(by_this_agent).count() >= MOST_OPEN {
        let message = format!(
            "{MOST_OPEN} proposals wait for the user already; ask them to decide about some before you propose more"
        );
        return Err(Error::conflict(Code::LimitReached, message));
    }
    Ok(())
}
