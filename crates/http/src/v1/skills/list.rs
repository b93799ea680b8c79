//! Listing and finding.

use app::skills::ListSkills;
use app::{Cursor, Facet, PageRequest, SkillOrder};
use axum::extract::State;
use model::{Caller, Origin, ScopeKind, Status, slugify};
use serde::Deserialize;
use utoipa::IntoParams;

use super::super::names;
use super::super::views::{ListView, PageView, SkillGroupView, SkillView, TagView};
use crate::auth::Auth;
use crate::bounds::within;
use crate::extract::Query;
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// What a list of skills is narrowed to, with what else a query says.
macro_rules! skill_filters {
    ($(#[$meta:meta])* $name:ident { $($(#[$extra_meta:meta])* $extra:ident: $type:ty,)* }) => {
        #[derive(Deserialize, IntoParams)]
        #[serde(deny_unknown_fields)]
        #[into_params(parameter_in = Query)]
        #[allow(clippy::struct_excessive_bools)] // each is a parameter of its own
        $(#[$meta])*
        pub(crate) struct $name {
            /// Words that must all occur in name, title, description or tags.
            #[serde(default, deserialize_with = "within::<0, 200, _, _>")]
            #[param(max_length = 200)]
            q: Option<String>,
            /// A tag.
            #[serde(default, deserialize_with = "within::<0, 200, _, _>")]
            #[param(max_length = 200)]
            tag: Option<String>,
            /// A status.
            #[param(pattern = "^(draft|pending_approval|active|rejected|archived)$")]
            status: Option<String>,
            /// The switch.
            enabled: Option<bool>,
            /// An origin.
            #[param(pattern = "^(user|agent|learned|admin|connector|static|provider|imported)$")]
            origin: Option<String>,
            /// A rung of the ladder.
            #[param(pattern = "^(workspace|agent|user|agent_user)$")]
            scope: Option<String>,
            /// The agent that owns it, by id or name.
            #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
            #[param(min_length = 1, max_length = 64)]
            agent: Option<String>,
            /// The user who owns it, by id or handle.
            #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
            #[param(min_length = 1, max_length = 128)]
            user: Option<String>,
            /// A facet it must have.
            #[param(pattern = "^(instructions|procedure|policy)$")]
            facet: Option<String>,
            /// Its exact name.
            #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
            #[param(min_length = 1, max_length = 64)]
            name: Option<String>,
            /// Only what waits for a decision.
            #[serde(default)]
            waiting: bool,
            /// Only what was deleted and can be brought back.
            #[serde(default)]
            deleted: bool,
            /// Only what the caller would get by name: usable, and the nearest of its name.
            #[serde(default)]
            nearest: bool,
            $($(#[$extra_meta])* $extra: $type,)*
        }

        impl $name {
            /// What to list; `None` where no skill can have the name.
            async fn filters(&self, state: &HttpState, caller: &Caller) -> Result<Option<ListSkills>, Problem> {
                let agent = names::optional_agent(&state.cx, caller, self.agent.as_deref()).await?;
                let user = names::optional_user(&state.cx, caller, self.user.as_deref()).await?;
                let name = self.name.as_deref().map(slugify);
                if name == Some(None) {
                    return Ok(None);
                }
                Ok(Some(ListSkills {
                    words: self.q.clone().unwrap_or_default(),
                    tag: self.tag.clone(),
                    status: word(self.status.as_deref(), Status::parse)?,
                    enabled: self.enabled,
                    origin: word(self.origin.as_deref(), Origin::parse)?,
                    scope: word(self.scope.as_deref(), ScopeKind::parse)?,
                    agent,
                    user,
                    facet: self.facet.as_deref().map(facet).transpose()?,
                    name: name.flatten(),
                    waiting: self.waiting,
                    deleted: self.deleted,
                    nearest: self.nearest,
                    ..ListSkills::default()
                }))
            }
        }
    };
}

skill_filters!(
    /// Which skills, in which order.
    ListSkillsQuery {
        /// `name` (the default; not the title), `updated` or `created`.
        #[param(pattern = "^(name|updated|created)$")]
        sort: Option<String>,
        /// Whether to count all pages.
        #[serde(default)]
        count: bool,
        /// How many a page has.
        #[param(minimum = 1, maximum = 200)]
        limit: Option<u32>,
        /// Where the page before ended.
        #[param(min_length = 1, pattern = "^[A-Za-z0-9_-]+$")]
        cursor: Option<String>,
    }
);

skill_filters!(
    /// Which skills.
    GroupSkillsQuery {}
);

fn facet(word: &str) -> Result<Facet, Problem> {
    match word {
        "instructions" => Ok(Facet::Instructions),
        "procedure" => Ok(Facet::Procedure),
        "policy" => Ok(Facet::Policy),
        _ => Err(Problem::bad_request("a facet is instructions, procedure or policy")),
    }
}

fn order(word: Option<&str>) -> Result<SkillOrder, Problem> {
    match word {
        None | Some("name") => Ok(SkillOrder::Name),
        Some("updated") => Ok(SkillOrder::Updated),
        Some("created") => Ok(SkillOrder::Created),
        Some(_) => Err(Problem::bad_request("sort is name, updated or created")),
    }
}

pub(crate) fn word<T>(
    text: Option<&str>,
    parse: fn(&str) -> Result<T, model::UnknownWord>,
) -> Result<Option<T>, Problem> {
    text.map(parse).transpose().map_err(|error| Problem::bad_request(error.to_string()))
}

/// Lists the skills the caller can see.
#[utoipa::path(get, path = "/api/v1/skills", operation_id = "list_skills", tag = "skills", params(ListSkillsQuery),
    responses((status = 200, body = PageView<SkillView>), Problems))]
pub(crate) async fn list(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<ListSkillsQuery>,
) -> Result<axum::Json<PageView<SkillView>>, Problem> {
    let Some(filters) = query.filters(&state, &caller).await? else {
        return Ok(axum::Json(PageView { items: Vec::new(), next_cursor: None, total: None }));
    };
    let request = ListSkills {
        order: order(query.sort.as_deref())?,
        count: query.count,
        page: PageRequest {
            limit: query.limit.unwrap_or(PageRequest::DEFAULT),
            after: query.cursor.map(Cursor),
        },
        ..filters
    };
    let (page, total) = app::skills::list(&state.cx, &caller, request).await?;
    Ok(axum::Json(PageView::of(page, total, SkillView::from)))
}

/// Counts the skills the caller can see by owner: the workspace's, each agent's, each user's.
#[utoipa::path(get, path = "/api/v1/skills/groups", operation_id = "group_skills", tag = "skills",
    params(GroupSkillsQuery), responses((status = 200, body = ListView<SkillGroupView>), Problems))]
