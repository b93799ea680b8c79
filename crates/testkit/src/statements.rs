//! Watches every statement that a store sends: each must name the workspace whose data it touches, and each of its
//! places must have an argument (SQLite takes a missing one for NULL, without a word).

use async_trait::async_trait;
use store::StoreError;
use store_sql::{Connection, Driver, Row, Sql, TENANT_TABLES, Value};

/// A driver that panics at a statement which breaks the rules above.
pub struct Watched<D>(pub D);

struct WatchedConnection(Box<dyn Connection>);

#[async_trait]
impl<D: Driver> Driver for Watched<D> {
    async fn read(&self) -> Result<Box<dyn Connection>, StoreError> {
        Ok(Box::new(WatchedConnection(self.0.read().await?)))
    }

    async fn begin(&self) -> Result<Box<dyn Connection>, StoreError> {
        Ok(Box::new(WatchedConnection(self.0.begin().await?)))
    }

    async fn snapshot(&self) -> Result<Box<dyn Connection>, StoreError> {
        self.0.snapshot().await
    }

    fn generation(&self) -> Option<u64> {
        self.0.generation()
    }

    async fn close(&self) {
        self.0.close().await;
    }
}

#[async_trait]
impl Connection for WatchedConnection {
    async fn execute(&mut self, sql: Sql, arguments: Vec<Value>) -> Result<u64, StoreError> {
        check(&sql, &arguments);
        self.0.execute(sql, arguments).await
    }

    async fn query(&mut self, sql: Sql, arguments: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        check(&sql, &arguments);
        self.0.query(sql, arguments).await
    }

    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        self.0.commit().await
    }
}

fn check(sql: &str, arguments: &[Value]) {
    if let Err(complaint) = judge(sql, arguments.len()) {
        panic!("{complaint}: {sql}");
    }
}

/// What is wrong with a statement of so many arguments.
fn judge(sql: &str, arguments: usize) -> Result<(), String> {
    let places: Vec<usize> = sql
        .split('$')
        .skip(1)
        .filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok())
        .collect();
    if let Some(unused) = (1..=arguments).find(|place| !places.contains(place)) {
        return Err(format!("argument {unused} has no place"));
    }
    if let Some(missing) = places.iter().find(|&&place| place > arguments) {
        return Err(format!("place {missing} has no argument"));
    }
    let words: Vec<&str> = sql.split(|c: char| c.is_whitespace() || "(),".contains(c)).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    for window in words.windows(2) {
        let &[keyword, table] = window else { continue };
        if !["FROM", "JOIN", "INTO", "UPDATE"].contains(&keyword) || !TENANT_TABLES.contains(&table) {
            continue;
        }
        let alias = alias(sql, table);
        let column = alias.map_or("workspace_id".to_owned(), |alias| format!("{alias}.workspace_id"));
        if !words.contains(&column.as_str()) {
            return Err(format!("`{table}` is touched without its workspace_id"));
        }
        let compared =
            words.windows(3).any(|w| w[0].ends_with("workspace_id") && w[1] == "=" && w[2] == "$1");
        if keyword != "INTO" && !compared {
            return Err(format!("`{table}` is not narrowed to one workspace"));
        }
    }
    Ok(())
}

/// The short name a statement gives a table.
fn alias<'s>(sql: &'s str, table: &str) -> Option<&'s str> {
    let mut words = sql.split_whitespace().skip_while(|word| *word != table).skip(1);
    words.next().filter(|word| word.len() == 1 && word.chars().all(|c| c.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::judge;

    #[test]
    fn a_statement_names_the_workspace_of_every_tenant_table() {
        for sql in [
            "SELECT id FROM skills WHERE workspace_id = $1",
            "SELECT g.tag FROM skill_tags g JOIN skills s ON s.workspace_id = g.workspace_id WHERE s.workspace_id = $1",
            "INSERT INTO blobs (workspace_id, digest) VALUES ($1, $1)",
            "UPDATE audit_heads SET sequence = sequence WHERE workspace_id = $1",
            "SELECT id FROM users WHERE id = $1",
        ] {
            assert_eq!(judge(sql, 1), Ok(()), "{sql}");
        }
        for sql in [
            "SELECT id FROM skills WHERE id = $1",
            "SELECT workspace_id FROM skills WHERE id = $1",
            "SELECT g.tag FROM skill_tags g JOIN skills s ON s.id = g.skill_id WHERE g.workspace_id = $1",
            "DELETE FROM blobs WHERE digest = $1",
            "INSERT INTO blobs (digest) VALUES ($1)",
        ] {
            assert!(judge(sql, 1).is_err(), "{sql}");
        }
    }

    #[test]
    fn places_and_arguments_match() {
        assert!(judge("SELECT $1, $2", 1).is_err());
        assert!(judge("SELECT $1", 2).is_err());
        assert!(judge("SELECT $1, $2, $1", 2).is_ok());
    }
}
