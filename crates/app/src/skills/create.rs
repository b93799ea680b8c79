//! Puts one skill in, or many at once.

use model::{Caller, Digest, SkillId};
use policy::access::{self, Act};
use serde_json::json;
use store::{Claim, KeyClaim};

use super::prepare::prepare;
use super::publish::{CreateSkill, Published, publish};
use super::{Outcome, read};
use crate::{Code, Context, Error, audit};

/// A client's key for a request that it may send again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    /// The key.
    pub key: String,
    /// The digest of the request's body.
    pub fingerprint: Digest,
}

/// Puts a skill in. With an idempotency key, the same request sent again gives the skill the first one made.
pub async fn create(
    cx: &Context,
    caller: &Caller,
    request: CreateSkill,
    idempotency: Option<Idempotency>,
) -> Result<Published, Error> {
    if idempotency.as_ref().is_some_and(|with| with.key.is_empty() || with.key.len() > 255) {
        return Err(Error::invalid(Code::InvalidRequest, "an idempotency key has 1 to 255 characters"));
    }
    let prepared = prepare(cx, request.content.clone(), request.name.clone())?;
    let mut tx = cx.begin(caller.workspace).await?;
    let result = publish(cx, &mut *tx, caller, SkillId::new(cx.id()), &request, prepared).await;
    // Which skill a key stands for is known only now. A request that was sent before may well have failed here,
    // for its own first sending took the name; whatever became of it, its key is what counts.
    if let Some(Idempotency { key, fingerprint }) = idempotency {
        let subject = result.as_ref().map_or_else(|_| String::new(), |done| done.record.skill.id.to_string());
        let (workspace, user, at) = (caller.workspace, caller.user, cx.now());
        let claim = KeyClaim { workspace, user, key, fingerprint, subject, at };
        match tx.claim_key(&claim).await {
            Ok(Claim::Used { fingerprint: first, subject }) => {
                drop(tx);
                return replay(cx, caller, &claim, first, &subject).await;
            }
            Ok(Claim::New) => {}
            Err(error) => return Err(result.err().unwrap_or(error.into())),
        }
    }
    let published = result?;
    tx.commit().await?;
    Ok(published)
}

async fn replay(
    cx: &Context,
    caller: &Caller,
    claim: &KeyClaim,
    first: Digest,
    subject: &str,
) -> Result<Published, Error> {
    if first != claim.fingerprint {
        let message = format!("the idempotency key `{}` was used for another request", claim.key);
        return Err(Error::invalid(Code::IdempotencyKeyReused, message));
    }
    let id = SkillId::parse(subject).map_err(|error| Error::invalid(Code::InvalidRequest, error))?;
    let detail = read::read(cx, caller, id).await?;
    Ok(Published { replayed: true, ..Published::new(Outcome::Created, detail.record, detail.findings) })
}

/// One of many.
pub type BulkItem = Result<CreateSkill, Error>;

/// What happens to the others when one fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BulkMode {
    /// All go in, or none.
    Atomic,
    /// Those that can go in do, in one transaction; the rest are explained.
    Each,
}

/// What became of many.
#[derive(Debug)]
pub struct Bulk {
    /// One result an item, in order.
    pub results: Vec<Result<Published, Error>>,
    /// Whether anything was written.
    pub committed: bool,
}

/// How many items one call takes.
const MAX_ITEMS: usize = 1_000;

/// Puts many skills in, in one transaction.
pub async fn bulk(
    cx: &Context,
    caller: &Caller,
    mode: BulkMode,
    items: Vec<BulkItem>,
) -> Result<Bulk, Error> {
    access::decide(caller, Act::ListSkills)?;
    if items.is_empty() || items.len() > MAX_ITEMS {
        return Err(Error::invalid(
            Code::InvalidRequest,
            format!("a bulk request has 1 to {MAX_ITEMS} items"),
        ));
    }
    let prepared: Vec<_> = items
        .into_iter()
        .map(|item| {
            let item = item?;
            let prepared = prepare(cx, item.content.clone(), item.name.clone())?;
            Ok((item, prepared))
        })
        .collect();
    if mode == BulkMode::Atomic && prepared.iter().any(Result::is_err) {
        let results =
            prepared.into_iter().map(|item: Result<_, Error>| item.and_then(|_| Err(left_out()))).collect();
        return Ok(Bulk { results, committed: false });
    }
    let mut tx = cx.begin(caller.workspace).await?;
    let mut results = Vec::with_capacity(prepared.len());
    for item in prepared {
        let result = match item {
            Ok((request, prepared)) => {
                let id = SkillId::new(cx.id());
                Box::pin(publish(cx, &mut *tx, caller, id, &request, prepared)).await
            }
            Err(error) => Err(error),
        };
        match result {
            // The transaction may be over; what went in before it must not be half of a whole.
            Err(Error::Store(error)) => return Err(Error::Store(error)),
            result => results.push(result),
        }
    }
    let failed = results.iter().filter(|result| result.is_err()).count();
    if mode == BulkMode::Atomic && failed > 0 {
        let results = results.into_iter().map(|result| result.and_then(|_| Err(left_out()))).collect();
        return Ok(Bulk { results, committed: false });
    }
    let written =
        results.iter().flatten().filter(|one| matches!(one.outcome, Outcome::Created | Outcome::Revised));
    let written = written.count();
    if written > 0 {
        let detail =
            [("written", json!(written)), ("items", json!(results.len())), ("failed", json!(failed))];
        let subject = ("workspace", caller.workspace.to_string());
        audit::record(cx, &mut *tx, caller, "skill.bulk", subject, &detail).await?;
        tx.commit().await?;
    }
    Ok(Bulk { results, committed: written > 0 })
}

fn left_out() -> Error {
    Error::invalid(Code::InvalidRequest, "left out, because another item of this atomic request failed")
}
