"""Prepares everything the training and the reports need: texts, vocabulary, vectors, pairs, judges."""

import hashlib
import multiprocessing
import random
from dataclasses import dataclass

import numpy as np
import torch

import table
import texts as makers
from ranking import Judge
from sources import RetrievalSet, Row, in_training_half, read_sets, read_skills, read_wordnet
from teacher import Teacher
from tokenizer import Tokenizer, is_ideograph, words

ROWS = 36_500
TYPED_TEXTS = 400_000
SHARES = {"question": 0.30, "example": 0.08, "trigger": 0.22, "sentence": 0.14, "name": 0.10, "body": 0.10, "wordnet": 0.06, "operation": 0.12}
TEXT_SHARES = {"skills": 0.36, "wordnet": 0.32, "typed": 0.22, "operations": 0.12, "sets": 0.15}
HELD_OUT_SKILLS = "held-out skills"


@dataclass
class Inputs:
    """What was read, before anything is computed."""

    skills: list
    held_out: list
    sets: dict
    synsets: list
    operations: list


def read_inputs(data, wordnet, operations):
    """Skills, sets, WordNet and operations; a twelfth of the skills is kept aside to judge by."""
    skills = read_skills(data / "skill-md-corpus.tar.gz")
    aside = lambda skill: hashlib.sha256(skill.name.lower().encode()).digest()[0] % 12 == 0
    synsets = read_wordnet(wordnet) if wordnet else []
    kept, held_out = [s for s in skills if not aside(s)], [s for s in skills if aside(s)]
    return Inputs(kept, held_out, read_sets(data / "retrieval"), synsets, operations)


def held_out_set(skills):
    """The skills kept aside as a retrieval set: what authors say a skill is for is the question."""
    rows, queries, answers = [], [], {}
    for at, skill in enumerate(skills):
        rows.append(Row(str(at), skill.name, skill.description, skill.tags, [], " ".join(skill.headings)))
        for number, phrase in enumerate((skill.triggers + skill.uses)[:4]):
            if phrase.count(" ") > 1 and phrase.lower() not in skill.description.lower():
                queries.append((f"{at}-{number}", phrase))
                answers[f"{at}-{number}"] = {str(at): 1.0}
    return RetrievalSet(HELD_OUT_SKILLS, rows, queries, answers)


def judges(inputs, half):
    """A judge for each set, over one half of its questions ("training" or "other")."""
    found = {}
    for one in [*inputs.sets.values(), held_out_set(inputs.held_out)]:
        mine = lambda id: id in one.answers and in_training_half(one.name, id) == (half == "training")
        found[one.name] = Judge(one, [query for query in one.queries if mine(query[0])])
    return found


def collect_texts(inputs, seed):
    """All texts to learn from, each with its realm: what it was made of, or its set."""
    chance = random.Random(seed)
    made = {"skills": makers.skill_texts(inputs.skills, chance), "wordnet": makers.wordnet_texts(inputs.synsets)}
    made["operations"] = makers.operation_texts(inputs.operations)
    for realm, found in made.items():
        made[realm] = makers.distinct(found)
    long_enough = [t for found in made.values() for t in found if t.count(" ") > 1]
    made["typed"] = makers.as_typed(long_enough, chance, TYPED_TEXTS)
    made.update((name, makers.set_texts(one)) for name, one in inputs.sets.items())
    realms = {}
    for realm, found in made.items():
        for text in makers.distinct(found):
            realms.setdefault(text, realm)
    return realms


def collect_pairs(inputs, seed):
    """All pairs, and the realm of each."""
    chance = random.Random(seed + 1)
    pairs = [(pair, "skills") for pair in makers.skill_pairs(inputs.skills, chance)]
    pairs += [(pair, "wordnet") for pair in makers.wordnet_pairs(inputs.synsets)]
    pairs += [(pair, "operations") for pair in makers.operation_pairs(inputs.operations, chance)]
    for name, one in inputs.sets.items():
        pairs += [(pair, name) for pair in makers.set_pairs(one, chance)]
    for pair, _ in pairs:
        pair.query, pair.document = pair.query.strip()[: makers.LONGEST], pair.document.strip()[: makers.LONGEST]
    return [(p, realm) for p, realm in pairs if any(map(str.isalnum, p.query)) and any(map(str.isalnum, p.document))]


def thinned(items, scale):
    """Every so many of the items, evenly; all of them at a scale of 1."""
    return list(items) if scale >= 1 else list(items)[:: round(1 / scale)]


def choose_vocabulary(teacher_pieces, inputs, texts):
    """The teacher's pieces that can occur, then the most frequent words it would split."""
    kept = []
    for row, piece in enumerate(teacher_pieces):
        bare = piece[2:] if piece.startswith("##") else piece
        if not piece.startswith("[") and words(bare) == [bare] and not (bare != piece and is_ideograph(bare[0])):
            kept.append((piece, row))
    known = {piece for piece, _ in kept}
    whole = [" ".join([s.name, s.description, s.title, *s.headings, *s.uses, *s.tags, *s.sentences]) for s in inputs.skills]
    sets = [text for text, realm in texts.items() if realm in inputs.sets]
    glosses = [f"{', '.join(names)} {gloss}" for _, names, gloss, _ in inputs.synsets]
    counts = makers.frequent_words(((whole, 2), (sets, 1), (glosses, 1)))
    fresh = [w for w, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
             if w not in known and 2 < len(w) < 25 and w.isascii() and not any(map(str.isdigit, w))]
    return kept, fresh[: ROWS - len(kept)]


