//! Tells hosts that what they are offered changed: tools with the settings of the agent, the rest with the skills.

use app::events::{Rounds, is_over};
use app::{Context, Error};
use rmcp::RoleServer;
use rmcp::service::{Peer, SubscriptionContext};

use crate::Asking;
use crate::offer::Offer;

/// What a caller was last told of.
struct Told {
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
    async fn by(cx: &Context, asking: &Asking) -> Result<Self, Error> {
        let offer = Offer::to(cx, asking).await?;
        let now = app::skills::changes(cx, &asking.caller, None).await?.now;
        let tools = (now == asking.seen).then(|| offer.tools());
        Ok(Self { rounds: Rounds::default(), change: asking.seen, tools, skills: offer.shows_skills() })
    }

    async fn news(&mut self, cx: &Context, asking: &Asking) -> Result<News, Error> {
        if !self.rounds.due(cx) {
            return Ok(News::default());
        }
        let news = self.look(cx, asking).await;
        if news.is_err() {
            self.rounds.repeat();
        }
        news
    }

    /// What is new. Where something cannot be read, nothing counts as told.
    async fn look(&mut self, cx: &Context, asking: &Asking) -> Result<News, Error> {
        let changed = app::skills::changes(cx, &asking.caller, Some(self.change)).await?;
        if changed.now == self.change {
            return Ok(News::default());
        }
        let offer = Offer::to(cx, asking).await?;
        let tools = Some(offer.tools());
        let news = News {
            tools: tools != self.tools,
            skills: (changed.any && offer.shows_skills()) || offer.shows_skills() != self.skills,
        };
        self.change = changed.now;
        self.tools = tools;
        self.skills = offer.shows_skills();
        Ok(news)
    }
}

/// Tells a subscription of the newer protocol, until it ends.
pub(crate) async fn tell_subscription(cx: &Context, context: &SubscriptionContext, asking: &Asking) {
    let sink = context.sink();
    let accepted = context.accepted();
    let mut told = match Told::by(cx, asking).await {
        Ok(told) => told,
        Err(error) => return crate::failure::log(&error),
    };
    loop {
        match told.news(cx, asking).await {
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
pub(crate) async fn tell_session(cx: Context, peer: Peer<RoleServer>, asking: Asking) {
    let mut told = match Told::by(&cx, &asking).await {
        Ok(told) => told,
        Err(error) => return crate::failure::log(&error),
    };
    while !peer.is_transport_closed() {
        match told.news(&cx, &asking).await {
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
            Err(error) if is_over(&error) => return,
            Err(error) => crate::failure::log(&error),
        }
        Rounds::pause(&cx).await;
    }
}
