//! How good the order is: ours and the peers' on the same questions, measured by the same code.

use std::collections::BTreeMap;

use search::evaluation::{Answered, Measures, measure as evaluate};
use search::{Filter, Index, Prepared, Query, Vector, View, Wanted, embed};
use serde_json::{Value, json};

use super::peers::{Peers, Ranked};
use super::sets::{Question, Set, number};
use crate::report::Report;

/// From here on something counts as found.
const GATE: f64 = 0.7;
const MOST: usize = 10;
const UNIT: &str = "nDCG@5";

const OURS: &str = "ours";
const MINILM: &str = "all-MiniLM-L6-v2";
const JOINED: &str = "MiniLM + BM25F";
/// The order of the table.
const METHODS: [&str; 8] = [
    OURS,
    "ours: words only",
    "ours: meaning only",
    "BM25 plain",
    "SQLite FTS5 bm25",
    "BM25F",
    MINILM,
    JOINED,
];

/// One method on all sets.
struct Row {
    method: String,
    variant: String,
    examples: bool,
    sets: BTreeMap<&'static str, Measures>,
    answered: BTreeMap<&'static str, Vec<Answered>>,
}

impl Row {
    fn new(
        method: &str,
        variant: String,
        examples: bool,
        answered: BTreeMap<&'static str, Vec<Answered>>,
    ) -> Self {
        let sets = answered.iter().map(|(name, questions)| (*name, evaluate(questions, GATE))).collect();
        Self { method: method.to_owned(), variant, examples, sets, answered }
    }

    /// The mean over the sets that the order is judged by.
    fn mean(&self, sets: &[Set]) -> f64 {
        let values: Vec<f64> = sets.iter().filter(|set| set.ranks()).map(|set| self.ndcg(set)).collect();
        values.iter().sum::<f64>() / f64::from(u32::try_from(values.len()).unwrap_or(u32::MAX))
    }

    fn ndcg(&self, set: &Set) -> f64 {
        self.sets.get(set.name).map_or(f64::NAN, |measures| measures.ndcg_5)
    }
}

/// Measures, prints and reports.
pub(crate) fn measure(report: &mut Report, sets: &[Set], peers: Option<&Peers>) {
    let mut rows = Vec::new();
    for examples in [true, false] {
        rows.extend([
            Row::new(OURS, String::new(), examples, ask_all(sets, examples, Query::new)),
            Row::new("ours: words only", String::new(), examples, ask_all(sets, examples, Query::of_words)),
            Row::new("ours: meaning only", String::new(), examples, by_meaning(sets, examples)),
        ]);
    }
    match peers.map(|peers| peers.rank(sets)) {
        Some(Ok(ranked)) => rows.extend(ranked.into_iter().map(|ranked| theirs(sets, ranked))),
        Some(Err(error)) => eprintln!("not measured: the order of the peers ({error:#})"),
        None => {}
    }
    let rows = keep_best_variants(rows, sets);
    for (examples, text) in [(true, "with example prompts, for all"), (false, "without example prompts")] {
        print(&rows, sets, examples, text);
    }
    compare(report, &rows, sets);
    if let Some(ours) = find(&rows, OURS, true) {
        gate(report, ours, sets);
        report.fact("search_quality", ours.mean(sets), UNIT);
        report.search(as_json(&rows, sets));
    }
}

/// Ours: every question with its best ten, without a gate.
fn ask_all(sets: &[Set], examples: bool, read: fn(&str) -> Query) -> BTreeMap<&'static str, Vec<Answered>> {
    let ask_set = |set: &Set| {
        let prepared: Vec<Prepared> = (0..)
            .zip(&set.documents)
            .map(|(number, text)| Prepared::new(&text.document(number, examples)))
            .collect();
        let mut library = Index::default();
        for prepared in &prepared {
            library.put(prepared);
        }
        let ask = |question: &Question| {
            let own = question.candidates.as_ref().map(|candidates| {
                let mut own = Index::default();
                let chosen = set.documents.iter().zip(&prepared);
                let chosen = chosen.filter(|(document, _)| candidates.contains(&document.id));
                chosen.for_each(|(_, prepared)| own.put(prepared));
                own
            });
            ask(set, own.as_ref().unwrap_or(&library), question, &read(&question.text))
        };
        (set.name, set.questions.iter().map(ask).collect())
    };
    sets.iter().map(ask_set).collect()
}

