//! How fast a search is, what an index takes, and how others do at the same.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use model::{Scope, UserId};
use search::{Filter, Index, Prepared, Query, View, Wanted, embed};
use uuid::Uuid;

use super::made::{Workshop, document};
use super::peers::{Peers, Served};
use crate::report::Report;
use crate::rss;
use crate::times::{Candidate, Table};

/// Users of the large library; each has as many skills of their own.
const USERS: usize = 1_000;
const SKILLS_OF_A_USER: usize = 1_000;
const ONE_SCOPE: usize = 100_000;
const ROUNDS: usize = 5;

const SCOPED: &str = "ours: search 1,000 of 1,000,000";
const EVERYBODY: &str = "ours: search all of 1,000,000";
const ENCODE: &str = "ours: encode a question";
const SEARCH: &str = "ours: search 100,000";
const MINILM: &str = "MiniLM, onnxruntime: encode a question";

/// A vector database: its name there, in the table, and the comparison's id.
type Database = (&'static str, &'static str, &'static str);

const DATABASES: [Database; 3] = [
    ("sqlite_vec", "sqlite-vec: nearest of 100,000, exact", "search_100k_vs_sqlite_vec"),
    ("lancedb", "LanceDB: nearest of 100,000, exact", "search_100k_vs_lancedb"),
    ("chroma", "Chroma: nearest of 100,000, HNSW", "search_100k_vs_chroma"),
];

/// Measures and reports.
pub(crate) fn measure(report: &mut Report, workshop: &Workshop, peers: Option<Peers>) -> Result<()> {
    a_million(report, workshop)?;
    one_scope(report, workshop, peers)
}

fn user(number: usize) -> UserId {
    UserId::new(Uuid::from_u128(number as u128 + 1))
}

/// A search as the program does it: from the text to ten skills and why.
fn search(index: &Index, text: &str, view: View) -> Duration {
    let filter = Filter::default();
    let wanted = Wanted { limit: 10, floor: 0.0, nearest: true, collapse: false };
    let started = Instant::now();
    black_box(index.search(&Query::new(text), view, &filter, wanted));
    started.elapsed()
}

/// Something of ours to time, question by question, one straight after the other.
fn timed<'a>(
    name: &'static str,
    calls: usize,
    workshop: &'a Workshop,
    mut call: impl FnMut(usize, &str) -> Result<Duration> + 'a,
) -> Candidate<'a> {
    let mut number = 0;
    let call = move || {
        number += 1;
        let place = number % workshop.questions.len();
        call(number, workshop.questions.get(place).context("no question")?)
    };
    Candidate { pause: Duration::ZERO, ..Candidate::new(name, calls, call) }
}

/// A library of many users, each of whom searches among their own.
fn a_million(report: &mut Report, workshop: &Workshop) -> Result<()> {
    let before = rss::megabytes(std::process::id())?;
    let mut index = Index::default();
    for first in (0..USERS).step_by(20) {
        let make = |users: std::ops::Range<usize>| -> Vec<Prepared> {
            let numbers = users
                .flat_map(|owner| (0..SKILLS_OF_A_USER).map(move |n| (owner, owner * SKILLS_OF_A_USER + n)));
            let prepare = |(owner, number)| {
                Prepared::new(&document(&workshop.skill(number), number, Scope::User(user(owner))))
            };
            numbers.map(prepare).collect()
        };
        let (left, right) = std::thread::scope(|scope| {
            let right = scope.spawn(|| make(first + 10..first + 20));
            (make(first..first + 10), right.join())
        });
        let right = right.map_err(|_| anyhow::anyhow!("a worker failed"))?;
        left.iter().chain(&right).for_each(|prepared| index.put(prepared));
    }
    report.fact("search_1m_memory_mb", rss::megabytes(std::process::id())? - before, "MB");
    report.fact("search_1m_index_mb", number(index.bytes()) / 1024.0 / 1024.0, "MB");
    let own = timed(SCOPED, 400, workshop, |number, text| {
        Ok(search(&index, text, View::Place(user(number * 389 % USERS), None)))
    });
    let all = timed(EVERYBODY, 4, workshop, |_, text| Ok(search(&index, text, View::All)));
    let table = Table::measure(ROUNDS, &mut [own, all])?;
    table.print();
    let percentile = |name, percent| table.percentile(name, percent).unwrap_or(f64::NAN);
    report.goal("search_scoped_p50_ms", percentile(SCOPED, 50), 1.0, "ms");
    report.goal("search_scoped_p99_ms", percentile(SCOPED, 99), 5.0, "ms");
    report.fact("search_1m_everybody_ms", percentile(EVERYBODY, 50), "ms");
    Ok(())
}

