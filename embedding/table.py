"""The table itself: its first rows, the two training steps, and its file."""

import os
import struct
from dataclasses import dataclass, replace

import numpy as np
import torch
import torch.nn.functional as F

DIMENSIONS = 256
MAGIC = b"RPTEMB01"


@dataclass
class Recipe:
    """Every number of the training."""

    seed: int = 20261115
    regression_steps: int = 4000
    regression_batch: int = 4096
    regression_rate: float = 2e-3
    relation_weight: float = 1.0
    pair_steps: int = 2000
    pair_batch: int = 1024
    pair_rate: float = 5e-4
    temperature: float = 0.05
    pull: float = 1.0
    margin: float = 0.15

    def scaled(self, scale):
        """The same recipe with a share of its steps."""
        steps = {name: max(1, round(getattr(self, name) * scale)) for name in ("regression_steps", "pair_steps")}
        return replace(self, **steps)


class Bags:
    """Token ids of many texts, laid end to end on the device."""

    def __init__(self, token_lists, device):
        lengths = np.array([len(tokens) for tokens in token_lists], np.int64)
        flat = np.concatenate([np.asarray(tokens, np.int32) for tokens in token_lists])
        self.ids = torch.from_numpy(flat).to(device)
        self.lengths = torch.from_numpy(lengths).to(device)
        self.starts = torch.cumsum(self.lengths, 0) - self.lengths

    def gather(self, rows):
        """The ids of some texts, and where each text begins among them."""
        lengths = self.lengths[rows]
        offsets = torch.cumsum(lengths, 0) - lengths
        shift = torch.repeat_interleave(self.starts[rows] - offsets, lengths)
        return self.ids[torch.arange(len(shift), device=shift.device) + shift], offsets

    def embed(self, weights, rows):
        """The unit vectors of some texts."""
        ids, offsets = self.gather(rows)
        return F.normalize(F.embedding_bag(ids, weights, offsets.to(ids.dtype), mode="sum"), dim=1)


def main_directions(vectors, dimensions=DIMENSIONS):
    """The projection that keeps most of the teacher's cosines."""
    square = vectors.float().T @ vectors.float()
    _, basis = torch.linalg.eigh(square.double())
    return basis[:, -dimensions:].flip(1).float()


def frequency_weights(bags, rows):
    """A weight a token, small for the frequent ones (SIF)."""
    counts = torch.bincount(bags.ids.long(), minlength=rows).float() + 1
    share = counts / counts.sum()
    return 1e-3 / (1e-3 + share)


def schedule(step, steps, warm=100):
    """The learning rate's share: up quickly, then down along a cosine."""
    return min(1.0, (step + 1) / warm) * 0.5 * (1 + np.cos(np.pi * step / steps))


def relation_loss(student, teacher, temperature=0.05):
    """How far the neighbourhoods within a batch differ from the teacher's."""
    apart = torch.eye(len(student), device=student.device, dtype=torch.bool)
    target = (teacher @ teacher.T / temperature).masked_fill(apart, -1e4).softmax(1)
    found = (student @ student.T / temperature).masked_fill(apart, -1e4).log_softmax(1)
    return F.kl_div(found, target, reduction="batchmean")


def draw(chances, steps, size):
    """Row numbers for every step, drawn by their chances."""
    return torch.multinomial(chances, steps * size, replacement=True).view(steps, size)


def regress(start, bags, targets, chances, recipe, log=print):
    """Step A: pulls the vectors of texts to the teacher's."""
    torch.manual_seed(recipe.seed)
    weights = start.clone().requires_grad_()
    optimizer = torch.optim.Adam([weights], lr=recipe.regression_rate, betas=(0.9, 0.99), fused=True)
    draws = draw(chances, recipe.regression_steps, recipe.regression_batch)
    for step in range(recipe.regression_steps):
        optimizer.param_groups[0]["lr"] = recipe.regression_rate * schedule(step, recipe.regression_steps)
        chosen = draws[step]
        target = F.normalize(targets[chosen].float(), dim=1)
        found = bags.embed(weights, chosen)
        loss = (1 - (found * target).sum(1)).mean()
        loss = loss + recipe.relation_weight * relation_loss(found[:1024], target[:1024])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 1000 == 0 or step + 1 == recipe.regression_steps:
            log(f"regression step {step}: {loss.item():.4f}")
    return weights.detach()


@dataclass
class Pairs:
    """Pairs as rows of the texts: question, document, group, chance of being drawn, hard negatives, known answers."""

    query: torch.Tensor
    document: torch.Tensor
    group: torch.Tensor
    chance: torch.Tensor
    near: torch.Tensor
    known: torch.Tensor

    def answers(self, query, document):
        """Which of these documents answer which of these questions."""
        keys = pair_keys(query[:, None], document[None])
        return self.known[torch.searchsorted(self.known, keys).clamp(max=len(self.known) - 1)] == keys


def pair_keys(query, document):
    """One number for a question and a document."""
    return query * (1 << 32) + document


