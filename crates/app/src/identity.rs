//! From a credential to a caller.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::{
    AgentId, Caller, Credential, Digest, Handle, Reach, Roles, SignIn, SkillName, Timestamp, TokenScopes,
    User, WorkspaceId, WorkspaceName, slugify,
};
use store::Tx;

use crate::workspaces::DEFAULT_WORKSPACE;
use crate::{Code, Context, Error};

const UNKNOWN: Error = Error::Unauthenticated("the token is unknown, expired or revoked");

/// A secret that is shown once and never stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub(crate) fn new(cx: &Context, prefix: &str) -> Self {
        let mut bytes = [0; 32];
        cx.random.fill(&mut bytes);
        Self(format!("{prefix}{}", URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Wraps what a client sent.
    pub fn from_client(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The secret in the value of an `Authorization` header: `Bearer <token>`.
    pub fn from_bearer(header: &str) -> Option<Self> {
        let (scheme, token) = header.split_once(' ')?;
        let token = token.trim();
        (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then(|| Self::from_client(token))
    }

    /// The secret itself, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn digest(&self) -> Digest {
        Digest::of(self.0.as_bytes())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Callers that were looked up a moment ago. Only used where the store counts its commits, so that a revoked token
/// ends at once.
#[derive(Clone)]
pub(crate) struct CallerCache(moka::sync::Cache<Digest, Arc<CachedCaller>>);

struct CachedCaller {
    generation: u64,
    expires_at: Option<Timestamp>,
    caller: Caller,
}

impl Default for CallerCache {
    fn default() -> Self {
        Self(moka::sync::Cache::new(10_000))
    }
}

/// Who bears this personal access token.
pub async fn by_token(cx: &Context, secret: &Secret) -> Result<Caller, Error> {
    let digest = secret.digest();
    let generation = cx.store.generation();
    if let Some(known) = cx.callers.0.get(&digest)
        && Some(known.generation) == generation
        && known.expires_at.is_none_or(|end| cx.now() < end)
    {
        return Ok(known.caller.clone());
    }
    let mut tx = cx.read().await?;
    let token = tx.token_by_digest(&digest).await?.filter(|token| token.is_valid(cx.now())).ok_or(UNKNOWN)?;
    let user = tx.user(token.user).await?.filter(|user| !user.disabled).ok_or(UNKNOWN)?;
    let credential = token.created_by.map_or(Credential::Token, Credential::Lent);
    let mut caller = caller_of(&mut *tx, &user, token.workspace, (token.scopes, credential)).await?;
    caller.agent = token.agent;
    if let Some(generation) = generation {
        let cached = CachedCaller { generation, expires_at: token.expires_at, caller: caller.clone() };
        cx.callers.0.insert(digest, Arc::new(cached));
    }
    Ok(caller)
}

/// Until when what a token's bearer was just told may be told again, if nothing changes; `None` when that is unknown.
pub fn good_until(cx: &Context, secret: &Secret) -> Option<Until> {
    let known = cx.callers.0.get(&secret.digest())?;
    Some(known.expires_at.map_or(Until::Change, Until::Moment))
}

/// How long a credential counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Until something is written.
    Change,
    /// Also no longer than this moment.
    Moment(Timestamp),
}

impl Until {
    /// Whether it counts at this moment.
    pub fn holds(self, now: Timestamp) -> bool {
        match self {
            Self::Change => true,
            Self::Moment(end) => now < end,
        }
    }
}

/// Who is signed in with this cookie.
pub async fn by_cookie(cx: &Context, secret: &Secret) -> Result<(Caller, SignIn), Error> {
    const ENDED: Error = Error::Unauthenticated("you are not signed in");
    let mut tx = cx.read().await?;
    let sign_in = tx.sign_in_by_digest(&secret.digest()).await?.ok_or(ENDED)?;
    if sign_in.expires_at <= cx.now() {
        return Err(ENDED);
    }
    let user = tx.user(sign_in.user).await?.filter(|user| !user.disabled).ok_or(ENDED)?;
    let credential = sign_in.created_by.map_or(Credential::Person, Credential::Lent);
    let caller = caller_of(&mut *tx, &user, sign_in.workspace, (TokenScopes::ALL, credential)).await?;
    Ok((caller, sign_in))
}

/// The person at the machine: whoever holds the data folder may act as anyone in any workspace.
pub async fn by_handle(
    cx: &Context,
    handle: &Handle,
    workspace: &WorkspaceName,
    agent: Option<&SkillName>,
) -> Result<Caller, Error> {
    let mut tx = cx.read().await?;
    let user = tx.user_by_handle(handle).await?.ok_or_else(|| Error::not_found("user", handle))?;
    let workspace =
        tx.workspace_by_name(workspace).await?.ok_or_else(|| Error::not_found("workspace", workspace))?;
    let all = (TokenScopes::ALL, Credential::Person);
    let mut caller = caller_of(&mut *tx, &user, workspace.id, all).await?;
    caller.agent = match agent {
        Some(name) => Some(agent_named(&mut *tx, workspace.id, name).await?),
        None => None,
    };
    Ok(caller)
}

/// Where a request asks to be heard: in another workspace than the credential's own, or through an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// The workspace's name.
    pub workspace: Option<WorkspaceName>,
    /// The agent's name.
    pub agent: Option<SkillName>,
}

/// What a request shows to say who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// A personal access token.
    Token(Secret),
    /// The cookie of a signed-in browser.
    Cookie(Secret),
    /// It comes from this machine, in the name of this user.
    Machine(Handle),
}

/// Somebody at the door, who can be looked at again while they stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presence {
    /// What they show.
    pub proof: Proof,
    /// Where they ask to be heard.
    pub standing: Standing,
}

