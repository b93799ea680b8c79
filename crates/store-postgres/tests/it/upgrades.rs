//! A database of an earlier version is brought up to date with what is in it.

use std::borrow::Cow;

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqlSafeStr as _};
use store::Store as _;
use store::contract::upgrades::{
    IDS, POLICIES, REVISIONS, ROWS, check, check_days, check_let_in, check_policies,
};
use store_sql::{BYTEWISE, MIGRATIONS};
use testkit::postgres::Database;

use crate::open_at;

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

/// Puts rows in, with values of PostgreSQL's.
async fn insert(mut connection: PgConnection, rows: &str) {
    let digest = format!("'\\x{}'", "ab".repeat(32));
    let mut rows = rows
        .replace("$TEXT", "'# Old'")
        .replace("$DIGEST", &digest)
        .replace("$TIME", "'2026-03-01 12:00:00Z'");
    for n in 1..=IDS {
        rows = rows.replace(&format!("$ID{n}"), &format!("'{}'", format!("0{n}").repeat(16)));
    }
    sqlx::raw_sql(AssertSqlSafe(rows)).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn skills_from_before_changes_were_numbered_are_read_from_the_start() {
    let database = Database::fresh();
    insert(of_version(&database.url(), 2).await, ROWS).await;
    let store = open_at(&database.url(), 3).await;
    check(&*store).await;
    store.close().await;
}

#[tokio::test]
async fn an_active_policy_of_before_is_in_force() {
    let database = Database::fresh();
    insert(of_version(&database.url(), 3).await, &[ROWS, POLICIES].concat()).await;
    let store = open_at(&database.url(), 3).await;
    check_policies(&*store).await;
    store.close().await;
}

#[tokio::test]
async fn skills_from_before_days_were_counted_are_counted_from_then_on() {
    let database = Database::fresh();
    insert(of_version(&database.url(), 5).await, &[ROWS, POLICIES].concat()).await;
    let store = open_at(&database.url(), 3).await;
    check_days(&*store).await;
    store.close().await;
}

#[tokio::test]
async fn revisions_up_to_the_one_let_in_last_count_as_let_in() {
    let database = Database::fresh();
    insert(of_version(&database.url(), 5).await, &[ROWS, POLICIES, REVISIONS].concat()).await;
    let store = open_at(&database.url(), 3).await;
    check_let_in(&*store).await;
    store.close().await;
}
