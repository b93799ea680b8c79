//! What databases of earlier versions must come out as.

use model::{RevisionNumber, Skill, SkillId, SkillUse, UserId, WorkspaceId};
use uuid::Uuid;

use crate::{ChangeCursor, Store, UseQuery, Visibility, Which, Written};

/// A workspace with a skill, as a server wrote them before changes were numbered.
pub const ROWS: &str = "
    INSERT INTO workspaces (id, name, title, hide_existence, undelete_window_hours, draft_expiry_days, created_at)
    VALUES ($ID1, 'acme', 'Acme', FALSE, 1, 1, $TIME);
    INSERT INTO audit_heads (workspace_id, sequence, hash) VALUES ($ID1, 0, $DIGEST);
    INSERT INTO skills (workspace_id, id, name, scope, scope_key, origin, status, enabled, revision, digest, version,
        title, description, tags, example_prompts, suggested_tools, has_instructions, has_procedure, has_policy,
        created_by, created_at, updated_at, updated_by, search_text)
    VALUES ($ID1, $ID2, 'old', 'workspace', 'workspace', 'user', 'active', TRUE, 1, $DIGEST, 1, 'Old', 'An old one',
        '[]', '[]', '[]', TRUE, FALSE, FALSE, $ID3, $TIME, $TIME, $ID3, 'old');
    INSERT INTO revisions (workspace_id, skill_id, number, digest, author_id, message, created_at, file_count, size)
    VALUES ($ID1, $ID2, 1, $DIGEST, $ID3, '', $TIME, 1, 5);
    INSERT INTO blobs (workspace_id, digest, size, content) VALUES ($ID1, $DIGEST, 5, $TEXT);
    INSERT INTO revision_files (workspace_id, skill_id, number, path, digest, size, executable)
    VALUES ($ID1, $ID2, 1, 'SKILL.md', $DIGEST, 5, FALSE);";

/// Policies in that workspace, as a server wrote them before any was in force: active, waiting, archived, off.
pub const POLICIES: &str = "
    INSERT INTO skills (workspace_id, id, name, scope, scope_key, origin, status, enabled, revision, digest, version,
        title, description, tags, example_prompts, suggested_tools, has_instructions, has_procedure, has_policy,
        created_by, created_at, updated_at, updated_by, search_text)
    VALUES
        ($ID1, $ID4, 'active', 'workspace', 'workspace', 'user', 'active', TRUE, 3, $DIGEST, 1, '', '',
            '[]', '[]', '[]', TRUE, FALSE, TRUE, $ID3, $TIME, $TIME, $ID3, ''),
        ($ID1, $ID5, 'waiting', 'workspace', 'workspace', 'user', 'pending_approval', TRUE, 1, $DIGEST, 1, '', '',
            '[]', '[]', '[]', TRUE, FALSE, TRUE, $ID3, $TIME, $TIME, $ID3, ''),
        ($ID1, $ID6, 'archived', 'workspace', 'workspace', 'user', 'archived', TRUE, 1, $DIGEST, 1, '', '',
            '[]', '[]', '[]', TRUE, FALSE, TRUE, $ID3, $TIME, $TIME, $ID3, ''),
        ($ID1, $ID7, 'off', 'workspace', 'workspace', 'user', 'active', FALSE, 2, $DIGEST, 1, '', '',
            '[]', '[]', '[]', TRUE, FALSE, TRUE, $ID3, $TIME, $TIME, $ID3, '');";

/// Revisions of a skill with a policy, its third one active, and a fourth that waits.
pub const REVISIONS: &str = "
    INSERT INTO revisions (workspace_id, skill_id, number, digest, author_id, message, created_at, file_count, size)
    VALUES
        ($ID1, $ID4, 1, $DIGEST, $ID3, '', $TIME, 0, 0), ($ID1, $ID4, 2, $DIGEST, $ID3, '', $TIME, 0, 0),
        ($ID1, $ID4, 3, $DIGEST, $ID3, '', $TIME, 0, 0), ($ID1, $ID4, 4, $DIGEST, $ID3, '', $TIME, 0, 0),
        ($ID1, $ID5, 1, $DIGEST, $ID3, '', $TIME, 0, 0);";

