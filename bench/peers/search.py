"""What our search is measured against: `search.py rank FOLDER` ranks, `search.py serve FOLDER` is timed.

rank reads FOLDER/questions.json, {set: {"documents": [...], "questions": [{"id", "text", "candidates"}]}}; without
candidates all documents are. It writes FOLDER/rankings.json, a list of {"method", "share_of_words", "examples",
"rankings"}, with rankings {set: {question: [[document, score], ...]}}, best first: each method with and without the
example prompts, the joined one with several shares.

serve reads FOLDER/vectors.f32 and FOLDER/questions.f32 (unit vectors of 256 numbers) and FOLDER/questions.txt. Its first
line of output says what is there; then, for each line {"with": name, "question": number}, the milliseconds it took.
"""

import json
import os
import sys
import time
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["ANONYMIZED_TELEMETRY"] = "False"

import numpy as np  # noqa: E402

from search_minilm import MiniLM  # noqa: E402
from search_words import Fts5, fielded, plain, text_of  # noqa: E402

MOST = 10
SHARES = (0.3, 0.5, 0.7)
DIMENSIONS = 256


def own_text(document):
    """What MiniLM reads of a document."""
    parts = [text_of(document, field) for field in ("name", "description", "tags")]
    return ". ".join(part for part in parts if part)


class Meaning:
    """The cosine with each document: with its own text, or with that or the best of its example prompts."""

    def __init__(self, model, documents):
        self.model = model
        self.own = model.encode([own_text(document) for document in documents])
        self.owners = [place for place, document in enumerate(documents) for _ in document["examples"]]
        examples = [example for document in documents for example in document["examples"]]
        self.examples = model.encode(examples) if examples else None

    def scores(self, vector, with_examples):
        scores = self.own @ vector
        if with_examples and self.examples is not None:
            scores = scores.copy()
            np.maximum.at(scores, self.owners, self.examples @ vector)
        return scores


def normalised(scores):
    return np.maximum(scores, 0) / max(scores.max(initial=0), 1e-9)


def best(documents, places, scores):
    """The best with a score above nothing; of equals the earlier."""
    order = np.argsort(-scores, kind="stable")[:MOST]
    return [[documents[places[at]]["id"], float(scores[at])] for at in order if scores[at] > 0]


def word_methods(documents):
    """By name and whether example prompts count."""
    pair = ["name", "description"]
    return {
        ("BM25 plain", False): plain(documents, pair),
        ("BM25 plain", True): plain(documents, [*pair, "examples"]),
        ("SQLite FTS5 bm25", False): Fts5(documents, pair),
        ("SQLite FTS5 bm25", True): Fts5(documents, [*pair, "examples"]),
        ("BM25F", False): fielded(documents),
        ("BM25F", True): fielded(documents, examples=1.0),
    }


def all_scores(text, vector, by_words, meaning, chosen):
    """The scores of the chosen documents, by method, share of the words and whether example prompts count."""
    scores = {(name, None, examples): by.scores(text)[chosen] for (name, examples), by in by_words.items()}
    for examples in (False, True):
        near = meaning.scores(vector, examples)[chosen]
        scores["all-MiniLM-L6-v2", None, examples] = near
        words, near = normalised(scores["BM25F", None, examples]), normalised(near)
        for share in SHARES:
            scores["MiniLM + BM25F", share, examples] = share * words + (1 - share) * near
    return scores


def rank(folder):
    sets = json.loads((folder / "questions.json").read_text())
    model = MiniLM()
    rankings = {}
    for name, content in sets.items():
        documents, questions = content["documents"], content["questions"]
        places = {document["id"]: place for place, document in enumerate(documents)}
        vectors = model.encode([question["text"] for question in questions])
        by_words, meaning = word_methods(documents), Meaning(model, documents)
        for question, vector in zip(questions, vectors):
            candidates = question["candidates"]
            chosen = range(len(documents)) if candidates is None else [places[id] for id in candidates]
            chosen = np.array(chosen, int)
            for key, scores in all_scores(question["text"], vector, by_words, meaning, chosen).items():
                found = rankings.setdefault(key, {}).setdefault(name, {})
                found[question["id"]] = best(documents, chosen, scores)
    rows = [
        {"method": method, "share_of_words": share, "examples": examples, "rankings": found}
        for (method, share, examples), found in rankings.items()
    ]
    (folder / "rankings.json").write_text(json.dumps(rows))


