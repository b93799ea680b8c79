//! The schema as SQLite has it obeys the rules that let it grow.

use store_sql::{Driver as _, TABLES, TENANT_TABLES, Value};

use crate::open_at;

/// The rows of a query whose columns are all text.
async fn texts(sql: &'static str) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let store = open_at(&folder.path().join("test.db")).await;
    let rows = store.driver().read().await.unwrap().query(sql.into(), vec![]).await.unwrap();
    let text = |value| match value {
        Value::Text(text) => text,
        other => format!("{other:?}"),
    };
    rows.into_iter().map(|row| row.rest().into_iter().map(text).collect()).collect()
}

#[tokio::test]
async fn every_key_and_index_of_a_tenant_table_starts_with_the_workspace() {
    let leading = texts(
        "SELECT m.name, l.name, i.name FROM sqlite_master m
         JOIN pragma_index_list(m.name) l JOIN pragma_index_info(l.name) i
         WHERE m.type = 'table' AND i.seqno = 0",
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
async fn every_reference_between_tenant_tables_starts_with_the_workspace() {
    let references = texts(
        r#"SELECT m.name, f."table", f."from", f."to" FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f
           WHERE m.type = 'table' AND f.seq = 0"#,
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
async fn there_are_tables_and_indexes_and_nothing_else() {
    let things = texts("SELECT type, name FROM sqlite_master ORDER BY name").await;
    let other: Vec<_> = things.iter().filter(|row| row[0] != "table" && row[0] != "index").collect();
    assert!(other.is_empty(), "{other:?}");
    let mut known: Vec<_> = TABLES.to_vec();
    known.push("_sqlx_migrations");
    known.sort_unstable();
    let tables: Vec<_> = things.iter().filter(|row| row[0] == "table").map(|row| row[1].as_str()).collect();
    assert_eq!(tables, known);
}
