"""Makes the embedding table of the search crate: reads, asks the teacher, trains, writes, reports.

Run it by `make embedding`; embedding/README.md says what goes in and what came out.
"""

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np
import torch

import table
from golden import golden_cases
from sources import read_operations
from teacher import teacher_folder
from tokenizer import Tokenizer
from workshop import Workshop, judges, read_inputs

REPOSITORY = Path(__file__).resolve().parent.parent


def first_step(shop, recipe, log=print):
    """The table after the regression, which sees no text of any retrieval set."""
    return table.regress(shop.first, shop.bags, shop.targets, shop.text_chances(shop.inputs.sets), recipe, log)


def second_step(shop, start, recipe, left_out=(), log=print):
    """The table after the contrastive step, some sets left out altogether."""
    return table.contrast(start, shop.bags, shop.targets, shop.text_chances(left_out), shop.pairs_without(left_out), recipe, log)


def stored(weights):
    """The rows as they will be read back from the file."""
    scales, numbers = table.quantize(weights)
    return torch.from_numpy(numbers.astype(np.float32) * scales[:, None])


def embedder(rows, tokenizer):
    """A function from texts to their vectors, each text computed once."""
    rows, known = rows.numpy(), {}

    def embed(texts):
        for text in texts:
            if text not in known:
                vector = table.embed_text(rows, tokenizer, text)
                known[text] = np.zeros(rows.shape[1], np.float32) if vector is None else vector
        return np.stack([known[text] for text in texts])

    return embed


def print_report(title, found):
    """A table of nDCG@5: a line a set, a column a way to rank."""
    columns = list(next(iter(found.values())))
    print(f"\n{title}\n| set | {' | '.join(columns)} |\n|---{'|---' * len(columns)}|")
    mean = {column: float(np.mean([row[column] for row in found.values()])) for column in columns}
    for name, row in [*found.items(), ("mean", mean)]:
        print(f"| {name} | " + " | ".join(f"{row[column]:.3f}" for column in columns) + " |")


def report(shop, rows, start, recipe):
    """The questions never trained on, by this table and by tables that never saw their set."""
    halves = judges(shop.inputs, "other")
    tokenizer = Tokenizer(shop.vocabulary)
    teacher = lambda texts: shop.teacher.encode(texts).float().numpy()
    mine = embedder(rows, tokenizer)
    print_report("teacher", {name: judge.report(teacher) for name, judge in halves.items()})
    print_report("table", {name: judge.report(mine) for name, judge in halves.items()})
    left = {}
    for name in shop.inputs.sets:
        without = stored(second_step(shop, start, recipe, [name], log=lambda _: None))
        left[name] = halves[name].report(embedder(without, tokenizer))
    print_report("table that never saw the set", left)


def write(out, vocabulary, weights):
    """The table, its vocabulary and the cases that other implementations are tested by."""
    out.mkdir(parents=True, exist_ok=True)
    table.write_table(out / "embedding.bin", *table.quantize(weights))
    cases = golden_cases(table.read_table(out / "embedding.bin"), Tokenizer(vocabulary))
    for name, text in (("vocab.txt", "\n".join(vocabulary) + "\n"), ("golden.json", json.dumps(cases, ensure_ascii=False, indent=1) + "\n")):
        (out / f"{name}.new").write_text(text, encoding="utf-8")
        os.replace(out / f"{name}.new", out / name)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=REPOSITORY.parent / "shared" / "data", help="folder with skill-md-corpus.tar.gz and retrieval/")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), help="folder with WordNet's data.noun, data.verb, data.adj, data.adv")
    parser.add_argument("--operations", type=Path, help="a prepared list of API operations instead of the installed packages")
    parser.add_argument("--teacher", type=Path, help="folder of the teacher instead of the installed package")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "crates" / "search" / "model")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the texts, pairs and steps, for a quick trial")
    parser.add_argument("--report", action="store_true", help="also measure, and train once more without each set")
    return parser.parse_args()


def main():
    options, began = arguments(), time.time()
    log = lambda what: print(f"{time.time() - began:7.1f}s {what}", flush=True)
    if not (options.data / "skill-md-corpus.tar.gz").exists():
        raise SystemExit(f"no training data in `{options.data}`; name its folder with --data")
    has_wordnet = any(options.wordnet.glob("data.noun*"))
    if not has_wordnet:
        log(f"no WordNet in `{options.wordnet}` (Debian: wordnet-base); going on without it, the table will differ")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    recipe = table.Recipe().scaled(options.scale)
    inputs = read_inputs(options.data, options.wordnet if has_wordnet else None, read_operations(options.operations))
    shop = Workshop(inputs, options.teacher or teacher_folder(), device, recipe, options.scale, log)
    start = first_step(shop, recipe, log)
    weights = second_step(shop, start, recipe, log=log)
    write(options.out, shop.vocabulary, weights)
    log(f"written to `{options.out}`")
    if options.report:
        report(shop, stored(weights), start, recipe)


if __name__ == "__main__":
    main()
