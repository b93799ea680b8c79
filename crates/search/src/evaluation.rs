//! How good a ranking is, measured on questions with known answers.

/// One question: what was expected, with grades, and what was found, best first.
#[derive(Debug, Clone, Default)]
pub struct Answered {
    /// The grade of each skill that would be right; none when nothing is.
    pub expected: Vec<(String, f64)>,
    /// What was found without a gate, best first, with its similarity.
    pub found: Vec<(String, f64)>,
}

/// The measures over a set of questions.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measures {
    /// Questions that have an answer.
    pub answerable: usize,
    /// Questions that have none.
    pub unanswerable: usize,
    /// How well the first five are ordered.
    pub ndcg_5: f64,
    /// Which share of the right ones is first.
    pub recall_1: f64,
    /// Which share of the right ones is among the first five.
    pub recall_5: f64,
    /// Which share of the right ones is among the first ten.
    pub recall_10: f64,
    /// One over the place of the first right one.
    pub mrr: f64,
    /// Which share of the right ones is among the first five that pass the gate.
    pub gated_recall_5: f64,
    /// Of the questions without an answer, which share is answered by nothing.
    pub abstention: f64,
    /// How far similarity is from the share of right ones, over the first ten of each question.
    pub calibration_error: f64,
}

/// Measures; similarities from the gate on count as found.
pub fn measure(questions: &[Answered], gate: f64) -> Measures {
    let (with, without): (Vec<_>, Vec<_>) =
        questions.iter().partition(|question| !question.expected.is_empty());
    let mean = |value: &dyn Fn(&Answered) -> f64| {
        share(with.iter().map(|question| value(question)).sum(), with.len())
    };
    let passes = |(_, similarity): &&(String, f64)| *similarity >= gate;
    let silent = without.iter().filter(|question| !question.found.iter().any(|found| passes(&found))).count();
    Measures {
        answerable: with.len(),
        unanswerable: without.len(),
        ndcg_5: mean(&|question| ndcg(question, 5)),
        recall_1: mean(&|question| recall(question, 1, f64::MIN)),
        recall_5: mean(&|question| recall(question, 5, f64::MIN)),
        recall_10: mean(&|question| recall(question, 10, f64::MIN)),
        mrr: mean(&reciprocal_rank),
        gated_recall_5: mean(&|question| recall(question, 5, gate)),
        abstention: share(number(silent), without.len()),
        calibration_error: calibration_error(questions),
    }
}

#[allow(clippy::cast_precision_loss)] // counts of questions
fn number(count: usize) -> f64 {
    count as f64
}

fn share(sum: f64, count: usize) -> f64 {
    if count == 0 { 0.0 } else { sum / number(count) }
}

fn grade(question: &Answered, name: &str) -> f64 {
    question.expected.iter().find(|(known, _)| known == name).map_or(0.0, |(_, grade)| *grade)
}

fn ndcg(question: &Answered, places: usize) -> f64 {
    let gain = |grades: &mut dyn Iterator<Item = f64>| -> f64 {
        grades.take(places).zip(2_u32..).map(|(grade, place)| grade / f64::from(place).log2()).sum()
    };
    let mut ideal: Vec<f64> = question.expected.iter().map(|(_, grade)| *grade).collect();
    ideal.sort_by(|left, right| right.total_cmp(left));
    let best = gain(&mut ideal.into_iter());
    let got = gain(&mut question.found.iter().map(|(name, _)| grade(question, name)));
    if best > 0.0 { got / best } else { 0.0 }
}

fn recall(question: &Answered, places: usize, gate: f64) -> f64 {
    let found = question.found.iter().take(places).filter(|(_, similarity)| *similarity >= gate);
    let right = found.filter(|(name, _)| grade(question, name) > 0.0).count();
    share(number(right), question.expected.len().min(places))
}

fn reciprocal_rank(question: &Answered) -> f64 {
    let place = question.found.iter().position(|(name, _)| grade(question, name) > 0.0);
    place.map_or(0.0, |place| 1.0 / number(place + 1))
}

/// Ten bins of equal width.
fn calibration_error(questions: &[Answered]) -> f64 {
    let mut bins = [(0_usize, 0.0_f64, 0.0_f64); 10];
    for question in questions {
        for (name, similarity) in question.found.iter().take(10) {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 9
            let place = ((similarity * 10.0) as usize).min(9);
            if let Some((count, said, was)) = bins.get_mut(place) {
                *count += 1;
                *said += similarity;
                *was += f64::from(u8::from(grade(question, name) > 0.0));
            }
        }
    }
    let all: usize = bins.iter().map(|(count, ..)| count).sum();
    share(bins.iter().map(|(_, said, was)| (said - was).abs()).sum(), all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(expected: &[&str], found: &[(&str, f64)]) -> Answered {
        Answered {
            expected: expected.iter().map(|name| ((*name).to_owned(), 1.0)).collect(),
            found: found.iter().map(|(name, similarity)| ((*name).to_owned(), *similarity)).collect(),
        }
    }

    #[test]
    fn by_hand() {
        let questions = [
            question(&["a"], &[("a", 0.9), ("b", 0.1)]),
            question(&["a"], &[("b", 0.8), ("a", 0.6)]),
            question(&[], &[("b", 0.75)]),
            question(&[], &[("b", 0.4)]),
        ];
        let measures = measure(&questions, 0.7);
        assert_eq!((measures.answerable, measures.unanswerable), (2, 2));
        assert!((measures.ndcg_5 - f64::midpoint(1.0, 1.0 / 3_f64.log2())).abs() < 1e-9);
        assert!((measures.recall_1 - 0.5).abs() < 1e-9);
        assert!((measures.recall_5 - 1.0).abs() < 1e-9);
        assert!((measures.mrr - 0.75).abs() < 1e-9);
        assert!((measures.gated_recall_5 - 0.5).abs() < 1e-9);
        assert!((measures.abstention - 0.5).abs() < 1e-9);
    }
}
