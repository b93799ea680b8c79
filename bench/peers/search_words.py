"""Search by words: BM25 over plain text, BM25F over fields, and SQLite's FTS5.

Each is made of documents (dicts with id, name, description, tags, examples, body) and gives, for a question, a score for
every document, in their order.
"""

import math
import re
import sqlite3
from collections import Counter

import numpy as np
import Stemmer

WORD = re.compile(r"[^\W_]+")
K1, B = 1.2, 0.75
FIELDS = {"name": 2.0, "description": 1.0, "tags": 0.5, "body": 0.15}

stemmer = Stemmer.Stemmer("english")


def plain_words(text):
    return WORD.findall(text.lower())


def stems(text):
    return stemmer.stemWords(plain_words(text))


def text_of(document, field):
    value = document.get(field) or ""
    return value if isinstance(value, str) else " ".join(value)


class Bm25:
    """BM25F: the counts of a word in the fields are weighed, each by its field's length, and saturate together.

    With one field it is BM25."""

    def __init__(self, documents, fields, split):
        self.split, self.size = split, len(documents)
        weighed = [Counter() for _ in documents]
        for field, weight in fields.items():
            counts = [Counter(split(text_of(document, field))) for document in documents]
            lengths = [count.total() for count in counts]
            usual = sum(lengths) / len(lengths) or 1.0
            for into, count, length in zip(weighed, counts, lengths):
                for word, times in count.items():
                    into[word] += weight * times / (1 - B + B * length / usual)
        self.postings = {}
        for place, words in enumerate(weighed):
            for word, times in words.items():
                self.postings.setdefault(word, []).append((place, times / (K1 + times)))
        for word, found in self.postings.items():
            places, parts = zip(*found)
            rarity = math.log(1 + (self.size - len(found) + 0.5) / (len(found) + 0.5))
            self.postings[word] = np.array(places), rarity * np.array(parts)

    def scores(self, question):
        scores = np.zeros(self.size)
        for word in set(self.split(question)):
            if word in self.postings:
                places, parts = self.postings[word]
                scores[places] += parts
        return scores


def plain(documents, fields):
    """BM25 over the fields as one text, words as they are."""
    joined = [{"text": " ".join(text_of(document, field) for field in fields)} for document in documents]
    return Bm25(joined, {"text": 1.0}, plain_words)


def fielded(documents, **more):
    """BM25F, stemmed."""
    return Bm25(documents, FIELDS | more, stems)


class Fts5:
    """SQLite's own full-text search: Porter's stems, its bm25(), a question as words of which any may match."""

    def __init__(self, documents, fields):
        self.size = len(documents)
        self.database = sqlite3.connect(":memory:")
        self.database.execute(f"create virtual table t using fts5({', '.join(fields)}, tokenize = 'porter unicode61')")
        rows = [(place, *(text_of(document, field) for field in fields)) for place, document in enumerate(documents)]
        marks = ", ".join("?" * (len(fields) + 1))
        self.database.executemany(f"insert into t (rowid, {', '.join(fields)}) values ({marks})", rows)

    def scores(self, question):
        scores = np.zeros(self.size)
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(plain_words(question)))
        if words:
            for place, rank in self.database.execute("select rowid, bm25(t) from t where t match ?", (words,)):
                scores[place] = -rank
        return scores
