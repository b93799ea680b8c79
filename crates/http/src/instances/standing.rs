//! From a request's path to a caller in that instance, and from object ids to what they mean there.

use app::identity::Standing;
use app::{Code, Context};
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use model::{Agent, Caller, SkillId, User, WorkspaceName};

use crate::auth::{caller_at, standing};
use crate::problem::Problem;
use crate::server::HttpState;
use crate::v1::{missing, named_agent, named_user};

/// The name of the path's part that names the instance.
const INSTANCE: &str = "instanceId";
/// What stands before an agent's name in its object id.
const AGENTS: &str = "/providers/FoundationaLLM.Agent/agents/";

/// Who asks, in the instance that the path names.
pub(super) struct Instance {
    pub caller: Caller,
    pub name: WorkspaceName,
    /// The instance as the path has it.
    asked: String,
}

impl FromRequestParts<HttpState> for Instance {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> Result<Self, Problem> {
        let params = RawPathParams::from_request_parts(parts, &()).await;
        let params = params.map_err(|error| Problem::bad_request(error.body_text()))?;
        let asked = params.iter().find(|(name, _)| *name == INSTANCE).map_or("", |(_, text)| text).to_owned();
        let agent = standing(&parts.headers)?.agent;
        let name = app::identity::workspace_called(&state.cx, &asked).await?;
        // Whether there is such an instance is told to nobody outside of it.
        let inside = Standing { workspace: name.clone(), agent: None };
        let caller = match caller_at(parts, state, &inside).await {
            Err(problem) if problem.has(Code::NotFound) => return Err(missing("instance", &asked)),
            caller => caller?,
        };
        let name = name.ok_or_else(|| missing("instance", &asked))?;
        let caller = match agent {
            None => caller,
            agent => caller_at(parts, state, &Standing { agent, ..inside }).await?,
        };
        Ok(Self { caller, name, asked })
    }
}

impl Instance {
    /// An agent by its object id, its name or its id.
    pub(super) async fn agent(&self, cx: &Context, text: &str) -> Result<Agent, Problem> {
        let id = named_agent(cx, &self.caller, self.agent_name(text)?).await?;
        Ok(app::agents::read(cx, &self.caller, id).await?)
    }

    /// The agent's name in its object id; another text is as it is.
    fn agent_name<'a>(&self, text: &'a str) -> Result<&'a str, Problem> {
        let Some(path) = text.strip_prefix("/instances/") else { return Ok(text) };
        let (instance, agent) = path.split_once(AGENTS).ok_or_else(|| {
            Problem::bad_request(format!("an agent's object id reads `/instances/ID{AGENTS}NAME`"))
        })?;
        let here = [self.asked.as_str(), self.name.as_str(), &self.caller.workspace.to_string()];
        if here.contains(&instance) { Ok(agent) } else { Err(missing("agent", text)) }
    }

    /// A user by handle or id.
    pub(super) async fn user(&self, cx: &Context, text: &str) -> Result<User, Problem> {
        let id = named_user(cx, &self.caller, text).await?;
        Ok(app::users::read(cx, &self.caller, id).await?.user)
    }

    /// A skill by its id in words or its UUID.
    pub(super) async fn skill(&self, cx: &Context, text: &str) -> Result<SkillId, Problem> {
        Ok(app::object_ids::find_skill(cx, &self.caller, text).await?)
    }

    /// The same where there may be none yet.
    pub(super) async fn known_skill(&self, cx: &Context, text: &str) -> Result<Option<SkillId>, Problem> {
        match app::object_ids::find_skill(cx, &self.caller, text).await {
            Ok(id) => Ok(Some(id)),
            Err(error) if error.code() == Code::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
