"""Ranks the retrieval sets by words (BM25F), by vectors, and by both, and measures nDCG@5."""

import math
from collections import Counter, defaultdict

import numpy as np
import snowballstemmer

from texts import document_text, name_words
from tokenizer import words

FIELDS = (("name", 2.0), ("description", 1.0), ("tags", 0.5), ("body", 0.15))
WITH_EXAMPLES = (*FIELDS, ("examples", 0.3))
K1, B = 1.2, 0.75
WORDS_IN_SUM = 0.025
STOP = set("a an and are as at be by for from has have i in is it its me my of on or that the this to was with you your can could do does how what please".split())


class Words:
    """BM25F over stemmed fields of documents."""

    def __init__(self, rows, weights=FIELDS):
        self.stemmer, self.stems = snowballstemmer.stemmer("english"), {}
        fields = [self.fields(row) for row in rows]
        lengths = {f: max(1e-9, sum(len(d[f]) for d in fields) / len(rows)) for f, _ in weights}
        postings = defaultdict(dict)
        for at, document in enumerate(fields):
            for name, weight in weights:
                norm = 1 - B + B * len(document[name]) / lengths[name]
                for term, count in Counter(document[name]).items():
                    postings[term][at] = postings[term].get(at, 0) + weight * count / norm
        self.size, self.postings = len(rows), {}
        for term, found in postings.items():
            idf = math.log(1 + (self.size - len(found) + 0.5) / (len(found) + 0.5))
            gains = np.array(list(found.values()))
            self.postings[term] = (np.array(list(found)), idf * gains * (K1 + 1) / (gains + K1))

    def terms(self, text):
        found = words(text)
        for word in found:
            if word not in self.stems:
                self.stems[word] = self.stemmer.stemWord(word)
        return [self.stems[word] for word in found if word not in STOP]

    def fields(self, row):
        return {
            "name": self.terms(name_words(row.name)), "description": self.terms(row.description),
            "tags": self.terms(" ".join(row.tags)), "body": self.terms(row.body),
            "examples": self.terms(" ".join(row.examples)),
        }

    def scores(self, query):
        """The score of every document."""
        scores = np.zeros(self.size, np.float32)
        for term in set(self.terms(query)):
            if term in self.postings:
                where, gain = self.postings[term]
                scores[where] += gain
        return scores


def discounted(grades, at=5):
    """The gain of grades in the order of a ranking."""
    return sum(grade / math.log2(rank + 2) for rank, grade in enumerate(grades[:at]))


class Judge:
    """One set with its word scores, ready to judge a vector for each text by nDCG@5."""

    def __init__(self, retrieval_set, queries):
        self.name, rows = retrieval_set.name, retrieval_set.rows
        numbers = {row.id: at for at, row in enumerate(rows)}
        self.answers = [{numbers[r]: g for r, g in retrieval_set.answers[id].items() if g > 0} for id, _ in queries]
        self.queries = [text for _, text in queries]
        self.documents = [document_text(row.name, row.description, row.tags) for row in rows]
        self.examples = [(at, e) for at, row in enumerate(rows) for e in row.examples]
        self.words = self.word_scores(rows, FIELDS)
        self.words_with_examples = self.word_scores(rows, WITH_EXAMPLES) if self.examples else self.words

    def word_scores(self, rows, weights):
        index = Words(rows, weights)
        return np.stack([index.scores(query) for query in self.queries])

    def cosines(self, embed):
        """Every question against every document; where there are examples, half of it is the best example's."""
        queries = embed(self.queries)
        cosines = queries @ embed(self.documents).T
        if not self.examples:
            return cosines
        near = queries @ embed([e for _, e in self.examples]).T
        best = np.full_like(cosines, -1)
        np.maximum.at(best.T, np.array([d for d, _ in self.examples]), near.T)
        return (cosines + best) / 2

    def mean(self, scores):
        """The mean nDCG@5 of rankings."""
        top = np.argpartition(-scores, 5, 1)[:, :5]
        order = np.argsort(-np.take_along_axis(scores, top, 1), 1, kind="stable")
        top = np.take_along_axis(top, order, 1).tolist()
        gains = [discounted([a.get(d, 0) for d in t]) / discounted(sorted(a.values(), reverse=True)) for t, a in zip(top, self.answers)]
        return float(np.mean(gains))

    def report(self, embed):
        """nDCG@5 by the vectors alone, then joined with the words in the ways the model card names."""
        cosines = self.cosines(embed)
        top = self.words / np.maximum(self.words.max(1, keepdims=True), 1e-6)
        found = {"vectors": self.mean(cosines)}
        for share in (0.3, 0.5, 0.7):
            found[f"convex {share}"] = self.mean(share * top + (1 - share) * cosines)
        found["sum"] = self.mean(cosines + WORDS_IN_SUM * self.words)
        found["sum, examples"] = self.mean(cosines + WORDS_IN_SUM * self.words_with_examples)
        return found
