//! Personal access tokens.

use model::{AgentId, Caller, Timestamp, Token, TokenId, TokenScope, TokenScopes, UserId};
use policy::access::{self, Act, Denial};
use serde_json::json;
use time::Duration;

use crate::identity::Secret;
use crate::{Code, Context, Error, audit, users};

/// A token to make.
#[derive(Debug, Clone)]
pub struct CreateToken {
    /// What it is called.
    pub name: String,
    /// Whose it is; the caller's own when nobody says.
    pub user: Option<UserId>,
    /// The agent its bearer acts through.
    pub agent: Option<AgentId>,
    /// What it may be used for.
    pub scopes: Vec<TokenScope>,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
}

/// Makes a token and shows its secret, once.
pub async fn create(cx: &Context, caller: &Caller, request: CreateToken) -> Result<(Token, Secret), Error> {
    let user = request.user.unwrap_or(caller.user);
    access::decide(caller, Act::CreateToken(user))?;
    let token = checked(cx, caller, user, &request)?;
    let mut tx = cx.begin(caller.workspace).await?;
    tx.membership(caller.workspace, user).await?.ok_or_else(|| Error::not_found("member", user))?;
    if user != caller.user {
        users::check_stand_in(&mut *tx, caller, user).await?;
    }
    if let Some(agent) = token.0.agent {
        tx.agent(caller.workspace, agent).await?.ok_or_else(|| Error::not_found("agent", agent))?;
    }
    tx.insert_token(&token.0).await?;
    let scopes: Vec<_> = token.0.scopes.iter().map(TokenScope::as_str).collect();
    let detail =
        [("name", json!(token.0.name)), ("user", json!(user.to_string())), ("scopes", json!(scopes))];
    audit::record(cx, &mut *tx, caller, "token.create", ("token", token.0.id.to_string()), &detail).await?;
    tx.commit().await?;
    Ok(token)
}

fn checked(
    cx: &Context,
    caller: &Caller,
    user: UserId,
    request: &CreateToken,
) -> Result<(Token, Secret), Error> {
    let name = request.name.trim();
    if name.is_empty() || name.chars().count() > 100 {
        return Err(Error::invalid(Code::InvalidRequest, "a token's name has 1 to 100 characters"));
    }
    if request.scopes.is_empty() {
        return Err(Error::invalid(Code::InvalidRequest, "a token needs at least one scope"));
    }
    if let Some(&more) = request.scopes.iter().find(|&&scope| !caller.token_scopes.has(scope)) {
        return Err(Denial::TokenScope(more).into());
    }
    if caller.agent.is_some() && request.agent != caller.agent {
        return Err(Error::invalid(Code::InvalidRequest, "an agent can only make tokens for itself"));
    }
    let now = cx.now();
    if request.expires_at.is_some_and(|end| end <= now || end > now + Duration::days(3_660)) {
        return Err(Error::invalid(Code::InvalidRequest, "a token must end in the future, within ten years"));
    }
    let secret = Secret::new(cx, "rpt_");
    let token = Token {
        id: TokenId::new(cx.id()),
        digest: secret.digest(),
        workspace: caller.workspace,
        user,
        agent: request.agent,
        name: name.to_owned(),
        scopes: request.scopes.iter().copied().collect::<TokenScopes>(),
        created_by: users::lender(caller, user),
        created_at: now,
        expires_at: request.expires_at,
        revoked_at: None,
    };
    Ok((token, secret))
}

/// Lists the caller's tokens, or (for an admin) those of another user or of everyone.
pub async fn list(cx: &Context, caller: &Caller, user: TokensOf) -> Result<Vec<Token>, Error> {
    let user = match user {
        TokensOf::Caller => Some(caller.user),
        TokensOf::User(user) => Some(user),
        TokensOf::Everyone => None,
    };
    match user {
        Some(user) => access::decide(caller, Act::ManageToken(user))?,
        None => access::decide(caller, Act::ManageMembers)?,
    }
    Ok(cx.read().await?.tokens(caller.workspace, user).await?)
}

/// Whose tokens to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokensOf {
    /// The caller's own.
    Caller,
    /// One user's.
    User(UserId),
    /// All of the workspace.
    Everyone,
}

/// Ends a token at once.
pub async fn revoke(cx: &Context, caller: &Caller, id: TokenId) -> Result<(), Error> {
    let mut tx = cx.begin(caller.workspace).await?;
    let token = tx.token(caller.workspace, id).await?.ok_or_else(|| Error::not_found("token", id))?;
    access::decide(caller, Act::ManageToken(token.user))?;
    if tx.revoke_token(caller.workspace, id, cx.now()).await? {
        let detail = [("user", json!(token.user.to_string()))];
        audit::record(cx, &mut *tx, caller, "token.revoke", ("token", id.to_string()), &detail).await?;
        tx.commit().await?;
    }
    Ok(())
}
