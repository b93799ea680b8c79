//! What a change of a policy would do, before it is made.

use app::governance::{Proposal, ReplayRange};
use axum::extract::State;
use model::{Bundle, Caller};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::auth::Auth;
use crate::bounds::within;
use crate::extract::Json;
use crate::problem::{Problem, Problems};
use crate::server::HttpState;
use crate::v1::names::{self, moment, skill_id};
use crate::v1::skills::{FileRequest, bundle_of};
use crate::v1::views::{AnalysisView, ReplayView, TestedView};

/// A bundle whose policy is tested.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestPolicyRequest {
    /// All files of the bundle: `SKILL.md`, `repertoire.yaml` and the tables in `tests/`.
    #[serde(deserialize_with = "within::<1, 2000, _, _>")]
    #[schema(min_items = 1, max_items = 2000)]
    files: Vec<FileRequest>,
}

/// Runs the test tables of a bundle against its policy alone.
#[utoipa::path(post, path = "/api/v1/governance/test", operation_id = "test_policy", tag = "governance",
    request_body = TestPolicyRequest, responses((status = 200, body = TestedView), Problems))]
pub(crate) async fn test(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(request): Json<TestPolicyRequest>,
) -> Result<axum::Json<TestedView>, Problem> {
    let bundle = bundle_of(request.files)?;
    Ok(axum::Json(app::governance::test(&state.cx, &caller, bundle).await?.into()))
}

/// A request about a policy as somebody wants it, and more.
macro_rules! proposal_request {
    ($(#[$meta:meta])* $name:ident { $($(#[$extra_meta:meta])* $extra:ident: $type:ty,)* }) => {
        #[derive(Deserialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        $(#[$meta])*
        pub(crate) struct $name {
            /// The skill that is changed; else it is a new one.
            #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
            #[schema(format = Uuid)]
            skill_id: Option<String>,
            /// Its new files, all of them; else what is stored.
            #[serde(default, deserialize_with = "within::<1, 2000, _, _>")]
            #[schema(min_items = 1, max_items = 2000)]
            files: Option<Vec<FileRequest>>,
            /// Whether the policy is taken out of force instead.
            #[serde(default)]
            remove: bool,
            /// Where a new one would stand: `workspace`, `agent`, `user` or `agent_user`.
            #[schema(pattern = "^(workspace|agent|user|agent_user)$")]
            scope: Option<String>,
            /// The agent of that scope, by id or name.
            #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
            #[schema(min_length = 1, max_length = 64)]
            agent: Option<String>,
            /// The user of that scope, by id or handle.
            #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
            #[schema(min_length = 1, max_length = 128)]
            user: Option<String>,
            $($(#[$extra_meta])* $extra: $type,)*
        }

        impl $name {
            async fn proposal(&mut self, state: &HttpState, caller: &Caller) -> Result<Proposal, Problem> {
                let (kind, agent, user) = (self.scope.as_deref(), self.agent.as_deref(), self.user.as_deref());
                let bundle: Option<Bundle> = self.files.take().map(bundle_of).transpose()?;
                Ok(Proposal {
                    skill: self.skill_id.as_deref().map(skill_id).transpose()?,
                    bundle,
                    remove: self.remove,
                    scope: names::scope(&state.cx, caller, kind, agent, user).await?,
                })
            }
        }
    };
}

proposal_request!(
    /// A policy as somebody wants it.
    AnalyseRequest {}
);

proposal_request!(
    /// A policy as somebody wants it, and which recorded calls to judge again.
    ReplayRequest {
        /// Calls of this moment or later.
        #[schema(format = DateTime)]
        since: Option<String>,
        /// Calls before this moment.
        #[schema(format = DateTime)]
        until: Option<String>,
        /// Calls through this agent, by id or name.
        #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
        #[schema(min_length = 1, max_length = 64)]
        for_agent: Option<String>,
        /// The newest so many; 1000 when left out.
        #[schema(minimum = 1, maximum = 10_000)]
        limit: Option<u32>,
    }
);

/// Says what is odd about a policy that somebody wants, and what it changes for each agent while it is active; for policy
/// admins. Nothing is stored.
#[utoipa::path(post, path = "/api/v1/governance/analyse", operation_id = "analyse_policy", tag = "governance",
    request_body = AnalyseRequest, responses((status = 200, body = AnalysisView), Problems))]
pub(crate) async fn analyse(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(mut request): Json<AnalyseRequest>,
) -> Result<axum::Json<AnalysisView>, Problem> {
    let proposal = request.proposal(&state, &caller).await?;
    Ok(axum::Json(app::governance::analyse(&state.cx, &caller, proposal).await?.into()))
}

/// Judges recorded calls again, by the policies in force and by those that would be; for admins and policy admins.
#[utoipa::path(post, path = "/api/v1/governance/replay", operation_id = "replay_decisions", tag = "governance",
    request_body = ReplayRequest, responses((status = 200, body = ReplayView), Problems))]
pub(crate) async fn replay(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(mut request): Json<ReplayRequest>,
) -> Result<axum::Json<ReplayView>, Problem> {
    let proposal = request.proposal(&state, &caller).await?;
    let agent = names::optional_agent(&state.cx, &caller, request.for_agent.as_deref()).await?;
    let range = ReplayRange {
        since: request.since.as_deref().map(moment).transpose()?,
        until: request.until.as_deref().map(moment).transpose()?,
        agent,
        limit: request.limit.unwrap_or(1_000),
    };
    Ok(axum::Json(app::governance::replay(&state.cx, &caller, proposal, range).await?.into()))
}
