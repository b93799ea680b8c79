//! A database of an earlier version is brought up to date with what is in it.

use std::borrow::Cow;
use std::path::Path;

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, SqlSafeStr as _};
use store::Store as _;
use store::contract::upgrades::{
    IDS, POLICIES, REVISIONS, ROWS, check, check_days, check_let_in, check_policies,
};
use store_sql::MIGRATIONS;

use crate::open_at;

/// A file with the first so many migrations.
async fn of_version(file: &Path, version: usize) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
    let mut connection = options.connect().await.unwrap();
    let steps = MIGRATIONS[..version].iter().map(|step| {
        let description = Cow::Borrowed(step.description);
        Migration::new(step.version, description, MigrationType::Simple, step.sql.into_sql_str(), false)
    });
    Migrator::with_migrations(steps.collect()).run_direct(None, &mut connection, false).await.unwrap();
    connection
}

/// Puts rows in, with values of SQLite's.
async fn insert(mut connection: SqliteConnection, rows: &str) {
    let mut rows = rows
        .replace("$TEXT", "x'23204f6c64'")
        .replace("$DIGEST", &format!("x'{}'", "ab".repeat(32)))
        .replace("$TIME", "1700000000000000");
    for n in 1..=IDS {
        rows = rows.replace(&format!("$ID{n}"), &format!("x'{}'", format!("0{n}").repeat(16)));
    }
    sqlx::raw_sql(AssertSqlSafe(rows)).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn skills_from_before_changes_were_numbered_are_read_from_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("test.db");
    insert(of_version(&file, 2).await, ROWS).await;
    let store = open_at(&file).await;
    check(&*store).await;
    store.close().await;
}

#[tokio::test]
async fn an_active_policy_of_before_is_in_force() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("test.db");
    insert(of_version(&file, 3).await, &[ROWS, POLICIES].concat()).await;
    let store = open_at(&file).await;
    check_policies(&*store).await;
    store.close().await;
}

#[tokio::test]
async fn skills_from_before_days_were_counted_are_counted_from_then_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("test.db");
    insert(of_version(&file, 5).await, &[ROWS, POLICIES].concat()).await;
    let store = open_at(&file).await;
    check_days(&*store).await;
    store.close().await;
}

#[tokio::test]
async fn revisions_up_to_the_one_let_in_last_count_as_let_in() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("test.db");
    insert(of_version(&file, 5).await, &[ROWS, POLICIES, REVISIONS].concat()).await;
    let store = open_at(&file).await;
    check_let_in(&*store).await;
    store.close().await;
}
