//! Everything about a run that is decided before it starts.

use model::{
    Agent, Bundle, Caller, Digest, Language, Procedure, RevisionNumber, Skill, SkillId, SkillName, Status,
};
use policy::access::Act;
use sandbox::{Execution, Program, ProgramFile, Runtime, Stop};
use serde_json::{Map, Value};
use store::Tx;

use super::bind::bind;
use super::{Contents, RunSkill, grant, output};
use crate::live::Audience;
use crate::redact::{Secrets, redact};
use crate::skills::{load, load_bundle, usable_digest};
use crate::{Code, Context, Error};

/// A run that may start.
pub(super) struct Prepared {
    pub skill: SkillId,
    pub name: SkillName,
    pub revision: RevisionNumber,
    /// What to execute; its work folder is not chosen yet.
    pub execution: Execution,
    /// The parameters as they are remembered.
    pub remembered: Map<String, Value>,
    /// Texts that must not be repeated in what is remembered.
    pub secrets: Secrets,
    /// What the skill says it needs around it.
    pub compatibility: Option<String>,
    pub contents: Contents,
    pub audience: Audience,
}

/// Loads the skill and decides what its run gets. Nothing is changed, whatever comes of it.
pub(super) async fn prepare(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    request: RunSkill,
) -> Result<Prepared, Error> {
    request.limits.validate().map_err(|error| Error::invalid(Code::InvalidSettings, error))?;
    let mut tx = cx.read().await?;
    let skill = load(&mut *tx, caller, id, |skill| Act::RunSkill(skill)).await?.skill;
    check_usable(&skill)?;
    let agent = agent_of(&mut *tx, caller).await?;
    let pin = agent.as_ref().and_then(|agent| agent.pin_of(id));
    let number = request.revision.or(pin).unwrap_or(skill.revision);
    let digest = usable_digest(&mut *tx, &skill, number).await?;
    let bundle = load_bundle(&mut *tx, caller.workspace, id, number).await?;
    drop(tx);

    let manifest = manifest::read(&bundle, &cx.limits).map(|reading| reading.manifest).unwrap_or_default();
    let procedure = manifest.procedure.ok_or_else(|| no_procedure(&skill, number))?;
    let parameters = bind(&procedure, request.parameters)
        .map_err(|problems| Error::invalid(Code::InvalidParameters, problems.join("; ")))?;
    let agent_limits = agent.map(|agent| agent.run_limits).unwrap_or_default();
    let limits = grant::limits(&cx.execution.limits, &[procedure.limits, agent_limits, request.limits]);
    let network = grant::network(&procedure.network, &cx.execution.allowed_hosts)?;
    let (remembered, secrets) = redact(&parameters, &request.redact);
    let execution = Execution {
        seed: Some(seed(&digest, &parameters)),
        host: None,
        program: program(&bundle, procedure, parameters, request.arguments),
        inputs: request.files,
        folder: None,
        limits,
        network,
        listener: request.audience.listener(),
        stop: Stop::default(),
    };
    Ok(Prepared {
        skill: id,
        name: skill.name,
        revision: number,
        execution,
        remembered,
        secrets,
        compatibility: manifest.compatibility,
        contents: request.contents,
        audience: request.audience,
    })
}

fn check_usable(skill: &Skill) -> Result<(), Error> {
    let name = &skill.name;
    if skill.status != Status::Active {
        let message = format!("the skill `{name}` is {}; only active skills run", skill.status);
        return Err(Error::conflict(Code::SkillNotActive, message));
    }
    if !skill.enabled {
        let message = format!("the skill `{name}` is disabled; enable it first");
        return Err(Error::conflict(Code::SkillDisabled, message));
    }
    Ok(())
}

async fn agent_of(tx: &mut dyn Tx, caller: &Caller) -> Result<Option<Agent>, Error> {
    let Some(id) = caller.agent else { return Ok(None) };
    let agent = tx.agent(caller.workspace, id).await?;
    agent.map(Some).ok_or_else(|| Error::not_found("agent", id))
}

fn no_procedure(skill: &Skill, number: RevisionNumber) -> Error {
    let message = format!(
        "revision {number} of `{}` has no procedure to run; add one to its repertoire.yaml",
        skill.name
    );
    Error::invalid(Code::NoProcedure, message)
}

/// Where pseudo-random numbers start: equal for the same code with the same parameters, so that a run repeats.
fn seed(digest: &Digest, parameters: &Map<String, Value>) -> u64 {
    let mut told = digest.bytes().to_vec();
    told.extend(output::canonical(&Value::Object(parameters.clone())).to_string().into_bytes());
    let hash = Digest::of(&told);
    hash.bytes().iter().take(8).fold(0, |seed, byte| (seed << 8) | u64::from(*byte))
}

fn program(
    bundle: &Bundle,
    procedure: Procedure,
    parameters: Map<String, Value>,
    arguments: Vec<String>,
) -> Program {
    let files = bundle.files().map(|(path, file)| ProgramFile {
        path: path.to_string(),
        content: file.content.to_vec(),
        executable: file.executable,
    });
    let environment = procedure.variables().map(str::to_owned).collect();
    Program {
        runtime: match procedure.language {
            Language::Python => Runtime::Python { profile: procedure.profile },
            Language::JavaScript => Runtime::JavaScript,
            Language::Shell => Runtime::Script,
        },
        files: files.collect(),
        main: procedure.file.to_string(),
        function: procedure.function,
        parameters,
        environment,
        arguments,
        // A skill may reach hosts that code in a session may not, so that it runs no code of the session.
        folder_modules: false,
    }
}
