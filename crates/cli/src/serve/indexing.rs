//! Keeps the indexes of search in step while nobody asks, so that a search never waits for a large import, and gets
//! vectors from an embedder elsewhere.

use std::time::{Duration, Instant};

use app::Context;
use app::search::{embed_missing, refresh_all};

/// How long to wait between two rounds, at least.
const PAUSE: Duration = Duration::from_secs(1);
/// How long to wait when nothing comes of it, at most.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A round takes at most this share of the time.
const SHARE: u32 = 10;
/// How often progress is told.
const TOLD: Duration = Duration::from_secs(10);

/// Works until it is dropped.
pub(super) async fn keep_in_step(cx: Context) {
    // Reading the table takes a moment, which the first search should not have to wait for.
    let _ = tokio::task::spawn_blocking(app::search::warm_up).await;
    tokio::join!(refresh(&cx), embed(&cx));
}

async fn refresh(cx: &Context) {
    let mut failing = false;
    loop {
        let start = Instant::now();
        match refresh_all(cx).await {
            Ok(_) => failing = false,
            // A database that is away for an hour is told of once.
            Err(_) if failing => {}
            Err(error) => {
                failing = true;
                tracing::error!(error = &error as &dyn std::error::Error, "the search index falls behind");
            }
        }
        tokio::time::sleep((start.elapsed() * SHARE).clamp(PAUSE, LONGEST_PAUSE)).await;
    }
}

async fn embed(cx: &Context) {
    if cx.search.embedder().is_none() {
        return;
    }
    // How many waited the last time; at first nobody knows.
    let (mut before, mut pause) = (usize::MAX, PAUSE);
    let mut told: Option<Instant> = None;
    loop {
        let waiting = match embed_missing(cx).await {
            Ok(waiting) => waiting,
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "skills cannot be embedded");
                usize::MAX
            }
        };
        // One workspace that does not get on must not hold up the others.
        let failure = cx.search.failure().filter(|_| waiting > 0 && waiting >= before);
        let failed = failure.is_some() || waiting == usize::MAX;
        if failed {
            let failure = failure.map(|failure| failure.to_string()).unwrap_or_default();
            tracing::warn!(failure, retry_seconds = pause.as_secs(), "the embedder gives no vectors");
        } else if waiting > 0 && told.is_none_or(|told| told.elapsed() >= TOLD) {
            told = Some(Instant::now());
            tell(cx, waiting).await;
        } else if waiting == 0 && before > 0 {
            told = None;
            tracing::info!("all skills are embedded");
        }
        if failed {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        } else {
            pause = PAUSE;
            // Where vectors came there are more to be had; else there is nothing to do for a while.
            if waiting == 0 || waiting >= before {
                tokio::time::sleep(PAUSE).await;
            }
        }
        before = waiting;
    }
}

async fn tell(cx: &Context, waiting: usize) {
    if let Ok(skills) = refresh_all(cx).await {
        let embedded = skills.saturating_sub(waiting);
        tracing::info!(
            search.embedded = embedded,
            search.skills = skills,
            "embedded {embedded} of {skills} skills"
        );
    }
}