/// How many ids the rows name.
pub const IDS: usize = 7;

/// What a server that puts policies into force finds in it: what a switch turns off comes back when it is turned on.
pub async fn check_policies(store: &dyn Store) {
    let workspace = WorkspaceId::new(Uuid::from_bytes([1; 16]));
    let mut tx = store.read().await.unwrap();
    let changes = tx.policy_changes(workspace, Which::Enforced, ChangeCursor::default(), 10).await.unwrap();
    let found: Vec<_> = changes
        .iter()
        .map(|change| (change.skill.name.as_str(), change.skill.enforced, change.skill.enabled))
        .collect();
    assert_eq!(found, [("active", RevisionNumber::new(3), true), ("off", RevisionNumber::new(2), false)]);
}

/// What a server that counts uses by day, and knows what was let in last, finds in it.
pub async fn check_days(store: &dyn Store) {
    let id = |n| Uuid::from_bytes([n; 16]);
    let (workspace, skill) = (WorkspaceId::new(id(1)), SkillId::new(id(2)));
    let mut tx = store.begin(workspace).await.unwrap();
    let mut approved = Vec::new();
    for n in [2, 4, 5, 6, 7] {
        let record = tx.skill(workspace, SkillId::new(id(n))).await.unwrap().unwrap();
        approved.push(record.skill.approved.map(RevisionNumber::get));
    }
    assert_eq!(approved, [Some(1), Some(3), None, None, Some(2)]);
    let at = super::samples::moment(0);
    let day = at.date();
    let one = SkillUse { skill, user: UserId::new(id(3)), agent: None, at, success: true, run: None };
    tx.count_use(workspace, &one).await.unwrap();
    tx.commit().await.unwrap();
    let query =
        UseQuery { workspace, visibility: Visibility::All, since: day, until: day, user: None, agent: None };
    let days = store.read().await.unwrap().uses_by_day(&query).await.unwrap();
    assert_eq!(days.iter().map(|(day, uses)| (*day, uses.count)).collect::<Vec<_>>(), [(day, 1)]);
}

/// What a server that runs only what was let in finds in it: what was there up to the last approval counts.
pub async fn check_let_in(store: &dyn Store) {
    let id = |n| Uuid::from_bytes([n; 16]);
    let workspace = WorkspaceId::new(id(1));
    let mut tx = store.read().await.unwrap();
    let mut let_in = Vec::new();
    for (skill, number) in [(2, 1), (4, 1), (4, 2), (4, 3), (4, 4), (5, 1)] {
        let number = RevisionNumber::new(number).unwrap();
        let revision = tx.revision(workspace, SkillId::new(id(skill)), number).await.unwrap().unwrap();
        assert!(revision.approved_at.is_none_or(|at| at == revision.created_at));
        let_in.push(revision.approved_at.is_some());
    }
    assert_eq!(let_in, [true, true, true, true, false, false]);
}

/// What a server that goes by the change numbers finds in it.
pub async fn check(store: &dyn Store) {
    let workspace = WorkspaceId::new(Uuid::from_bytes([1; 16]));
    let mut tx = store.begin(workspace).await.unwrap();
    let changed = tx.changed_skills(workspace, ChangeCursor::default(), 10).await.unwrap();
    let [old] = changed.as_slice() else { panic!("{changed:?}") };
    assert_eq!((old.change, old.skill.name.as_str()), (1, "old"));
    assert_eq!(old.text, b"# Old");
    let next = Skill { version: 2, ..old.skill.clone() };
    assert_eq!(tx.update_skill(&next).await.unwrap(), Written::Done);
    tx.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.last_change(workspace).await.unwrap(), Some(2));
    let after = ChangeCursor { change: 1, skill: None };
    let changed = tx.changed_skills(workspace, after, 10).await.unwrap();
    let [new] = changed.as_slice() else { panic!("{changed:?}") };
    assert_eq!((new.change, new.skill.version), (2, 2));
    assert_eq!(tx.purged_since(workspace, 0).await.unwrap(), []);
}
