"""Fits the ranking and the similarity, reports how good they are, and writes `ranking.json`.

Input: one or more `features.jsonl.gz`, one line a (question, candidate), the candidates of a question together:

    set         the retrieval set
    query       the question's id
    kind        "own": asked of its own set; "none": of its own set, but nothing there answers it;
                "foreign": a question of another set, so nothing here answers it
    answers     how many skills answer it, 0 for "none" and "foreign"
    grade       above 0 where this candidate is one of them
    lexical     BM25F as a share of the best that a skill could have, 0 to 1
    rarity      how much all terms of the question say together
    cosine      of the question with the skill's own text, or null
    example     the best cosine with an example prompt, or null

The best 50 candidates of a question by any sound score, and all right ones, are enough. The questions must be those
that the embedding table was not trained on: it knows the others by heart.

Score: words * lexical * rarity + share * lexical + meaning * near, where near is the mean of cosine and example (cosine
alone without an example), and at least the example less `EXAMPLE_BEHIND`. It is fitted so that right candidates stand first (softmax over the candidates, each
set with equal weight). It depends on the question and the skill alone.

Similarity: a candidate's place is score - follow * (best - score), best being the best score among the candidates the
caller can see. From the gate on, the lead of the best over the second is added to the place, at most `lead`; a single
candidate has the whole lead. The similarity follows straight lines between knots of [place, similarity]. The knots
are the share of right candidates at that place (isotonic regression), except that from the gate on the similarity is
at least 0.7. A question is answered at 0.7 when its best score reaches the gate; those near the best come with it.
The gate is the score that costs the share `--missed` of the right first candidates. Greater `--missed`: fewer wrong
answers, fewer right ones. Greater `--follow`: fewer candidates beside the best, and a similarity nearer to a
probability. Honest probabilities alone would put most right answers below 0.7, since in a large library a right skill
competes with many that are nearly right.
"""

import argparse
import gzip
import json
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
RANKING = HERE.parent / "crates" / "search" / "model" / "ranking.json"
SHOWN = 0.7
DEPTH = 10
RAMP = 0.5
LEAST_RISE = 0.005
EXAMPLE_BEHIND = 0.15  # an example prompt that is the request speaks for a skill whatever the rest of it says
NAMES = ("words", "share", "meaning")


class Question:
    """The candidates of one question: their features and which of them are right."""

    def __init__(self, lines):
        self.set, self.kind, self.answers = lines[0]["set"], lines[0]["kind"], lines[0]["answers"]
        self.features = np.array([features(line) for line in lines])
        self.right = np.array([line["grade"] > 0 for line in lines], float)


def features(line):
    """What the score weighs."""
    near = line["cosine"] or 0.0
    if line["example"] is not None:
        near = max((near + line["example"]) / 2, line["example"] - EXAMPLE_BEHIND)
    return [line["lexical"] * line["rarity"], line["lexical"], near]


def read(paths):
    """The questions of all files; a set read from several files counts as several."""
    questions = {}
    for number, path in enumerate(paths):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in map(json.loads, file):
                questions.setdefault((number, line["set"], line["kind"], line["query"]), []).append(line)
    made = []
    for (number, *_), lines in questions.items():
        made.append(Question(lines))
        made[-1].set += f" {number + 1}" if len(paths) > 1 else ""
    return made


def fit_weights(questions, pull=1e-3):
    """Newton's method on the mean over sets of the softmax loss; no weight below 0."""
    by_set = {}
    for q in questions:
        if q.right.any():
            by_set.setdefault(q.set, []).append(q)
    weights, size = np.array([0.1, 5.0, 5.0]), np.array([20.0, 1.0, 1.0])
    for _ in range(30):
        slope, curve = pull * weights * size**2, pull * np.diag(size**2)
        for asked in by_set.values():
            share = 1 / (len(by_set) * len(asked))
            for q in asked:
                chance = softmax(q.features @ weights)
                mean = chance @ q.features
                slope += share * (mean - q.right @ q.features / q.right.sum())
                apart = q.features - mean
                curve += share * (apart * chance[:, None]).T @ apart
        step = np.linalg.solve(curve, slope)
        weights = np.maximum(weights - step, 0)
        if np.abs(step / np.maximum(weights, 1e-3)).max() < 1e-4:
            break
    return weights


