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
    /// The ratio we hold, if there is one.
    at_most: Option<f64>,
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
        println!("{id}: {} / {} {unit} = {}", figure(ours), figure(theirs), figure(ours / theirs));
        let ratio = Some(ours / theirs);
        self.rows.push(Row { id, ours, theirs: Some(theirs), peer, ratio, at_most: None, unit });
    }

    /// Milliseconds, ours beside a peer's, and the ratio we hold.
    pub(crate) fn race(
        &mut self,
        id: &'static str,
        ours: f64,
        theirs: f64,
        at_most: f64,
        peer: &'static str,
    ) {
        self.pair(id, ours, theirs, peer, "ms");
        if let Some(row) = self.rows.last_mut() {
            row.at_most = Some(at_most);
        }
    }

    /// Ours beside a number we want to stay under.
    pub(crate) fn goal(&mut self, id: &'static str, ours: f64, goal: f64, unit: &'static str) {
        self.pair(id, ours, goal, "goal: at most", unit);
    }

    /// Ours alone.
    pub(crate) fn fact(&mut self, id: &'static str, ours: f64, unit: &'static str) {
        println!("{id}: {} {unit}", figure(ours));
        self.rows.push(Row { id, ours, theirs: None, peer: "", ratio: None, at_most: None, unit });
    }

    /// What could not be measured, and why.
    pub(crate) fn missing(&mut self, id: &'static str, why: &'static str) {
        self.missing.push((id, why));
    }

    /// Prints the table and writes the file.
    pub(crate) fn finish(self) -> Result<()> {
        let shown = |value: Option<f64>| value.map_or("-".to_owned(), figure);
        println!(
            "\n{:<32}{:>12}{:>12}{:>10}{:>10}  {:<12} peer",
            "id", "ours", "theirs", "ratio", "at most", "unit"
        );
        for Row { id, ours, theirs, peer, ratio, at_most, unit } in &self.rows {
            let [theirs, ratio, at_most] = [theirs, ratio, at_most].map(|value| shown(*value));
            println!("{id:<32}{:>12}{theirs:>12}{ratio:>10}{at_most:>10}  {unit:<12} {peer}", figure(*ours));
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

/// A number with as many digits as say something.
fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}
