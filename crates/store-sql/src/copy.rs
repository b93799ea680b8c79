//! Copies a whole database into an empty one, whatever the two are: backup, restore, and moving to PostgreSQL.

use ::store::StoreError;

use crate::{Connection, Driver, Kind, MIGRATIONS, TABLES, Value};

/// How many rows are read at a time; few of those that hold whole files.
fn batch(table: &str) -> u32 {
    if table == "blobs" { 8 } else { 500 }
}

/// What was copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// The tables with how many rows each.
    pub rows: Vec<(&'static str, u64)>,
}

/// Copies every row of one database, as it is at one moment, into another with the same schema and no rows.
pub async fn copy(from: &dyn Driver, to: &dyn Driver) -> Result<Copied, StoreError> {
    let mut source = from.snapshot().await?;
    let mut target = to.begin().await?;
    let mut rows = Vec::new();
    for &table in TABLES {
        if count(&mut target, table).await? > 0 {
            return Err(StoreError::Conflict("the target database is not empty".into()));
        }
        rows.push((table, copy_table(&mut source, &mut target, table).await?));
    }
    target.commit().await?;
    Ok(Copied { rows })
}

async fn count(connection: &mut Box<dyn Connection>, table: &'static str) -> Result<u64, StoreError> {
    let rows = connection.query(format!("SELECT COUNT(*) FROM {table}").into(), vec![]).await?;
    rows.into_iter().next().map_or(Ok(0), |mut row| row.count())
}

async fn copy_table(
    source: &mut Box<dyn Connection>,
    target: &mut Box<dyn Connection>,
    table: &'static str,
) -> Result<u64, StoreError> {
    let columns = columns(table);
    let names = columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let insert = format!("INSERT INTO {table} ({names}) VALUES ({})", places(columns.len()));
    let key = key(table);
    let key_places: Vec<_> =
        key.iter().filter_map(|part| columns.iter().position(|(name, _)| name == part)).collect();
    let order = key.join(", ");
    let limit = batch(table);
    let first = format!("SELECT {names} FROM {table} ORDER BY {order} LIMIT {limit}");
    let next = format!(
        "SELECT {names} FROM {table} WHERE ({order}) > ({}) ORDER BY {order} LIMIT {limit}",
        places(key.len())
    );
    let mut page = source.query(first.into(), vec![]).await?;
    let mut copied = 0;
    loop {
        let mut last = Vec::new();
        for row in page {
            let values = row.rest().into_iter().zip(&columns).map(|(value, (_, kind))| typed(value, *kind));
            let values = values.collect::<Result<Vec<_>, _>>()?;
            last = key_places.iter().filter_map(|&place| values.get(place).cloned()).collect();
            target.execute(insert.clone().into(), values).await?;
            copied += 1;
        }
        if last.is_empty() {
            return Ok(copied);
        }
        page = source.query(next.clone().into(), last).await?;
    }
}

fn places(count: usize) -> String {
    (1..=count).map(|n| format!("${n}")).collect::<Vec<_>>().join(", ")
}

/// The columns of a table with their types, read from the schema's own text: those it was made with, then those that
/// were added.
fn columns(table: &str) -> Vec<(&'static str, Kind)> {
    let made = body(table).filter(|line| {
        !line.starts_with("PRIMARY") && !line.starts_with("UNIQUE") && !line.starts_with("FOREIGN")
    });
    let alter = format!("ALTER TABLE {table} ADD COLUMN ");
    let added = lines().filter_map(|line| line.strip_prefix(alter.as_str()));
    made.chain(added)
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let name = words.next()?;
            let kind = match words.next()?.trim_end_matches([',', ';']) {
                "UUID" => Kind::Id,
                "TIMESTAMPTZ" => Kind::Time,
                "BOOLEAN" => Kind::Bool,
                "BIGINT" => Kind::Int,
                "DOUBLE" => Kind::Real,
                "BYTEA" => Kind::Bytes,
                _ => Kind::Text,
            };
            Some((name, kind))
        })
        .collect()
}

/// The columns of a table's primary key.
fn key(table: &str) -> Vec<&'static str> {
    let listed = body(table).find_map(|line| line.strip_prefix("PRIMARY KEY ("));
    let single =
        || body(table).find(|line| line.contains("PRIMARY KEY")).and_then(|line| line.split(' ').next());
    match listed {
        Some(listed) => listed.split(')').next().unwrap_or_default().split(", ").collect(),
        None => single().into_iter().collect(),
    }
}

fn lines() -> impl Iterator<Item = &'static str> {
    MIGRATIONS.iter().flat_map(|migration| migration.sql.lines())
}

fn body(table: &str) -> impl Iterator<Item = &'static str> {
    let start = format!("CREATE TABLE {table} (");
    lines().skip_while(move |line| *line != start).skip(1).take_while(|line| *line != ");").map(str::trim)
}

/// Gives a value from a database with few types the type of its column.
fn typed(value: Value, kind: Kind) -> Result<Value, StoreError> {
    let mut row = crate::Row::new(vec![value.clone()]);
    Ok(match (kind, value) {
        (kind, Value::Null(_)) => Value::Null(kind),
        (Kind::Id, Value::Bytes(_)) => Value::Id(row.uuid()?),
        (Kind::Time, Value::Int(_)) => Value::Time(row.time()?),
        (Kind::Bool, Value::Int(_)) => Value::Bool(row.bool()?),
        (_, value) => value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_of_the_schema_is_listed_with_its_key_and_columns() {
        let created: Vec<_> =
            lines().filter_map(|line| line.strip_prefix("CREATE TABLE ")?.strip_suffix(" (")).collect();
        let mut listed = TABLES.to_vec();
        listed.sort_unstable();
        let mut sorted = created.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, listed);
        assert_eq!(key("skill_tags"), ["workspace_id", "tag", "skill_id"]);
        assert_eq!(key("tokens"), ["digest"]);
        assert!(columns("skills").contains(&("deleted_at", Kind::Time)));
        assert_eq!(columns("skills").last(), Some(&("approved_revision", Kind::Int)));
        let head = [("workspace_id", Kind::Id), ("sequence", Kind::Int), ("hash", Kind::Bytes)];
        assert_eq!(columns("audit_heads"), [head.as_slice(), &[("transactions", Kind::Int)]].concat());
        // A change of the schema that is not understood here must not go unnoticed.
        let known = ["CREATE TABLE ", "CREATE INDEX ", "ALTER TABLE ", "UPDATE ", "    ", ");", "--"];
        assert!(lines().all(|line| line.is_empty() || known.iter().any(|start| line.starts_with(start))));
        assert!(lines().all(|line| !line.starts_with("ALTER ") || line.contains(" ADD COLUMN ")));
        assert!(columns("skill_statistics").contains(&("recent_success_rate", Kind::Real)));
        assert!(created.iter().all(|table| !key(table).is_empty() && columns(table).len() > 1));
    }
}
