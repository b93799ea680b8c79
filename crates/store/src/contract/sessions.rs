//! Sessions and their entries.

use std::sync::Arc;

use model::{
    EntryKind, Session, SessionEntry, SessionId, SessionOutcome, SessionSkill, Speaker, Todo, TodoStatus,
};
use serde_json::json;

use super::World;
use super::samples::{self, moment};
use crate::{OpenSession, SessionFilter, Store, StoreError, Written};

fn skill(name: &str) -> SessionSkill {
    SessionSkill {
        id: Some(samples::skill_id()),
        object_id: format!("/skills/{name}"),
        name: name.to_owned(),
    }
}

/// A session that says everything.
fn full(world: &World) -> Session {
    let todo = |id: &str, status| Todo { id: id.to_owned(), content: format!("Do \"{id}\" ü\n"), status };
    Session {
        agent: Some(samples::agent_id()),
        title: "Release, bitte".to_owned(),
        key: Some("conversation-1".to_owned()),
        source: Some("claude-code".to_owned()),
        outcome: Some(SessionOutcome::Succeeded),
        outcome_reason: Some("the \"tests\" pass".to_owned()),
        todos: TodoStatus::ALL.iter().map(|status| todo(status.as_str(), *status)).collect(),
        active_skills: vec![skill("second"), skill("first")],
        proposed_skills: vec![SessionSkill { id: None, ..skill("third") }],
        entry_count: 17,
        version: 9,
        updated_at: moment(20),
        completed_at: Some(moment(21)),
        ..samples::session(world.workspace, world.ada)
    }
}

fn message(number: u64, text: &str) -> SessionEntry {
    SessionEntry {
        number,
        kind: EntryKind::Message,
        speaker: Some(Speaker::User),
        tool: None,
        call: None,
        text: text.to_owned(),
        data: None,
        failed: false,
        at: moment(7),
    }
}

async fn keep(world: &World, sessions: &[&Session]) {
    let mut tx = world.begin().await;
    for session in sessions {
        tx.insert_session(session).await.unwrap();
    }
    tx.commit().await.unwrap();
}

async fn found(world: &World, filter: &SessionFilter) -> Vec<SessionId> {
    let sessions = world.read().await.sessions(world.workspace, filter, None, 100).await.unwrap();
    sessions.into_iter().map(|session| session.id).collect()
}

pub async fn a_session_comes_back_as_it_was_stored(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (plain, full) = (samples::session(world.workspace, world.bob), full(&world));
    keep(&world, &[&plain, &full]).await;
    let mut tx = world.read().await;
    for session in [plain, full] {
        assert_eq!(tx.session(world.workspace, session.id).await.unwrap(), Some(session));
    }
    let unknown = samples::session(world.workspace, world.ada).id;
    assert_eq!(tx.session(world.workspace, unknown).await.unwrap(), None);
}

pub async fn updating_a_session_replaces_what_changes(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (first, other) = (samples::session(world.workspace, world.ada), full(&world));
    keep(&world, &[&first, &other]).await;
    let changed = Session {
        workspace: first.workspace,
        id: first.id,
        user: first.user,
        agent: first.agent,
        key: first.key.clone(),
        source: first.source.clone(),
        created_at: first.created_at,
        version: 2,
        ..other.clone()
    };
    let mut tx = world.begin().await;
    for version in [0, 1, 3] {
        let stale = Session { version, title: "Never".to_owned(), ..changed.clone() };
        assert_eq!(tx.update_session(&stale).await.unwrap(), Written::Stale);
    }
    assert_eq!(tx.update_session(&changed).await.unwrap(), Written::Done);
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    assert_eq!(tx.session(world.workspace, first.id).await.unwrap(), Some(changed));
    assert_eq!(tx.session(world.workspace, other.id).await.unwrap(), Some(other));
}

pub async fn sessions_are_listed_newest_first_in_pages(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let at =
        |seconds| Session { created_at: moment(seconds), ..samples::session(world.workspace, world.ada) };
    // Two of one moment: the later id comes first.
    let (first, second, third, fourth) = (at(1), at(2), at(2), at(3));
    keep(&world, &[&third, &first, &fourth, &second]).await;
    let expected = [fourth.id, third.id, second.id, first.id];
    let all = SessionFilter::default();
    assert_eq!(found(&world, &all).await, expected);
    let mut tx = world.read().await;
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = tx.sessions(world.workspace, &all, after, 1).await.unwrap();
        let Some(session) = page.first() else { break };
        after = Some((session.created_at, session.id));
        seen.push(session.id);
    }
    assert_eq!(seen, expected);
}

