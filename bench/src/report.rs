//! What was measured, as a table and as a file.

use anyhow::Result;
use serde::Serialize;

/// One row. `ratio` is ours over theirs.
#[derive(Serialize)]
struct Row {
    id: &'static str,
    ours: f64,
    theirs: Option<f64>,
    peer: &'static str,
    ratio: Option<f64>,
    unit: &'static str,
}

/// The rows so far.
#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
    missing: Vec<(&'static str, &'static str)>,
}

impl Report {
    /// Ours beside a peer's.
    pub(crate) fn pair(
        &mut self,
        id: &'static str,
        ours: f64,
        theirs: f64,
        peer: &'static str,
        unit: &'static str,
    ) {
        println!("{id}: {ours:.0} / {theirs:.0} {unit} = {:.2}", ours / theirs);
        self.rows.push(Row { id, ours, theirs: Some(theirs), peer, ratio: Some(ours / theirs), unit });
    }

    /// Ours beside a number we want to stay under.
    pub(crate) fn goal(&mut self, id: &'static str, ours: f64, goal: f64, unit: &'static str) {
        self.pair(id, ours, goal, "goal: at most", unit);
    }

    /// Ours alone.
    pub(crate) fn fact(&mut self, id: &'static str, ours: f64, unit: &'static str) {
        println!("{id}: {ours:.0} {unit}");
        self.rows.push(Row { id, ours, theirs: None, peer: "", ratio: None, unit });
    }

    /// What could not be measured, and why.
    pub(crate) fn missing(&mut self, id: &'static str, why: &'static str) {
        self.missing.push((id, why));
    }

    /// Prints the table and writes the file.
    pub(crate) fn finish(self) -> Result<()> {
        println!("\n{:<30}{:>14}{:>14}{:>9}  {:<12} peer", "id", "ours", "theirs", "ratio", "unit");
        for row in &self.rows {
            let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
            let ratio = row.ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
            let (ours, theirs) = (number(Some(row.ours)), number(row.theirs));
            println!("{:<30}{ours:>14}{theirs:>14}{ratio:>9}  {:<12} {}", row.id, row.unit, row.peer);
        }
        for (id, why) in &self.missing {
            println!("{id}: not measured: {why}");
        }
        std::fs::create_dir_all("target/bench")?;
        std::fs::write("target/bench/results.json", serde_json::to_string_pretty(&self.rows)?)?;
        println!("saved to target/bench/results.json");
        Ok(())
    }
}