def contrast(start, bags, targets, chances, pairs, recipe, log=print):
    """Step B: questions nearer to their documents than to others, without leaving the teacher."""
    torch.manual_seed(recipe.seed + 1)
    weights = start.clone().requires_grad_()
    optimizer = torch.optim.Adam([weights], lr=recipe.pair_rate, betas=(0.9, 0.99), fused=True)
    draws = draw(chances, recipe.pair_steps, 2 * recipe.pair_batch)
    drawn = draw(pairs.chance, recipe.pair_steps, recipe.pair_batch)
    for step in range(recipe.pair_steps):
        optimizer.param_groups[0]["lr"] = recipe.pair_rate * schedule(step, recipe.pair_steps)
        loss = pair_loss(weights, bags, targets, pairs, drawn[step], recipe)
        chosen = draws[step]
        target = F.normalize(targets[chosen].float(), dim=1)
        found = bags.embed(weights, chosen)
        loss = loss + recipe.pull * (1 - (found * target).sum(1)).mean()
        loss = loss + recipe.relation_weight * relation_loss(found[:1024], target[:1024])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 1000 == 0 or step + 1 == recipe.pair_steps:
            log(f"pairs step {step}: {loss.item():.4f}")
    return weights.detach()


def pair_loss(weights, bags, targets, pairs, drawn, recipe):
    """Cross entropy over the documents of the batch and one hard negative a pair."""
    query, document, group = pairs.query[drawn], pairs.document[drawn], pairs.group[drawn]
    pick = torch.randint(pairs.near.shape[1], (len(drawn),), device=drawn.device)
    near = pairs.near[drawn, pick]
    candidates, groups = torch.cat((document, pairs.document[near])), torch.cat((group, pairs.group[near]))
    asked = bags.embed(weights, query)
    offered = bags.embed(weights, candidates)
    logits = asked @ offered.T / recipe.temperature
    teacher_query, teacher_offer = (F.normalize(targets[r].float(), dim=1) for r in (query, candidates))
    agreed = teacher_query @ teacher_offer.T
    own = torch.arange(len(drawn), device=drawn.device)
    same = (group[:, None] == groups[None]) | pairs.answers(query, candidates)
    same |= agreed > agreed[own, own][:, None].clamp(min=0.3) + recipe.margin
    same |= teacher_offer[: len(drawn)] @ teacher_offer.T > 0.9
    same[own, own] = False
    logits = logits.masked_fill(same, -1e4)
    return F.cross_entropy(logits, own) + 0.3 * F.cross_entropy(logits[:, : len(drawn)].T, own)


def hard_negatives(documents, groups, realms, targets, count=24, skip=2):
    """For each pair, pairs of its own realm whose documents the teacher finds near."""
    near = torch.zeros(len(documents), count, dtype=torch.long, device=documents.device)
    for realm in realms.unique():
        members = (realms == realm).nonzero()[:, 0]
        first = {}
        for at, row in zip(members.tolist(), documents[members].tolist()):
            first.setdefault(row, at)
        keys = torch.tensor(list(first.values()), device=documents.device)
        offered = F.normalize(targets[documents[keys]].float(), dim=1).half()
        for part in members.split(4096):
            own = F.normalize(targets[documents[part]].float(), dim=1).half()
            likeness = (own @ offered.T).float()
            likeness[groups[part][:, None] == groups[keys][None]] = -1
            width = min(count + skip, len(keys))
            found = keys[likeness.topk(width, 1).indices[:, min(skip, width - 1) :]]
            near[part] = found[:, torch.arange(count, device=found.device) % found.shape[1]]
    return near


def quantize(weights):
    """Rows as int8 with one scale each."""
    weights = weights.float().cpu().numpy()
    scales = np.maximum(np.abs(weights).max(1) / 127, 1e-12).astype("<f4")
    return scales, np.clip(np.rint(weights / scales[:, None]), -127, 127).astype(np.int8)


def write_table(path, scales, numbers):
    """The file the search crate reads, put in place in one step."""
    with open(f"{path}.new", "wb") as file:
        file.write(MAGIC + struct.pack("<II", *numbers.shape))
        file.write(scales.tobytes() + numbers.tobytes())
    os.replace(f"{path}.new", path)


def read_table(path):
    """The rows of a table's file as floats."""
    data = open(path, "rb").read()
    rows, dimensions = struct.unpack_from("<II", data, 8)
    scales = np.frombuffer(data, "<f4", rows, 16)
    numbers = np.frombuffer(data, np.int8, rows * dimensions, 16 + 4 * rows).reshape(rows, dimensions)
    return numbers.astype(np.float32) * scales[:, None]


def embed_text(rows, tokenizer, text):
    """The vector of one text as the search crate computes it, or nothing."""
    tokens = tokenizer.encode(text)
    total = rows[tokens].sum(0, dtype=np.float32)
    length = np.sqrt((total * total).sum(dtype=np.float32))
    return total / length if tokens and length > 0 else None