_tokenizer = None  # set before the worker processes are forked, so that each has it


def _encode(chunk):
    return [np.array(_tokenizer.encode(text), np.int32) for text in chunk]


def tokenize(vocabulary, texts):
    """The token ids of many texts, on every core."""
    global _tokenizer
    _tokenizer = Tokenizer(vocabulary)
    chunks = [texts[at : at + 20_000] for at in range(0, len(texts), 20_000)]
    with multiprocessing.get_context("fork").Pool() as pool:
        return [tokens for part in pool.map(_encode, chunks) for tokens in part]


class Workshop:
    """Inputs turned into tensors: texts and targets, first rows, pairs with hard negatives."""

    def __init__(self, inputs, teacher_folder, device, recipe, scale=1.0, log=print):
        self.device, self.inputs = device, inputs
        self.teacher = Teacher(teacher_folder, device)
        texts = dict(thinned(collect_texts(inputs, recipe.seed).items(), scale))
        pairs = thinned(collect_pairs(inputs, recipe.seed), scale)
        for pair, realm in pairs:
            texts.setdefault(pair.query, realm)
            texts.setdefault(pair.document, realm)
        kept, fresh = choose_vocabulary(self.teacher.pieces, inputs, texts)
        self.vocabulary = [piece for piece, _ in kept] + fresh
        log(f"{len(texts)} texts, {len(pairs)} pairs, {len(kept)} pieces of the teacher, {len(fresh)} whole words")
        self.texts, self.realm_names = list(texts), list(dict.fromkeys(texts.values()))
        self.bags = table.Bags(tokenize(self.vocabulary, self.texts), device)
        self.usable = self.bags.lengths > 0
        self.realm = torch.tensor([self.realm_names.index(r) for r in texts.values()], device=device)
        log("tokenized")
        self.set_up_targets(kept, fresh, recipe, log)
        self.set_up_pairs(pairs)
        log("pairs with hard negatives")

    def set_up_targets(self, kept, fresh, recipe, log):
        vectors = self.teacher.encode(self.texts)
        sample = torch.randperm(len(vectors), generator=torch.Generator().manual_seed(recipe.seed))[:200_000]
        directions = table.main_directions(vectors[sample].to(self.device))
        self.targets = torch.cat([(part.to(self.device).float() @ directions).half() for part in vectors.split(100_000)])
        share = float(self.targets[sample.to(self.device)].float().square().sum(1).mean())
        log(f"teacher's vectors; {share:.3f} of their variance kept")
        alone = torch.cat((self.teacher.encode_pieces([row for _, row in kept]), self.teacher.encode(fresh)))
        self.first = alone.to(self.device).float() @ directions * table.frequency_weights(self.bags, len(alone))[:, None]

    def set_up_pairs(self, pairs):
        number = {text: at for at, text in enumerate(self.texts)}
        usable = self.usable.tolist()
        rows = [(number[p.query], number[p.document], p, realm) for p, realm in pairs]
        rows = [row for row in rows if usable[row[0]] and usable[row[1]] and row[0] != row[1]]
        groups = {}
        column = lambda values: torch.tensor(list(values), device=self.device)
        self.query, self.document = column(r[0] for r in rows), column(r[1] for r in rows)
        self.group = column(groups.setdefault(r[2].group, len(groups)) for r in rows)
        self.pair_realm = column(self.realm_names.index(r[3]) for r in rows)
        self.source = column(list(SHARES).index(r[2].source) for r in rows)
        self.known = table.pair_keys(self.query, self.document).unique()
        self.near = table.hard_negatives(self.document, self.group, self.pair_realm, self.targets)

    def numbers(self, names):
        return torch.tensor([self.realm_names.index(name) for name in names], device=self.device, dtype=torch.long)

    def text_chances(self, left_out, shares=TEXT_SHARES):
        """How likely each text is drawn; the texts of the sets left out never are."""
        chance = torch.zeros(len(self.texts), device=self.device)
        sets = [name for name in self.inputs.sets if name not in left_out]
        for realm, share in shares.items():
            here = self.usable & torch.isin(self.realm, self.numbers(sets if realm == "sets" else [realm] if realm in self.realm_names else []))
            if here.any():
                chance[here] = share / float(here.sum())
        return chance

    def pairs_without(self, left_out, shares=SHARES):
        """The pairs to learn from, each source drawn by its share, larger sets of a source somewhat more."""
        allowed = ~torch.isin(self.pair_realm, self.numbers(left_out))
        chance = torch.zeros(len(self.query), device=self.device)
        for source, share in enumerate(shares.values()):
            mine = allowed & (self.source == source)
            parts = [mine & (self.pair_realm == realm) for realm in self.pair_realm[mine].unique()]
            total = sum(float(part.sum()) ** 0.5 for part in parts)
            for part in parts:
                size = float(part.sum())
                chance[part] = share * size**0.5 / total / size
        return table.Pairs(self.query, self.document, self.group, chance, self.near, self.known)
