//! Who asks, and what they asked to be offered.

use app::identity::Presence;
use model::{Caller, Toolset};
use rmcp::ErrorData;
use rmcp::model::Extensions;
use rmcp::transport::streamable_http_server::SessionId;

/// Who asks. The HTTP layer puts it into each request after it has checked the credential; nothing else can.
#[derive(Debug, Clone)]
pub struct Asking {
    /// What they show, so that they can be looked at again.
    pub presence: Presence,
    /// The caller, as of when they asked.
    pub caller: Caller,
    /// The toolsets that the address names; else those of the agent, else the usual one.
    pub toolsets: Option<Vec<Toolset>>,
    /// The last change of the library before the request was looked at.
    pub seen: u64,
    /// The host's own name for the conversation.
    pub conversation: Option<String>,
    /// The session of the older protocol that the request is in.
    pub session: Option<SessionId>,
}

impl Asking {
    /// Who sent the request with these extensions.
    pub(crate) fn of(extensions: &Extensions) -> Result<&Self, ErrorData> {
        let parts = extensions.get::<axum::http::request::Parts>();
        parts
            .and_then(|parts| parts.extensions.get::<Self>())
            .ok_or_else(|| ErrorData::internal_error("the request came in without a caller", None))
    }
}
