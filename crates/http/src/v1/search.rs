//! Finding skills by plain words, and what an agent is told about.

use app::search::{Discover, Filter, SearchSkills};
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use model::{Facets, Origin, ScopeKind, Status};
use serde::Deserialize;
use utoipa::ToSchema;

use super::agents::DiscoveryWord;
use super::names;
use super::skills::word;
use super::views::{DiscoveredView, SearchStatusView, SearchView};
use crate::auth::Auth;
use crate::bounds::within;
use crate::extract::{Json, OptionalJson};
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// What a skill can do.
#[derive(Deserialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FacetWord {
    Instructions,
    Procedure,
    Policy,
}

/// What is looked for, and among which skills.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"query": "how much interest do I pay on a loan", "tags": ["finance"], "limit": 5}))]
pub(crate) struct SearchRequest {
    /// The request, in plain words.
    #[serde(deserialize_with = "within::<1, 4000, _, _>")]
    #[schema(min_length = 1, max_length = 4000, pattern = r"\S")]
    query: String,
    /// The agent from whose place on the ladder to look, by id or name; else the caller's own place.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    as_agent: Option<String>,
    /// Only what the caller would get by name: usable, and the nearest of its name. When left out it is so, unless a
    /// filter asks for others.
    nearest: Option<bool>,
    /// Tags it must all have.
    #[serde(default, deserialize_with = "within::<0, 20, _, _>")]
    #[schema(max_items = 20)]
    tags: Vec<String>,
    /// A status.
    #[schema(pattern = "^(draft|pending_approval|active|rejected|archived)$")]
    status: Option<String>,
    /// The switch.
    enabled: Option<bool>,
    /// An origin.
    #[schema(pattern = "^(user|agent|learned|admin|connector|static|provider|imported)$")]
    origin: Option<String>,
    /// A rung of the ladder.
    #[schema(pattern = "^(workspace|agent|user|agent_user)$")]
    scope: Option<String>,
    /// The agent that owns it, by id or name.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    agent: Option<String>,
    /// The user who owns it, by id or handle.
    #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
    #[schema(min_length = 1, max_length = 128)]
    user: Option<String>,
    /// Facets it must all have.
    #[serde(default, deserialize_with = "within::<0, 3, _, _>")]
    #[schema(max_items = 3)]
    facets: Vec<FacetWord>,
    /// The least similarity that is shown; else the agent's `skill_search_threshold`, else 0.7.
    #[schema(minimum = 0, maximum = 1)]
    min_similarity: Option<f64>,
    /// At most so many; else 10.
    #[schema(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// Whether skills that are nearly the same are shown once.
    #[serde(default)]
    collapse_duplicates: bool,
    /// Whether each comes with the numbers behind its similarity; yes when left out.
    explain: Option<bool>,
}

impl SearchRequest {
    async fn read(self, state: &HttpState, caller: &model::Caller) -> Result<SearchSkills, Problem> {
        let mut facets = Facets::default();
        for facet in self.facets {
            match facet {
                FacetWord::Instructions => facets.instructions = true,
                FacetWord::Procedure => facets.procedure = true,
                FacetWord::Policy => facets.policy = true,
            }
        }
        let agent = async |text: Option<&str>| match text {
            Some(text) => names::agent(&state.cx, caller, text).await.map(Some),
            None => Ok(None),
        };
        Ok(SearchSkills {
            query: self.query,
            through: agent(self.as_agent.as_deref()).await?,
            nearest: self.nearest,
            filter: Filter {
                tags: self.tags,
                status: word(self.status.as_deref(), Status::parse)?,
                enabled: self.enabled,
                origin: word(self.origin.as_deref(), Origin::parse)?,
                scope: word(self.scope.as_deref(), ScopeKind::parse)?,
                agent: agent(self.agent.as_deref()).await?,
                user: names::optional_user(&state.cx, caller, self.user.as_deref()).await?,
                facets,
            },
            min_similarity: self.min_similarity,
            limit: self.limit,
            collapse: self.collapse_duplicates,
        })
    }
}

/// Finds the skills that answer a request in plain words, best first. Where nothing fits the list is empty.
#[utoipa::path(post, path = "/api/v1/skills/search", operation_id = "search_skills", tag = "skills",
    request_body = SearchRequest, responses((status = 200, body = SearchView), Problems))]
pub(crate) async fn search(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(request): Json<SearchRequest>,
) -> Result<axum::Json<SearchView>, Problem> {
    let explain = request.explain.unwrap_or(true);
    let request = request.read(&state, &caller).await?;
    let found = app::search::find(&state.cx, &caller, request).await?;
    Ok(axum::Json(SearchView::new(found, explain)))
}

/// Whom to tell about skills, and how much.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"agent": "release-bot", "query": "write the notes for version 2", "budget": 500}))]
pub(crate) struct DiscoverRequest {
    /// The agent that is told, by id or name; else the caller's own place and the usual settings.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    agent: Option<String>,
    /// What the agent is about to do.
    #[serde(default, deserialize_with = "within::<0, 4000, _, _>")]
    #[schema(max_length = 4000)]
    query: Option<String>,
    /// How many tokens the text may have; else the agent's `discovery_token_budget`.
    #[schema(minimum = 1, maximum = 1_000_000)]
    budget: Option<u32>,
    /// How many skills a hybrid list may have; else 10.
    #[schema(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// How; else the agent's `discovery`.
    mode: Option<DiscoveryWord>,
}

/// Says which skills an agent is told about at the start of a prompt, within a token budget.
#[utoipa::path(post, path = "/api/v1/skills/discover", operation_id = "discover_skills", tag = "skills",
    request_body = Option<DiscoverRequest>, responses((status = 200, body = DiscoveredView), Problems))]
pub(crate) async fn discover(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    OptionalJson(request): OptionalJson<DiscoverRequest>,
) -> Result<axum::Json<DiscoveredView>, Problem> {
    let agent = names::optional_agent(&state.cx, &caller, request.agent.as_deref()).await?;
    let request = Discover {
        agent,
        query: request.query,
        budget: request.budget,
        limit: request.limit,
        mode: request.mode.map(Into::into),
    };
    Ok(axum::Json(app::search::discover(&state.cx, &caller, request).await?.into()))
}

/// How search stands: what makes the vectors, and how far it is.
#[utoipa::path(get, path = "/api/v1/search/status", operation_id = "search_status", tag = "skills",
    responses((status = 200, body = SearchStatusView), Problems))]
pub(crate) async fn status(
    State(state): State<HttpState>,
    Auth(caller): Auth,
) -> Result<impl IntoResponse, Problem> {
    let status = app::search::status(&state.cx, &caller).await?;
    // It changes without a commit, so that it must not be given again.
    Ok(([(header::CACHE_CONTROL, "no-store")], axum::Json(SearchStatusView::from(status))))
}