pub(crate) async fn groups(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<GroupSkillsQuery>,
) -> Result<axum::Json<ListView<SkillGroupView>>, Problem> {
    let groups = match query.filters(&state, &caller).await? {
        Some(filters) => app::skills::groups(&state.cx, &caller, filters).await?,
        None => Vec::new(),
    };
    Ok(axum::Json(ListView { items: groups.into_iter().map(SkillGroupView::from).collect() }))
}

/// Which skill.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ResolveQuery {
    /// Its name; `Revenue_Growth` finds `revenue-growth`.
    #[serde(deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    name: String,
}

/// Finds the skill a name means to the caller: the nearest usable one.
#[utoipa::path(get, path = "/api/v1/skills/resolve", operation_id = "resolve_skill", tag = "skills",
    params(ResolveQuery), responses((status = 200, body = SkillView), Problems))]
pub(crate) async fn resolve(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<ResolveQuery>,
) -> Result<axum::Json<SkillView>, Problem> {
    Ok(axum::Json(app::skills::resolve(&state.cx, &caller, &query.name).await?.into()))
}

/// Lists the tags of the skills the caller can see.
#[utoipa::path(get, path = "/api/v1/tags", operation_id = "list_tags", tag = "skills",
    responses((status = 200, body = ListView<TagView>), Problems))]
pub(crate) async fn list_tags(
    State(state): State<HttpState>,
    Auth(caller): Auth,
) -> Result<axum::Json<ListView<TagView>>, Problem> {
    let tags = app::skills::tags(&state.cx, &caller).await?;
    Ok(axum::Json(ListView { items: tags.into_iter().map(|(tag, count)| TagView { tag, count }).collect() }))
}
