//! The schema as PostgreSQL has it obeys the rules that let it grow.

use store::Store as _;
use store_sql::{Driver as _, TABLES, TENANT_TABLES, Value};
use testkit::postgres::Database;

use crate::open_at;

/// The rows of a query whose columns are all text.
async fn texts(sql: &'static str) -> Vec<Vec<String>> {
    let database = Database::fresh();
    let store = open_at(&database.url(), 2).await;
    let rows = store.driver().read().await.unwrap().query(sql.into(), vec![]).await.unwrap();
    store.close().await;
    let text = |value| match value {
        Value::Text(text) => text,
        other => format!("{other:?}"),
    };
    rows.into_iter().map(|row| row.rest().into_iter().map(text).collect()).collect()
}

#[tokio::test]
async fn every_key_and_index_of_a_tenant_table_starts_with_the_workspace() {
    let leading = texts(
        "SELECT t.relname::text, i.relname::text, a.attname::text
         FROM pg_index x
         JOIN pg_class t ON t.oid = x.indrelid
         JOIN pg_class i ON i.oid = x.indexrelid
         LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = x.indkey[0]
         WHERE t.relnamespace = 'public'::regnamespace",
    )
    .await;
    for table in TENANT_TABLES {
        let indexes: Vec<_> = leading.iter().filter(|row| row[0] == *table).collect();
        assert!(!indexes.is_empty(), "{table} has no key");
        for index in indexes {
            assert_eq!(index[2], "workspace_id", "{table}: {}", index[1]);
        }
    }
}

#[tokio::test]
async fn every_tenant_table_has_a_primary_key() {
    let keyed = texts(
        "SELECT conrelid::regclass::text FROM pg_constraint
         WHERE contype = 'p' AND connamespace = 'public'::regnamespace",
    )
    .await;
    for table in TABLES {
        assert!(keyed.iter().any(|row| row[0] == *table), "{table} has no primary key");
    }
}

#[tokio::test]
async fn every_reference_between_tenant_tables_starts_with_the_workspace() {
    let references = texts(
        "SELECT c.conrelid::regclass::text, c.confrelid::regclass::text, a.attname::text, b.attname::text
         FROM pg_constraint c
         JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
         JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[1]
         WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace",
    )
    .await;
    assert!(references.len() > TENANT_TABLES.len());
    for row in references.iter().filter(|row| TENANT_TABLES.contains(&row[0].as_str())) {
        assert_eq!(row[2], "workspace_id", "{row:?}");
        let target = if TENANT_TABLES.contains(&row[1].as_str()) { "workspace_id" } else { "id" };
        assert_eq!(row[3], target, "{row:?}");
    }
}

#[tokio::test]
async fn tables_are_known_and_every_one_of_a_workspace_is_either_tenant_data_or_small() {
    // These are looked up by a secret or by a user before a workspace is known.
    const SMALL: &[&str] = &["memberships", "tokens", "sign_ins", "sign_in_links"];
    let tables = texts(
        "SELECT c.relname::text, (EXISTS (SELECT FROM pg_attribute a
                                          WHERE a.attrelid = c.oid AND a.attname = 'workspace_id'
                                                AND a.attnotnull))::text
         FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace",
    )
    .await;
    assert_eq!(tables.len(), TABLES.len() + 1);
    for row in &tables {
        let (table, has_workspace) = (row[0].as_str(), row[1] == "true");
        assert!(TABLES.contains(&table) || table == "_sqlx_migrations", "{table} is not in TABLES");
        assert_eq!(TENANT_TABLES.contains(&table) || SMALL.contains(&table), has_workspace, "{table}");
    }
}

#[tokio::test]
async fn there_are_no_sequences_triggers_functions_views_or_foreign_extensions() {
    let extras = texts(
        "SELECT 'relation', c.relname::text FROM pg_class c
         WHERE c.relkind IN ('S', 'v', 'm', 'f') AND c.relnamespace = 'public'::regnamespace
         UNION ALL
         SELECT 'trigger', tgname::text FROM pg_trigger WHERE NOT tgisinternal
         UNION ALL
         SELECT 'function', proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
         UNION ALL
         SELECT 'extension', extname::text FROM pg_extension WHERE extname NOT IN ('plpgsql', 'vector')",
    )
    .await;
    assert!(extras.is_empty(), "{extras:?}");
}