fn ask(set: &Set, index: &Index, question: &Question, query: &Query) -> Answered {
    let wanted = Wanted { limit: MOST, floor: 0.0, nearest: false, collapse: false };
    let hits = index.search(query, View::All, &Filter::default(), wanted);
    let name = |hit: &search::Hit| {
        let document = number(hit.id).and_then(|number| set.documents.get(number));
        document.map(|document| document.id.clone()).unwrap_or_default()
    };
    let found = hits.iter().map(|hit| (name(hit), f64::from(hit.similarity))).collect();
    Answered { expected: question.expected.clone(), found }
}

/// Ours by vectors alone: the best cosine with the skill's own text or an example prompt.
fn by_meaning(sets: &[Set], examples: bool) -> BTreeMap<&'static str, Vec<Answered>> {
    let ask_set = |set: &Set| {
        let vectors: Vec<Vec<Vector>> = set
            .documents
            .iter()
            .map(|text| text.document(0, examples).texts().iter().filter_map(|text| embed(text)).collect())
            .collect();
        let ask = |question: &Question| {
            let asked = embed(&question.text);
            let near = |vectors: &Vec<Vector>| {
                let cosines =
                    vectors.iter().map(|vector| asked.as_ref().map_or(0.0, |asked| asked.cosine(vector)));
                f64::from(cosines.fold(-1.0, f32::max))
            };
            let candidates = set.documents.iter().zip(&vectors).filter(|(document, _)| {
                question.candidates.as_ref().is_none_or(|candidates| candidates.contains(&document.id))
            });
            let mut found: Vec<(&str, f64)> =
                candidates.map(|(document, vectors)| (document.id.as_str(), near(vectors))).collect();
            found.sort_by(|left, right| right.1.total_cmp(&left.1));
            found.truncate(MOST);
            let found = found.into_iter().map(|(name, near)| (name.to_owned(), near)).collect();
            Answered { expected: question.expected.clone(), found }
        };
        (set.name, set.questions.iter().map(ask).collect())
    };
    sets.iter().map(ask_set).collect()
}

fn theirs(sets: &[Set], mut ranked: Ranked) -> Row {
    let answered = sets
        .iter()
        .map(|set| {
            let mut found = ranked.rankings.remove(set.name).unwrap_or_default();
            let answer = |question: &Question| Answered {
                expected: question.expected.clone(),
                found: found.remove(&question.id).unwrap_or_default(),
            };
            (set.name, set.questions.iter().map(answer).collect())
        })
        .collect();
    let variant = ranked.share_of_words.map_or(String::new(), |share| format!("words {share:.1}"));
    Row::new(&ranked.method, variant, ranked.examples, answered)
}

/// Of a method that can be set up in several ways, the one that is best for it.
fn keep_best_variants(rows: Vec<Row>, sets: &[Set]) -> Vec<Row> {
    let mut best: Vec<Row> = Vec::new();
    for row in rows {
        let known =
            best.iter_mut().find(|known| known.method == row.method && known.examples == row.examples);
        match known {
            Some(known) if known.mean(sets) < row.mean(sets) => *known = row,
            Some(_) => {}
            None => best.push(row),
        }
    }
    best
}

fn find<'a>(rows: &'a [Row], method: &str, examples: bool) -> Option<&'a Row> {
    rows.iter().find(|row| row.method == method && row.examples == examples)
}

fn print(rows: &[Row], sets: &[Set], examples: bool, text: &str) {
    let names = sets.iter().map(|set| format!("{:>11}", set.name)).collect::<Vec<_>>().concat();
    println!("\n{:<34}{names}{:>8}", format!("nDCG@5 {text}"), "mean");
    for row in METHODS.iter().filter_map(|method| find(rows, method, examples)) {
        let values = sets.iter().map(|set| format!("{:>11.3}", row.ndcg(set))).collect::<Vec<_>>().concat();
        println!("{:<34}{values}{:>8.3}", format!("{} {}", row.method, row.variant), row.mean(sets));
    }
    println!("(the mean is over the six sets, bfcl over the whole library; bfcl pool is not in it)");
}