/// One large scope, beside vector databases that do only the half of it.
fn one_scope(report: &mut Report, workshop: &Workshop, peers: Option<Peers>) -> Result<()> {
    let mut index = Index::default();
    let mut took = Duration::ZERO;
    let mut vectors = Vec::with_capacity(ONE_SCOPE);
    for number in 0..ONE_SCOPE {
        let text = workshop.skill(number);
        let skill = document(&text, number, Scope::Workspace);
        let started = Instant::now();
        index.put(&Prepared::new(&skill));
        took += started.elapsed();
        if peers.is_some() {
            vectors.push(floats(skill.texts().first().context("no text")?));
        }
    }
    report.fact("search_index_per_second", number(ONE_SCOPE) / took.as_secs_f64(), "skills/s");
    let served = peers.map(|peers| {
        let asked: Vec<_> = workshop.questions.iter().map(|text| floats(text)).collect();
        peers.serve(&vectors, &workshop.questions, &asked)
    });
    drop(vectors);
    let served = match served {
        Some(Ok(served)) => Some(Rc::new(RefCell::new(served))),
        Some(Err(error)) => {
            eprintln!("not measured: the speed of the peers ({error:#})");
            None
        }
        None => None,
    };
    let mut candidates = vec![
        timed(ENCODE, 100, workshop, |_, text| {
            let started = Instant::now();
            black_box(embed(text));
            Ok(started.elapsed())
        }),
        timed(SEARCH, 40, workshop, |_, text| Ok(search(&index, text, View::Place(user(0), None)))),
    ];
    if let Some(served) = &served {
        candidates.extend(theirs(served, workshop));
    }
    let table = Table::measure(ROUNDS, &mut candidates)?;
    table.print();
    compare(report, &table);
    Ok(())
}

fn theirs<'a>(served: &Rc<RefCell<Served>>, workshop: &'a Workshop) -> Vec<Candidate<'a>> {
    let ask = |name, peer, calls| {
        let served = Rc::clone(served);
        timed(name, calls, workshop, move |number, _| {
            served.borrow_mut().time(peer, number % workshop.questions.len())
        })
    };
    let mut candidates = vec![ask(MINILM, "minilm", 100)];
    let about = &served.borrow().about;
    for (peer, name, _) in DATABASES {
        match (about.recall.get(peer), about.filled_s.get(peer)) {
            (Some(recall), Some(seconds)) => {
                println!(
                    "{peer}: took {ONE_SCOPE} vectors in {seconds:.0} s, finds {recall:.3} of the ten nearest"
                );
                candidates.push(ask(name, peer, 20));
            }
            _ => eprintln!("not measured: {peer} ({})", about.failed.get(peer).map_or("", String::as_str)),
        }
    }
    candidates
}

fn compare(report: &mut Report, table: &Table) {
    report.goal("search_100k_p50_ms", table.median(SEARCH).unwrap_or(f64::NAN), 5.0, "ms");
    match (table.median(ENCODE), table.median(MINILM)) {
        (Some(ours), Some(theirs)) => {
            report.race("encode_vs_minilm", ours, theirs, 1.0 / 500.0, (MINILM, "ms"));
        }
        _ => report.missing("encode_vs_minilm", "MiniLM does not run on this machine"),
    }
    for (_, name, id) in DATABASES {
        match (table.median(SEARCH), table.median(name)) {
            (Some(ours), Some(theirs)) => report.pair(id, ours, theirs, name, "ms"),
            _ => report.missing(id, "the peer does not run on this machine"),
        }
    }
}

/// The unit vector of a text.
fn floats(text: &str) -> Vec<f32> {
    let bytes = embed(text).map_or_else(|| vec![1; 256], |vector| vector.to_bytes());
    let steps: Vec<f32> = bytes.iter().map(|byte| f32::from(byte.cast_signed())).collect();
    let length = steps.iter().map(|step| step * step).sum::<f32>().sqrt();
    steps.iter().map(|step| step / length).collect()
}

#[allow(clippy::cast_precision_loss)] // counts far below 2^52
fn number(count: usize) -> f64 {
    count as f64
}