pub async fn sessions_are_filtered_by_each_field(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let ended = Session { created_at: moment(2), ..full(&world) };
    let goes_on = Session { created_at: moment(5), ..samples::session(world.workspace, world.bob) };
    keep(&world, &[&ended, &goes_on]).await;
    let all = SessionFilter::default;
    let (one, two) = (vec![ended.id], vec![goes_on.id]);
    for (filter, expected) in [
        (all(), vec![goes_on.id, ended.id]),
        (SessionFilter { user: Some(world.ada), ..all() }, one.clone()),
        (SessionFilter { agent: ended.agent, ..all() }, one.clone()),
        (SessionFilter { key: ended.key.clone(), ..all() }, one.clone()),
        (SessionFilter { key: Some("Conversation-1".to_owned()), ..all() }, vec![]),
        (SessionFilter { source: ended.source.clone(), ..all() }, one.clone()),
        (SessionFilter { open: Some(false), ..all() }, one.clone()),
        (SessionFilter { open: Some(true), ..all() }, two.clone()),
        (SessionFilter { outcome: Some(SessionOutcome::Succeeded), ..all() }, one.clone()),
        (SessionFilter { outcome: Some(SessionOutcome::Failed), ..all() }, vec![]),
        (SessionFilter { since: Some(moment(5)), ..all() }, two),
        (SessionFilter { until: Some(moment(5)), ..all() }, one),
    ] {
        assert_eq!(found(&world, &filter).await, expected, "{filter:?}");
    }
}

pub async fn the_open_session_is_the_one_used_last(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let agent = samples::agent_id();
    let sample = |updated_at| Session { updated_at, ..samples::session(world.workspace, world.ada) };
    let earlier = sample(moment(11));
    let latest = Session { entry_count: 8, ..sample(moment(12)) };
    let ended = Session { outcome: Some(SessionOutcome::Failed), ..sample(moment(13)) };
    let keyed = Session { key: Some("k".to_owned()), ..sample(moment(14)) };
    let through = Session { agent: Some(agent), ..sample(moment(15)) };
    let both = Session { agent: Some(agent), key: Some("k".to_owned()), ..sample(moment(16)) };
    keep(&world, &[&earlier, &latest, &ended, &keyed, &through, &both]).await;
    let plain = OpenSession { user: world.ada, agent: None, key: None, used_since: None, most_entries: None };
    for (which, expected) in [
        (plain, Some(latest.id)),
        (OpenSession { used_since: Some(moment(12)), ..plain }, Some(latest.id)),
        (OpenSession { used_since: Some(moment(13)), ..plain }, None),
        (OpenSession { most_entries: Some(8), ..plain }, Some(latest.id)),
        (OpenSession { most_entries: Some(7), ..plain }, Some(earlier.id)),
        (OpenSession { key: Some("k"), ..plain }, Some(keyed.id)),
        (OpenSession { key: Some("K"), ..plain }, None),
        (OpenSession { agent: Some(agent), ..plain }, Some(through.id)),
        (OpenSession { agent: Some(agent), key: Some("k"), ..plain }, Some(both.id)),
        (OpenSession { agent: Some(samples::agent_id()), ..plain }, None),
        (OpenSession { user: world.bob, ..plain }, None),
    ] {
        let session = world.read().await.open_session(world.workspace, which).await.unwrap();
        assert_eq!(session.map(|session| session.id), expected, "{which:?}");
    }
}

pub async fn entries_come_back_in_their_order_in_pages(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let session = samples::session(world.workspace, world.ada);
    let other = samples::session(world.workspace, world.ada);
    keep(&world, &[&session, &other]).await;
    let call = SessionEntry {
        kind: EntryKind::ToolCall,
        speaker: None,
        tool: Some("execute".to_owned()),
        call: Some("c-1".to_owned()),
        data: Some(json!({"z": 1, "a": [null, 1.5, "ü\u{0}\n"], "m": {"y": true}})),
        ..message(2, "")
    };
    let result = SessionEntry { kind: EntryKind::ToolResult, failed: true, number: 3, ..call.clone() };
    let entries = [message(1, "Grüße \"an\"\nalle"), call, result];
    let mut tx = world.begin().await;
    tx.insert_session_entries(world.workspace, session.id, &entries).await.unwrap();
    tx.insert_session_entries(world.workspace, other.id, &[message(1, "else")]).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    assert_eq!(tx.session_entries(world.workspace, session.id, 0, 10).await.unwrap(), entries);
    assert_eq!(tx.session_entries(world.workspace, session.id, 1, 1).await.unwrap(), entries[1..2]);
    assert_eq!(tx.session_entries(world.workspace, session.id, 3, 10).await.unwrap(), []);
}

