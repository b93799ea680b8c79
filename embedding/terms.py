"""Makes the table of terms: how rare each stemmed word is in skills and in questions.

A word says little when many descriptions have it ("tool", "data") or when people put it into any question ("want",
"please", "find"). So its frequency is the share of descriptions that have it, plus twice the share of questions that
have it in the middle one of the question sets. The rarity is the logarithm of one over that. The table does not depend
on the library that is searched: a skill more or less changes no score of another, and hidden skills do not show.

Of the sets only documents, their example prompts and the training half of the questions are read.
"""

import argparse
import math
import statistics
from collections import Counter
from pathlib import Path

import snowballstemmer

from sources import in_training_half, read_sets, read_skills
from tokenizer import words

HERE = Path(__file__).parent
MOST_TERMS = 20_000
FEWEST_TEXTS = 2
RARITY_OF_UNKNOWN = 10.0
LONGEST_TERM = 24


class Stems:
    """The set of stemmed words of a text."""

    def __init__(self):
        self.stemmer, self.known = snowballstemmer.stemmer("english"), {}

    def of(self, text):
        found = set()
        for word in words(text):
            if word not in self.known:
                self.known[word] = self.stemmer.stemWord(word)
            found.add(self.known[word])
        return found


def count(texts, stems):
    """How many texts each term is in, and how many texts there are."""
    counts, size = Counter(), 0
    for text in texts:
        counts.update(stems.of(text))
        size += 1
    return counts, size


def head(name, description, tags):
    """What a description says, in one text."""
    return "\n".join((name, description, *tags))


def questions_of(one):
    """Training questions and example prompts of a set."""
    questions = [text for id, text in one.queries if in_training_half(one.name, id)]
    return questions + [example for row in one.rows for example in row.examples]


def rarities(skills, sets):
    """The rarity of each term, the most frequent first."""
    stems = Stems()
    heads = [head(s.name, s.description, s.tags) for s in skills]
    heads += [head(r.name, r.description, r.tags) for one in sets.values() for r in one.rows]
    described, documents = count(heads, stems)
    asked = [count(questions_of(one), stems) for one in sets.values()]
    texts = Counter(described)
    for counts, _ in asked:
        texts.update(counts)
    kept = [term for term, found in texts.items() if found >= FEWEST_TEXTS and len(term) <= LONGEST_TERM]
    kept.sort(key=lambda term: (-texts[term], term))
    made = {}
    for term in kept[:MOST_TERMS]:
        usual = statistics.median(counts[term] / size for counts, size in asked)
        share = described[term] / documents + 2 * usual
        rarity = math.log(1 + 1 / (share + math.exp(-RARITY_OF_UNKNOWN)))
        if rarity < RARITY_OF_UNKNOWN - 0.01:
            made[term] = rarity
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=HERE.parent / "crates" / "search" / "model" / "terms.tsv")
    options = parser.parse_args()
    made = rarities(read_skills(options.data / "skill-md-corpus.tar.gz"), read_sets(options.data / "retrieval"))
    lines = (f"{term}\t{rarity:.2f}\n" for term, rarity in made.items())
    options.out.write_text("".join(lines), encoding="utf-8")
    print(f"{len(made)} terms, {options.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
