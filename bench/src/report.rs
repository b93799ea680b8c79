//! What was measured, as a table and as a file.

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

/// One row. `ratio` is ours over theirs.
#[derive(Serialize, Default)]
struct Row {
    id: &'static str,
    ours: f64,
    theirs: Option<f64>,
    peer: String,
    ratio: Option<f64>,
    /// The ratio we hold, if there is one.
    at_most: Option<f64>,
    /// The same where more is better; where there is a difference, it is the difference that we hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<f64>,
    unit: &'static str,
    /// What stands behind the number, where it is more than a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<Value>,
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
        peer: impl Into<String>,
        unit: &'static str,
    ) {
        println!("{id}: {} / {} {unit} = {}", figure(ours), figure(theirs), figure(ours / theirs));
        let ratio = Some(ours / theirs);
        self.rows.push(Row {
            id,
            ours,
            theirs: Some(theirs),
            peer: peer.into(),
            ratio,
            unit,
            ..Row::default()
        });
    }

    /// A time, ours beside a peer's, and the ratio we hold.
    pub(crate) fn race(
        &mut self,
        id: &'static str,
        ours: f64,
        theirs: f64,
        at_most: f64,
        (peer, unit): (impl Into<String>, &'static str),
    ) {
        self.pair(id, ours, theirs, peer, unit);
        self.hold(|row| row.at_most = Some(at_most));
    }

    /// Ours beside a number we want to stay under.
    pub(crate) fn goal(&mut self, id: &'static str, ours: f64, goal: f64, unit: &'static str) {
        self.pair(id, ours, goal, "goal: at most", unit);
    }

    /// Ours beside a number we want to reach.
    pub(crate) fn goal_at_least(&mut self, id: &'static str, ours: f64, goal: f64, unit: &'static str) {
        self.pair(id, ours, goal, "goal: at least", unit);
        self.hold(|row| row.at_least = Some(1.0));
    }

    /// Ours beside a peer's where more is better, and the ratio we hold.
    pub(crate) fn contest(
        &mut self,
        id: &'static str,
        ours: f64,
        theirs: f64,
        at_least: f64,
        (peer, unit): (impl Into<String>, &'static str),
    ) {
        self.pair(id, ours, theirs, peer, unit);
        self.hold(|row| row.at_least = Some(at_least));
    }

    /// Ours beside a peer's where more is better, and by how much we hold to be better.
    pub(crate) fn lead(
        &mut self,
        id: &'static str,
        ours: f64,
        theirs: f64,
        at_least: f64,
        (peer, unit): (impl Into<String>, &'static str),
    ) {
        self.contest(id, ours, theirs, at_least, (peer, unit));
        self.hold(|row| row.difference = Some(ours - theirs));
    }

    /// What stands behind a number that was just reported.
    pub(crate) fn search(&mut self, table: Value) {
        self.hold(|row| row.search = Some(table));
    }

    fn hold(&mut self, set: impl FnOnce(&mut Row)) {
        if let Some(row) = self.rows.last_mut() {
            set(row);
        }
    }

    /// Ours alone.
    pub(crate) fn fact(&mut self, id: &'static str, ours: f64, unit: &'static str) {
        println!("{id}: {} {unit}", figure(ours));
        self.rows.push(Row { id, ours, unit, ..Row::default() });
    }

    /// What could not be measured, and why.
    pub(crate) fn missing(&mut self, id: &'static str, why: &'static str) {
        self.missing.push((id, why));
    }

    /// Prints the table and writes the file.
    pub(crate) fn finish(self) -> Result<()> {
        let shown = |value: Option<f64>| value.map_or("-".to_owned(), figure);
        println!(
            "\n{:<36}{:>12}{:>12}{:>10}{:>10}  {:<12} peer",
            "id", "ours", "theirs", "ratio", "held", "unit"
        );
        for row in &self.rows {
            let Row { id, ours, peer, unit, .. } = row;
            let [theirs, ratio] = [row.theirs, row.ratio].map(shown);
            println!(
                "{id:<36}{:>12}{theirs:>12}{ratio:>10}{:>10}  {unit:<12} {peer}",
                figure(*ours),
                row.held()
            );
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

impl Row {
    /// What we hold: the ratio at most, at least, or the difference at least.
    fn held(&self) -> String {
        match (self.at_most, self.at_least, self.difference) {
            (Some(at_most), ..) => format!("<={}", figure(at_most)),
            (_, Some(at_least), None) => format!(">={}", figure(at_least)),
            (_, Some(at_least), Some(_)) => format!(">=+{}", figure(at_least)),
            _ => "-".to_owned(),
        }
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