impl Presence {
    /// Who that is at this moment.
    pub async fn caller(&self, cx: &Context) -> Result<Caller, Error> {
        let caller = match &self.proof {
            Proof::Token(secret) => by_token(cx, secret).await?,
            Proof::Cookie(secret) => by_cookie(cx, secret).await?.0,
            Proof::Machine(handle) => {
                let default = SkillName::parse(DEFAULT_WORKSPACE)
                    .map_err(|error| Error::invalid(Code::InvalidRequest, error))?;
                let workspace = self.standing.workspace.as_ref().unwrap_or(&default);
                return by_handle(cx, handle, workspace, self.standing.agent.as_ref()).await;
            }
        };
        at(cx, caller, &self.standing).await
    }
}

/// The same caller where the request asks to be heard.
pub async fn at(cx: &Context, caller: Caller, standing: &Standing) -> Result<Caller, Error> {
    if *standing == Standing::default() {
        return Ok(caller);
    }
    let mut tx = cx.read().await?;
    let mut caller = match &standing.workspace {
        None => caller,
        Some(name) => {
            // Whether a workspace exists is not told to those outside it.
            let outside = || Error::not_found("workspace", name);
            let workspace = tx.workspace_by_name(name).await?.ok_or_else(outside)?;
            if workspace.id == caller.workspace {
                caller
            } else if caller.credential != Credential::Person {
                return Err(outside());
            } else {
                let user = tx.user(caller.user).await?.ok_or(UNKNOWN)?;
                let same = (caller.token_scopes, caller.credential);
                caller_of(&mut *tx, &user, workspace.id, same).await.map_err(|_| outside())?
            }
        }
    };
    if let Some(name) = &standing.agent {
        let agent = agent_named(&mut *tx, caller.workspace, name).await?;
        if caller.agent.is_some_and(|bound| bound != agent) {
            return Err(Error::not_found("agent", name));
        }
        caller.agent = Some(agent);
    }
    Ok(caller)
}

/// The workspace that a text means, by its id or its name. It says nothing about who may enter it; see [`at`].
pub async fn workspace_called(cx: &Context, text: &str) -> Result<Option<WorkspaceName>, Error> {
    let mut tx = cx.read().await?;
    if let Ok(id) = WorkspaceId::parse(text)
        && let Some(workspace) = tx.workspace(id).await?
    {
        return Ok(Some(workspace.name));
    }
    let Some(name) = slugify(text) else { return Ok(None) };
    Ok(tx.workspace_by_name(&name).await?.map(|workspace| workspace.name))
}

async fn agent_named(tx: &mut dyn Tx, workspace: WorkspaceId, name: &SkillName) -> Result<AgentId, Error> {
    let agent = tx.agent_by_name(workspace, name).await?.ok_or_else(|| Error::not_found("agent", name))?;
    Ok(agent.id)
}

/// A user in a workspace, with the roles they have there now.
async fn caller_of(
    tx: &mut dyn Tx,
    user: &User,
    workspace: WorkspaceId,
    (token_scopes, credential): (TokenScopes, Credential),
) -> Result<Caller, Error> {
    let roles = tx.membership(workspace, user.id).await?.map_or(Roles::NONE, |membership| membership.roles);
    let lent = matches!(credential, Credential::Lent(_));
    let reach = if user.operator && !lent { Reach::Operator } else { Reach::Member };
    if roles.is_empty() && reach == Reach::Member {
        return Err(Error::Forbidden(policy::access::Denial::NotMember));
    }
    Ok(Caller { workspace, user: user.id, agent: None, roles, reach, token_scopes, credential })
}
