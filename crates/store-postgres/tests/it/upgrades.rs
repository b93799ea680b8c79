//! A database of an earlier version is brought up to date with what is in it.

use std::borrow::Cow;

use model::{Skill, WorkspaceId};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqlSafeStr as _};
use store::{ChangeCursor, Store, Written};
use store_sql::{BYTEWISE, MIGRATIONS};
use testkit::postgres::Database;
use uuid::Uuid;

use crate::open_at;

/// A workspace with a skill, as a server of that version wrote them.
const ROWS: &str = "
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
    INSERT INTO blobs (workspace_id, digest, size, content) VALUES ($ID1, $DIGEST, 5, '# Old');
    INSERT INTO revision_files (workspace_id, skill_id, number, path, digest, size, executable)
    VALUES ($ID1, $ID2, 1, 'SKILL.md', $DIGEST, 5, FALSE);";

/// Brings an empty database to the first so many migrations.
async fn of_version(url: &str, version: usize) -> PgConnection {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let steps = MIGRATIONS[..version].iter().map(|step| {
        let sql = AssertSqlSafe(step.sql.replace(BYTEWISE, "COLLATE \"C\"")).into_sql_str();
        Migration::new(step.version, Cow::Borrowed(step.description), MigrationType::Simple, sql, false)
    });
    Migrator::with_migrations(steps.collect()).run_direct(None, &mut connection, false).await.unwrap();
    connection
}

/// What a server that goes by the change numbers finds in it.
async fn check(store: &dyn Store) {
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

#[tokio::test]
async fn skills_from_before_changes_were_numbered_are_read_from_the_start() {
    let database = Database::fresh();
    let mut connection = of_version(&database.url(), 2).await;
    let digest = format!("'\\x{}'", "ab".repeat(32));
    let mut rows = ROWS.replace("$DIGEST", &digest).replace("$TIME", "'2026-03-01 12:00:00Z'");
    for n in 1..=3 {
        rows = rows.replace(&format!("$ID{n}"), &format!("'{}'", format!("0{n}").repeat(16)));
    }
    sqlx::raw_sql(AssertSqlSafe(rows)).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    let store = open_at(&database.url(), 3).await;
    check(&*store).await;
    store.close().await;
}