fn compare(report: &mut Report, rows: &[Row], sets: &[Set]) {
    let ids = [
        (true, "search_ndcg_vs_minilm_bm25f", "search_ndcg_vs_minilm"),
        (false, "search_ndcg_vs_minilm_bm25f_bare", "search_ndcg_vs_minilm_bare"),
    ];
    for (examples, joined, alone) in ids {
        let prompts = if examples { "with example prompts" } else { "without example prompts" };
        let Some(ours) = find(rows, OURS, examples).map(|row| row.mean(sets)) else { continue };
        match (find(rows, JOINED, examples), find(rows, MINILM, examples)) {
            (Some(both), Some(one)) => {
                let peer = format!("{JOINED}, {}, {prompts}", both.variant);
                report.contest(joined, ours, both.mean(sets), 1.0, (peer, UNIT));
                report.lead(alone, ours, one.mean(sets), 0.08, (format!("{MINILM}, {prompts}"), UNIT));
            }
            _ => report.missing(joined, "the peers could not be asked"),
        }
    }
}

/// What similarity is worth: silence where nothing is right, and what the gate costs elsewhere.
fn gate(report: &mut Report, ours: &Row, sets: &[Set]) {
    println!(
        "\n{:<12}{:>6}{:>8}{:>8}{:>8}{:>8}{:>12}{:>9}{:>8}{:>8}",
        "ours", "n", "R@1", "R@5", "R@10", "MRR", "R@5 gated", "silent", "of", "ECE"
    );
    let line = |name: &str, of: &Measures| {
        println!(
            "{name:<12}{:>6}{:>8.3}{:>8.3}{:>8.3}{:>8.3}{:>12.3}{:>9.3}{:>8}{:>8.3}",
            of.answerable,
            of.recall_1,
            of.recall_5,
            of.recall_10,
            of.mrr,
            of.gated_recall_5,
            of.abstention,
            of.unanswerable,
            of.calibration_error
        );
    };
    ours.sets.iter().for_each(|(name, measures)| line(name, measures));
    let all = pooled(ours, sets);
    line("all", &all);
    println!("(gate {GATE}; all: every question once, bfcl within its pools)\n");
    report.goal_at_least("search_abstention", all.abstention, 0.90, "share");
    report.goal("search_gate_recall_loss", all.recall_5 - all.gated_recall_5, 0.05, "recall@5");
    report.goal("search_ece", all.calibration_error, 0.05, "share");
}

fn pooled(row: &Row, sets: &[Set]) -> Measures {
    let gating = sets.iter().filter(|set| set.gates()).filter_map(|set| row.answered.get(set.name));
    evaluate(&gating.flatten().cloned().collect::<Vec<_>>(), GATE)
}

fn as_json(rows: &[Row], sets: &[Set]) -> Value {
    let all = |row: &Row| {
        let by_set = row.sets.iter().map(|(name, measures)| ((*name).to_owned(), numbers(measures)));
        json!({
            "method": row.method,
            "variant": row.variant,
            "example_prompts": row.examples,
            "ndcg_5_mean": row.mean(sets),
            "sets": by_set.collect::<serde_json::Map<_, _>>(),
            "all": numbers(&pooled(row, sets)),
        })
    };
    json!({"gate": GATE, "rows": rows.iter().map(all).collect::<Vec<_>>()})
}

fn numbers(of: &Measures) -> Value {
    json!({
        "answerable": of.answerable,
        "unanswerable": of.unanswerable,
        "ndcg_5": of.ndcg_5,
        "recall_1": of.recall_1,
        "recall_5": of.recall_5,
        "recall_10": of.recall_10,
        "mrr": of.mrr,
        "gated_recall_5": of.gated_recall_5,
        "abstention": of.abstention,
        "calibration_error": of.calibration_error,
    })
}
