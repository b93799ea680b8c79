//! Candidates that are timed in turns, and how their times spread.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, Result};

/// How long is waited between two calls, so that what the one left behind is not paid by the other.
const PAUSE: Duration = Duration::from_millis(3);

/// Something to time.
pub(crate) struct Candidate<'a> {
    /// What it is called in the table.
    pub name: &'static str,
    /// How often it is called in each round.
    pub calls: usize,
    /// How long is waited after each call.
    pub pause: Duration,
    /// Does it once and says how long it took.
    pub call: Box<dyn FnMut() -> Result<Duration> + 'a>,
}

impl<'a> Candidate<'a> {
    pub(crate) fn new(name: &'static str, calls: usize, call: impl FnMut() -> Result<Duration> + 'a) -> Self {
        Self { name, calls, pause: PAUSE, call: Box::new(call) }
    }

    fn time(&mut self) -> Result<f64> {
        let took = (self.call)().with_context(|| self.name)?;
        std::thread::sleep(self.pause);
        Ok(took.as_secs_f64() * 1_000.0)
    }
}

/// The times of one candidate, in milliseconds.
#[derive(Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    /// The time that this part of the calls did not exceed.
    pub(crate) fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        sorted.get((sorted.len() * percent / 100).min(last)).copied().unwrap_or(f64::NAN)
    }

    /// The longest.
    pub(crate) fn longest(&self) -> f64 {
        self.0.iter().copied().fold(f64::NAN, f64::max)
    }
}

/// The times of all candidates by name.
pub(crate) struct Table(BTreeMap<&'static str, Times>);

impl Table {
    /// Times every candidate in turns, after one call each that does not count.
    pub(crate) fn measure(rounds: usize, candidates: &mut [Candidate<'_>]) -> Result<Self> {
        for candidate in candidates.iter_mut() {
            candidate.time()?;
        }
        let mut table = BTreeMap::<_, Times>::new();
        for _ in 0..rounds {
            for candidate in candidates.iter_mut() {
                for _ in 0..candidate.calls {
                    table.entry(candidate.name).or_default().0.push(candidate.time()?);
                }
            }
        }
        Ok(Self(table))
    }

    /// The median of a candidate, if it was there.
    pub(crate) fn median(&self, name: &str) -> Option<f64> {
        self.0.get(name).map(|times| times.percentile(50))
    }

    /// The time that this part of a candidate's calls did not exceed, if it was there.
    pub(crate) fn percentile(&self, name: &str, percent: usize) -> Option<f64> {
        self.0.get(name).map(|times| times.percentile(percent))
    }

    /// The longest time of a candidate, if it was there.
    pub(crate) fn longest(&self, name: &str) -> Option<f64> {
        self.0.get(name).map(Times::longest)
    }

    /// Prints how the times spread.
    pub(crate) fn print(&self) {
        println!("\n{:<44}{:>10}{:>10}{:>10}{:>7}", "ms", "p50", "p90", "p99", "n");
        for (name, times) in &self.0 {
            let [p50, p90, p99] = [50, 90, 99].map(|percent| times.percentile(percent));
            println!("{name:<44}{p50:>10.3}{p90:>10.3}{p99:>10.3}{:>7}", times.0.len());
        }
        println!();
    }
}