class SqliteVec:
    """sqlite-vec: every vector is looked at, in C with SIMD; the database is in memory."""

    def __init__(self, vectors):
        import apsw  # many a Python's own sqlite3 cannot load extensions
        import sqlite_vec

        self.database = apsw.Connection(":memory:")
        self.database.enable_load_extension(True)
        self.database.load_extension(sqlite_vec.loadable_path())
        self.database.execute(f"create virtual table t using vec0(v float[{DIMENSIONS}] distance_metric=cosine)")
        rows = ((place, vector.tobytes()) for place, vector in enumerate(vectors))
        with self.database:
            self.database.executemany("insert into t (rowid, v) values (?, ?)", rows)

    def search(self, vector):
        rows = self.database.execute("select rowid from t where v match ? and k = ?", (vector.tobytes(), MOST))
        return [row[0] for row in rows]


class LanceDb:
    """LanceDB without an index: every vector is looked at; the table is in memory."""

    def __init__(self, vectors):
        import lancedb
        import pyarrow

        flat = pyarrow.array(vectors.reshape(-1))
        column = pyarrow.FixedSizeListArray.from_arrays(flat, DIMENSIONS)
        table = pyarrow.table({"id": np.arange(len(vectors)), "vector": column})
        self.table = lancedb.connect("memory://").create_table("t", table)

    def search(self, vector):
        search = self.table.search(vector).distance_type("cosine").select(["id", "_distance"]).limit(MOST)
        return search.to_arrow()["id"].to_pylist()


class Chroma:
    """Chroma in memory, as it is set up by default: an HNSW graph, so not every vector is looked at."""

    def __init__(self, vectors):
        import chromadb

        client = chromadb.EphemeralClient()
        configuration = {"hnsw": {"space": "cosine"}}
        self.collection = client.create_collection("skills", configuration=configuration, embedding_function=None)
        for start in range(0, len(vectors), 5_000):
            some = vectors[start : start + 5_000]
            self.collection.add(ids=[str(start + place) for place in range(len(some))], embeddings=some)

    def search(self, vector):
        found = self.collection.query(query_embeddings=[vector], n_results=MOST, include=["distances"])
        return [int(id) for id in found["ids"][0]]


def fastest_minilm(texts):
    """With one thread or as many as onnxruntime likes: what is faster on this machine."""
    timed = []
    for threads in (1, 0):
        model = MiniLM(threads)
        took = []
        for text in texts[:40]:
            began = time.perf_counter()
            model.encode_one(text)
            took.append(time.perf_counter() - began)
        timed.append((sorted(took)[len(took) // 2], threads, model))
    return min(timed, key=lambda row: row[:2])[2]


def serve(folder):
    read = lambda name: np.fromfile(folder / name, "<f4").reshape(-1, DIMENSIONS)
    vectors, questions = read("vectors.f32"), read("questions.f32")
    texts = (folder / "questions.txt").read_text().splitlines()
    model = fastest_minilm(texts)
    asked = {"minilm": lambda number: model.encode_one(texts[number % len(texts)])}
    about = {"recall": {}, "filled_s": {}, "failed": {}}
    truth = np.argsort(-(questions[:100] @ vectors.T), axis=1)[:, :MOST]
    for name, kind in {"sqlite_vec": SqliteVec, "lancedb": LanceDb, "chroma": Chroma}.items():
        try:
            began = time.perf_counter()
            peer = kind(vectors)
            about["filled_s"][name] = time.perf_counter() - began
            right = [len(set(peer.search(vector)) & set(row)) for vector, row in zip(questions, truth)]
            about["recall"][name] = sum(right) / (MOST * len(right))
            asked[name] = lambda number, peer=peer: peer.search(questions[number % len(questions)])
        except Exception as error:  # noqa: BLE001: a peer that does not work here is left out, whatever the reason
            about["failed"][name] = f"{type(error).__name__}: {error}"
    print(json.dumps(about), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        began = time.perf_counter()
        asked[request["with"]](request["question"])
        print((time.perf_counter() - began) * 1000, flush=True)


if __name__ == "__main__":
    {"rank": rank, "serve": serve}[sys.argv[1]](Path(sys.argv[2]))
