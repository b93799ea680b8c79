//! Search: how good its order is beside others on questions with known answers, and how fast it is.
//!
//! The data is third-party and stands beside the repository; without it there is nothing to measure.

mod made;
mod peers;
mod quality;
mod sets;
mod speed;

use std::path::Path;
use std::time::Instant;

use anyhow::Result;

use self::made::Workshop;
use self::peers::Peers;
use self::sets::Set;
use crate::report::Report;

/// Where the third-party data is.
const DATA: &str = "../shared/data";

/// Which of the two to measure.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    pub(crate) order: bool,
    pub(crate) speed: bool,
}

/// Measures the order, then the speed.
pub(crate) fn measure(report: &mut Report, parts: Parts, python: Option<&str>) -> Result<()> {
    let started = Instant::now();
    search::warm_up();
    let ready = search::Query::new("read the tables").is_empty();
    let milliseconds = started.elapsed().as_secs_f64() * 1_000.0;
    anyhow::ensure!(!ready, "the tables know no word");
    report.fact("search_tables_ms", milliseconds, "ms");

    let data = Path::new(DATA);
    let sets = Set::read_all(&data.join("retrieval"))?;
    if sets.is_empty() {
        eprintln!("not measured: search (its data is not in {DATA}/retrieval)");
        report.missing("search_ndcg_vs_minilm_bm25f", "the retrieval sets are not there");
        return Ok(());
    }
    let peers = python.map(Peers::new).transpose()?;
    if peers.is_none() {
        eprintln!("not measured: the peers of search (no Python with their packages was given)");
    }
    if parts.order {
        quality::measure(report, &sets, peers.as_ref());
    }
    if !parts.speed {
        return Ok(());
    }
    let workshop = Workshop::new(&sets, &data.join("skill-md-corpus.tar.gz"));
    speed::measure(report, &workshop, peers)
}
