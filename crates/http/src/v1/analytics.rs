//! How the library is used, day by day.

use app::analytics::ReadAnalytics;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde::Deserialize;
use utoipa::IntoParams;

use super::names::{self, day};
use super::views::AnalyticsView;
use crate::auth::Auth;
use crate::bounds::within;
use crate::extract::Query;
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// Which uses.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AnalyticsQuery {
    /// The first day, in UTC; 29 days before the last when left out.
    #[param(format = Date)]
    since: Option<String>,
    /// The last day, in UTC; today when left out. At most 366 days in all.
    #[param(format = Date)]
    until: Option<String>,
    /// Only what was done through this agent, by id or name.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    agent: Option<String>,
    /// Only what this user did, by id or handle; others than oneself for admins and reviewers.
    #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
    #[param(min_length = 1, max_length = 128)]
    user: Option<String>,
}

/// Tells how the skills that the caller can see are used, day by day.
#[utoipa::path(get, path = "/api/v1/analytics", operation_id = "read_analytics", tag = "skills",
    params(AnalyticsQuery), responses((status = 200, body = AnalyticsView), Problems))]
pub(crate) async fn read(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<AnalyticsQuery>,
) -> Result<impl IntoResponse, Problem> {
    let request = ReadAnalytics {
        since: query.since.as_deref().map(day).transpose()?,
        until: query.until.as_deref().map(day).transpose()?,
        agent: names::optional_agent(&state.cx, &caller, query.agent.as_deref()).await?,
        user: names::optional_user(&state.cx, &caller, query.user.as_deref()).await?,
    };
    let analytics = app::analytics::read(&state.cx, &caller, request).await?;
    // Its days move on without a commit, so that it must not be given again.
    Ok(([(header::CACHE_CONTROL, "no-store")], axum::Json(AnalyticsView::from(analytics))))
}