def softmax(scores):
    raised = np.exp(scores - scores.max())
    return raised / raised.sum()


class Shape:
    """What makes a similarity of scores."""

    def __init__(self, follow, lead, gate):
        self.follow, self.lead, self.gate, self.knots = follow, lead, gate, None

    def places(self, scores):
        """Where candidates stand, from their scores, best first."""
        places = scores - self.follow * (scores[0] - scores)
        lead = min(self.lead, scores[0] - scores[1]) if len(scores) > 1 else self.lead
        return np.where(places >= self.gate, places + lead, places)

    def similarity(self, scores):
        return np.interp(self.places(scores), *zip(*self.knots))


class Ranked:
    """The best candidates of one question under some weights."""

    def __init__(self, question, weights):
        scores = question.features @ weights
        order = np.argsort(-scores, kind="stable")[:DEPTH]
        self.set, self.kind, self.answers = question.set, question.kind, question.answers
        self.scores, self.right = scores[order], question.right[order]


def pairs(ranked, value):
    """A value, right and weight of all candidates of a set's own questions; each set has the same weight."""
    chosen = [r for r in ranked if r.kind != "foreign"]
    places = np.concatenate([value(r.scores) for r in chosen])
    right = np.concatenate([r.right for r in chosen])
    sets = np.concatenate([[r.set] * len(r.right) for r in chosen])
    weight = np.zeros(len(places))
    for name in np.unique(sets):
        weight[sets == name] = 1 / (sets == name).sum()
    return places, right, weight / weight.sum()


def isotonic(places, right, weight, groups=400):
    """The share of right ones by place, never falling."""
    order = np.argsort(places, kind="stable")
    blocks = []
    for part in np.array_split(order, min(groups, len(order))):
        blocks.append([right[part] @ weight[part], weight[part].sum(), [places[part] @ weight[part] / weight[part].sum()]])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            last = blocks.pop()
            blocks[-1] = [blocks[-1][0] + last[0], blocks[-1][1] + last[1], blocks[-1][2] + last[2]]
    x = np.concatenate([block[2] for block in blocks])
    return x, np.concatenate([[block[0] / block[1]] * len(block[2]) for block in blocks])


def find_gate(ranked, missed):
    """The score below which so much of the right first candidates lies, in the mean over sets."""
    firsts = {}
    for r in ranked:
        if r.kind == "own" and r.right[0]:
            firsts.setdefault(r.set, []).append(r.scores[0])
    scores = np.sort(np.concatenate(list(firsts.values())))
    below = np.mean([np.searchsorted(np.sort(own), scores) / len(own) for own in firsts.values()], axis=0)
    return round(float(scores[np.searchsorted(below, missed)]), 2)


def fit_shape(ranked, options):
    """Gate and knots of the similarity: honest below the gate, at least `SHOWN` from it on."""
    shape = Shape(options.follow, options.lead, find_gate(ranked, options.missed))
    x, share = smooth(*isotonic(*pairs(ranked, shape.places)))
    honest = lambda place: float(np.interp(place, x, share))
    below = [shape.gate - RAMP - d for d in (8, 6, 4, 3, 2, 1, 0)]
    above = [shape.gate + d for d in (1, 2, 3, 4, 5, 6, 7, 8, 10, 12)]
    knots = [(shape.gate - RAMP - 12, 0.0)]
    knots += [(place, min(honest(place), SHOWN - 0.15)) for place in below] + [(shape.gate, SHOWN)]
    knots += [(place, max(honest(place), SHOWN + LEAST_RISE * (place - shape.gate))) for place in above]
    values = np.maximum.accumulate([min(value, 0.99) for _, value in knots])
    shape.knots = [[round(place, 3), round(float(value), 4)] for (place, _), value in zip(knots, values)]
    return shape


def smooth(x, share, width=0.5):
    """A running mean, so that knots do not hang on a few pairs."""
    grid = np.arange(np.floor(x[0]), np.ceil(x[-1]) + 0.25, 0.25)
    near = np.exp(-(((grid[:, None] - x[None]) / width) ** 2)) + 1e-12
    return grid, np.maximum.accumulate(near @ share / near.sum(1))


def calibration_error(said, right, weight):
    """How far the similarity is from the share of right ones, in ten bins of equal width."""
    bins = np.minimum((said * 10).astype(int), 9)
    return float(np.abs(np.bincount(bins, weight * (said - right), 10)).sum() / weight.sum())


