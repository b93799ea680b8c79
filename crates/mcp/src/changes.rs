//! Tells hosts that what they are offered changed: tools with the settings of the agent, the rest with the skills. Who
//! listens is looked at again as in `app::events`, and told no more once their token does not count.

use app::events::{CHECK, Rounds, is_over};
use app::{Context, Error};
use rmcp::RoleServer;
use rmcp::service::{Peer, SubscriptionContext};
use tokio::time::Instant;

use crate::Asking;
use crate::offer::Offer;
use crate::sessions::Sessions;

/// Somebody who listens, and what they were last told of.
struct Told {
    asking: Asking,
    /// When they were last looked at.
    checked: Instant,
    rounds: Rounds,
    change: u64,
    /// Its tools; unknown where something changed before they were looked at.
    tools: Option<Vec<rmcp::model::Tool>>,
    skills: bool,
}

/// What is news to a caller.
#[derive(Default)]
struct News {
    tools: bool,
    skills: bool,
}

impl Told {
    /// Before the request was looked at, so that nothing which happened since is missed.
    async fn by(cx: &Context, asking: Asking) -> Result<Self, Error> {
        let offer = Offer::to(cx, &asking).await?;
        let now = app::skills::changes(cx, &asking.caller, None).await?.now;
        Ok(Self {
            checked: Instant::now(),
            rounds: Rounds::default(),
            change: asking.seen,
            tools: (now == asking.seen).then(|| offer.tools()),
            skills: offer.shows_skills(),
            asking,
        })
    }

    async fn news(&mut self, cx: &Context) -> Result<News, Error> {
        let check = self.checked.elapsed() >= CHECK;
        if !self.rounds.due(cx) && !check {
            return Ok(News::default());
        }
        let news = self.look(cx, check).await;
        if news.is_err() {
            self.rounds.repeat();
        }
        news
    }

    /// What is new. Where something cannot be read, nothing counts as told.
    async fn look(&mut self, cx: &Context, check: bool) -> Result<News, Error> {
        let now = app::skills::changes(cx, &self.asking.caller, None).await?.now;
        if now == self.change && !check {
            return Ok(News::default());
        }
        let caller = self.asking.presence.caller(cx).await?;
        let asking = Asking { caller, ..self.asking.clone() };
        let changed = app::skills::changes(cx, &asking.caller, Some(self.change)).await?;
        let offer = Offer::to(cx, &asking).await?;
        let tools = Some(offer.tools());
        let other_skills = changed.any || asking.caller.ladder() != self.asking.caller.ladder();
        let news = News {
            tools: tools != self.tools,
            skills: (other_skills && offer.shows_skills()) || offer.shows_skills() != self.skills,
        };
        self.checked = Instant::now();
        self.change = changed.now;
        self.tools = tools;
        self.skills = offer.shows_skills();
        self.asking = asking;
        Ok(news)
    }
}

/// Tells a subscription of the newer protocol, until it ends.
pub(crate) async fn tell_subscription(cx: &Context, context: &SubscriptionContext, asking: Asking) {
    let sink = context.sink();
    let accepted = context.accepted();
    let mut told = match Told::by(cx, asking).await {
        Ok(told) => told,
        Err(error) => return crate::failure::log(&error),
    };
    loop {
        match told.news(cx).await {
            Ok(news) => {
                let mut open = true;
                if news.tools && accepted.tools_list_changed == Some(true) {
                    open &= sink.notify_tool_list_changed().await.is_ok();
                }
                if news.skills && accepted.resources_list_changed == Some(true) {
                    open &= sink.notify_resource_list_changed().await.is_ok();
                }
                if news.skills && accepted.prompts_list_changed == Some(true) {
                    open &= sink.notify_prompt_list_changed().await.is_ok();
                }
                if !open {
                    return;
                }
            }
            Err(error) if is_over(&error) => return,
            // The next round asks again.
            Err(error) => crate::failure::log(&error),
        }
        tokio::select! {
            () = context.cancelled() => return,
            () = Rounds::pause(cx) => {}
        }
    }
}

/// Tells a session of the older protocol, until it ends.
pub(crate) async fn tell_session(cx: Context, sessions: Sessions, peer: Peer<RoleServer>, asking: Asking) {
    let session = asking.session.clone();
    let mut told = match Told::by(&cx, asking).await {
        Ok(told) => told,
        Err(error) => return crate::failure::log(&error),
    };
    while !peer.is_transport_closed() {
        match told.news(&cx).await {
            Ok(news) => {
                let mut open = true;
                if news.tools {
                    open &= peer.notify_tool_list_changed().await.is_ok();
                }
                if news.skills {
                    open &= peer.notify_resource_list_changed().await.is_ok();
                    open &= peer.notify_prompt_list_changed().await.is_ok();
                }
                if !open {
                    return;
                }
            }
            Err(error) if is_over(&error) => {
                if let Some(session) = session {
                    sessions.end(&session).await;
                }
                return;
            }
            Err(error) => crate::failure::log(&error),
        }
        Rounds::pause(&cx).await;
    }
}