pub async fn a_place_in_a_session_is_taken_once(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let session = samples::session(world.workspace, world.ada);
    keep(&world, &[&session]).await;
    let twice = [message(1, "one"), message(1, "two")];
    let refused = world.begin().await.insert_session_entries(world.workspace, session.id, &twice).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
    let unknown = samples::session(world.workspace, world.ada).id;
    let refused = world.begin().await.insert_session_entries(world.workspace, unknown, &twice[..1]).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
}

pub async fn a_removed_session_takes_its_entries_along(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let session = samples::session(world.workspace, world.ada);
    keep(&world, &[&session]).await;
    let mut tx = world.begin().await;
    tx.insert_session_entries(world.workspace, session.id, &[message(1, "one")]).await.unwrap();
    assert!(tx.delete_session(world.workspace, session.id).await.unwrap());
    assert!(!tx.delete_session(world.workspace, session.id).await.unwrap());
    assert_eq!(tx.session_entries(world.workspace, session.id, 0, 10).await.unwrap(), []);
    tx.commit().await.unwrap();
    assert_eq!(found(&world, &SessionFilter::default()).await, []);
}

pub async fn the_sessions_used_since_a_moment_come_latest_first(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let sample = |user, updated_at, version| Session {
        updated_at,
        version,
        created_at: moment(1),
        ..samples::session(world.workspace, user)
    };
    let (old, exact) = (sample(world.ada, moment(9), 1), sample(world.ada, moment(10), 4));
    let (late, other) = (sample(world.ada, moment(12), 2), sample(world.bob, moment(11), 3));
    keep(&world, &[&late, &old, &exact, &other]).await;
    let mut tx = world.read().await;
    for (user, limit, expected) in [
        (None, 10, vec![(late.id, 2), (other.id, 3), (exact.id, 4)]),
        (None, 2, vec![(late.id, 2), (other.id, 3)]),
        (Some(world.ada), 10, vec![(late.id, 2), (exact.id, 4)]),
    ] {
        let used = tx.sessions_used_since(world.workspace, user, moment(10), limit).await.unwrap();
        assert_eq!(used, expected);
    }
}

pub async fn pruning_forgets_sessions_by_their_last_use(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let sample = |updated_at| Session {
        created_at: moment(1),
        updated_at,
        ..samples::session(world.workspace, world.ada)
    };
    let (old, exact, young) = (sample(moment(9)), sample(moment(10)), sample(moment(11)));
    keep(&world, &[&old, &exact, &young]).await;
    let mut tx = world.begin().await;
    tx.insert_session_entries(world.workspace, old.id, &[message(1, "one")]).await.unwrap();
    assert_eq!(tx.prune_sessions(world.workspace, moment(10)).await.unwrap(), 1);
    assert_eq!(tx.prune_sessions(world.workspace, moment(10)).await.unwrap(), 0);
    assert_eq!(tx.session_entries(world.workspace, old.id, 0, 10).await.unwrap(), []);
    tx.commit().await.unwrap();
    assert_eq!(found(&world, &SessionFilter::default()).await, [young.id, exact.id]);
}

pub async fn a_session_is_of_no_other_workspace(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let session = samples::session(world.workspace, world.ada);
    keep(&world, &[&session]).await;
    let mut tx = world.begin().await;
    tx.insert_session_entries(world.workspace, session.id, &[message(1, "one")]).await.unwrap();
    tx.commit().await.unwrap();
    let other = world.add_workspace("other").await;
    let mut tx = world.store.begin(other).await.unwrap();
    assert_eq!(tx.session(other, session.id).await.unwrap(), None);
    assert_eq!(tx.sessions(other, &SessionFilter::default(), None, 10).await.unwrap(), []);
    let which = OpenSession { user: world.ada, agent: None, key: None, used_since: None, most_entries: None };
    assert_eq!(tx.open_session(other, which).await.unwrap(), None);
    assert_eq!(tx.sessions_used_since(other, None, moment(0), 10).await.unwrap(), []);
    assert_eq!(tx.session_entries(other, session.id, 0, 10).await.unwrap(), []);
    assert!(!tx.delete_session(other, session.id).await.unwrap());
    assert_eq!(tx.prune_sessions(other, moment(1_000_000)).await.unwrap(), 0);
    let foreign = Session { workspace: other, version: 2, ..session.clone() };
    assert_eq!(tx.update_session(&foreign).await.unwrap(), Written::Stale);
    tx.commit().await.unwrap();
    assert_eq!(world.read().await.session(world.workspace, session.id).await.unwrap(), Some(session));
}