def ndcg(r, places=5):
    discount = 1 / np.log2(np.arange(2, places + 2))
    got = r.right[:places]
    return float(got @ discount[: len(got)] / discount[: min(places, r.answers)].sum())


def auc(said, right):
    order = said.argsort(kind="stable")
    rank = np.empty(len(said))
    rank[order] = np.arange(1, len(said) + 1)
    yes = right.sum()
    return float((rank[right > 0].sum() - yes * (yes + 1) / 2) / max(yes * (len(right) - yes), 1))


def measure(ranked, shape):
    """What the report shows, for some questions."""
    own = [(r, shape.similarity(r.scores)) for r in ranked if r.kind == "own"]
    silent = lambda kind: [float(shape.similarity(r.scores).max() < SHOWN) for r in ranked if r.kind == kind]
    recall = lambda r, passing: float((r.right[:5] * passing[:5]).sum() / min(5, r.answers))
    asked = [r for r in ranked if r.kind != "foreign"]
    said = np.concatenate([shape.similarity(r.scores) for r in asked])
    right = np.concatenate([r.right for r in asked])
    mean = lambda values: float(np.mean(values)) if len(values) else float("nan")
    return {
        "ndcg@5": mean([ndcg(r) for r, _ in own]),
        "recall@5": mean([recall(r, np.ones(DEPTH)[: len(s)]) for r, s in own]),
        "at gate": mean([recall(r, s >= SHOWN) for r, s in own]),
        "none": mean(silent("none")),
        "foreign": mean(silent("foreign")),
        "auc": auc(said, right),
        "ece": calibration_error(said, right, np.ones(len(said))),
    }


def report(title, rows):
    """A table, a line a set and their mean."""
    keys = list(next(iter(rows.values())))
    print(f"\n{title}\n{'':14}" + " ".join(f"{key:>8}" for key in keys))
    for name, row in rows.items():
        print(f"{name:14}" + " ".join(f"{row[key]:8.3f}" for key in keys))
    print(f"{'mean':14}" + " ".join(f"{np.nanmean([row[key] for row in rows.values()]):8.3f}" for key in keys))


def pooled_error(ranked, shape):
    """The calibration error over all sets together, each with the same weight."""
    return calibration_error(*pairs(ranked, shape.similarity))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features", nargs="+", type=Path)
    parser.add_argument("--ranking", type=Path, default=RANKING, help="read for the other numbers, and written")
    parser.add_argument("--missed", type=float, default=0.10, help="share of right first candidates the gate may cost")
    parser.add_argument("--follow", type=float, default=0.7, help="how fast the similarity falls behind the best")
    parser.add_argument("--lead", type=float, default=3.0, help="how much of the lead over the second may count")
    parser.add_argument("--keep-weights", action="store_true", help="fit the similarity alone")
    options = parser.parse_args()
    questions = read(options.features)
    ranking = json.loads(options.ranking.read_text(encoding="utf-8"))
    kept = np.array([ranking["score"][name] for name in NAMES]) if options.keep_weights else None
    fit = lambda some: kept if kept is not None else fit_weights(some)
    names = sorted({q.set for q in questions})

    held_out = {}
    for name in names:
        others = [q for q in questions if q.set.split()[0] != name.split()[0]]
        weights = fit(others)
        shape = fit_shape([Ranked(q, weights) for q in others], options)
        held_out[name] = measure([Ranked(q, weights) for q in questions if q.set == name], shape)
    report("each set judged by a fit on the others", held_out)

    weights = np.array([round(w, 4) for w in fit(questions)])
    ranked = [Ranked(q, weights) for q in questions]
    shape = fit_shape(ranked, options)
    rows = {name: measure([r for r in ranked if r.set == name], shape) for name in names}
    report("the fit on all", rows)
    print(f"\ncalibration error over all sets together {pooled_error(ranked, shape):.3f}")

    ranking["score"] = dict(zip(NAMES, map(float, weights)))
    ranking.update(example_behind=EXAMPLE_BEHIND, follow=shape.follow, lead=shape.lead, gate=shape.gate, similarity=shape.knots)
    print({key: ranking[key] for key in ("score", "follow", "lead", "gate", "similarity")})
    lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in ranking.items())
    options.ranking.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
