"""Turns the inputs into short texts for the regression and into pairs for the contrastive step."""

import re
from collections import Counter
from dataclasses import dataclass

from sources import in_training_half
from tokenizer import split_identifiers, words

LONGEST = 1200
QUOTED = re.compile(r'["“\']([^"”\']{6,90})["”\']')
OPENINGS = (
    "how do i {}", "how to {}", "can you {}", "i want to {}", "i need to {}", "help me {}", "please {}",
    "is there a tool to {}", "i need help with {}", "could you help me {}", "{} please", "what can i use to {}",
    "{} for my project", "I'm looking for a way to {}", "show me {}", "find {}", "what is {}", "I need {}",
)


@dataclass
class Pair:
    """A question, the text of the document that answers it, and where both come from."""

    query: str
    document: str
    source: str
    group: str


def name_words(name):
    """A name as its words: `httpServer_v2` becomes `http Server v2`."""
    return " ".join(re.split(r"[\W_]+", split_identifiers(name))).strip()


def document_text(name, description, tags):
    """The text a document is embedded by."""
    return ". ".join(part for part in (name_words(name), description, ", ".join(tags[:12])) if part)


def sentences_of(text):
    """The sentences of a description."""
    return [s for s in re.split(r"(?<=[.!?;])\s+", text) if len(s) > 8]


def skill_texts(skills, chance):
    """Names, descriptions, their parts, headings, uses and body sentences of skills."""
    texts = []
    for skill in skills:
        texts += [name_words(skill.name), skill.description, skill.title, *skill.triggers, *skill.uses, *skill.tags]
        texts.append(document_text(skill.name, skill.description, skill.tags))
        texts += sentences_of(skill.description)
        texts += re.split(r"[,;:.()]\s+", skill.description)
        texts += QUOTED.findall(skill.description)
        texts += chance.sample(skill.headings, min(25, len(skill.headings)))
        texts += chance.sample(skill.sentences, min(90, len(skill.sentences)))
    return texts


def wordnet_texts(synsets):
    """Words, glosses and example sentences."""
    texts = []
    for _, names, gloss, examples in synsets:
        texts += [name for name in names if name.count(" ") < 3]
        texts += [gloss, *examples, f"{names[0]}: {gloss}"]
    return texts


def operation_texts(operations):
    """Names, descriptions and meanings of parameters of operations."""
    texts = []
    for one in operations:
        texts += [name_words(one.name), one.description, *sentences_of(one.description), *one.parameters]
        texts.append(document_text(f"{one.service} {one.name}", one.description, []))
    return texts


def imperative(verb):
    """`creates` as `create`, `publishes` as `publish`, `applies` as `apply`."""
    return re.sub(r"(?<=sh|ch|ss)es$|(?<=x)es$|s$", "", re.sub(r"ies$", "ys", verb))


def operation_pairs(operations, chance):
    """What an operation does, asked for as a person would, against its name and the rest of its description."""
    pairs = []
    for one in operations:
        group = f"operation/{one.service}/{name_words(one.name).lower()}"
        parts = sentences_of(one.description)
        verb, _, rest = parts[0].rstrip(".").partition(" ") if parts else ("", "", "")
        if rest and re.fullmatch(r"[A-Z][a-z]+[a-rt-z]s", verb) and verb != "This":
            wish = f"{imperative(verb.lower())} {rest}"
            asked = chance.choice(OPENINGS).format(wish) if chance.random() < 0.6 else wish
            pairs.append(Pair(asked, document_text(f"{one.service} {one.name}", " ".join(parts[1:]), []), "operation", group))
        pairs.append(Pair(f"{one.service} {name_words(one.name)}", one.description, "operation", group))
    return pairs


def set_texts(retrieval_set):
    """Documents and training questions of a retrieval set."""
    texts = []
    for row in retrieval_set.rows:
        texts += [name_words(row.name), row.description, document_text(row.name, row.description, row.tags)]
        texts += row.examples
    texts += [text for id, text in retrieval_set.queries if in_training_half(retrieval_set.name, id)]
    return texts


def as_typed(texts, chance, count):
    """Short questions as people type them: pieces of texts, with and without an opening."""
    made = []
    while len(made) < count:
        parts = chance.choice(texts).split()
        length = chance.randint(2, 12)
        start = chance.randrange(max(1, len(parts) - length + 1))
        cut = parts[start : start + length]
        kind = chance.random()
        if kind < 0.2:
            cut = chance.sample(cut, min(len(cut), chance.randint(2, 5)))
        text = " ".join(cut).strip(".,;:")
        if 0.2 <= kind < 0.6:
            text = chance.choice(OPENINGS).format(text[:1].lower() + text[1:])
        made.append(text.lower() if chance.random() < 0.5 else text)
    return made


def distinct(texts):
    """The texts once each, in order, those without a word left out."""
    return list(dict.fromkeys(t for t in (text.strip()[:LONGEST] for text in texts) if t and any(map(str.isalnum, t))))


def skill_pairs(skills, chance):
    """What authors say a skill is for, against its name and description without that part."""
    common = Counter(heading.lower() for skill in skills for heading in set(skill.headings))
    pairs = []
    for skill in skills:
        whole = document_text(skill.name, skill.description, skill.tags)
        add = lambda query, document, source: pairs.append(Pair(query, document, source, skill.path))
        parts = sentences_of(skill.description)
        for part in parts:
            rest = " ".join(other for other in parts if other is not part)
            if len(rest) > 30 and part.count(" ") > 2:
                plain = re.sub(r"^(also )?(use|trigger|activate|invoke|load)s?( this( skill)?)? (when|for|on|to|if|whenever)( the user| users| you| asked)?\b( wants?| needs?| asks?)?( to| for| about)?:?", "", part, flags=re.I)
                add(plain.strip() or part, document_text(skill.name, rest, skill.tags), "sentence")
        for phrase in QUOTED.findall(skill.description):
            if phrase.count(" "):
                without = skill.description.replace(phrase, " ")
                add(phrase, document_text(skill.name, chance.choice((without, skill.description)), skill.tags), "trigger")
        for phrase in skill.triggers + skill.uses:
            add(phrase, whole, "trigger")
        if skill.tags:
            add(" ".join(skill.tags[:6]), document_text(skill.name, skill.description, []), "name")
        add(name_words(skill.name), skill.description, "name")
        if skill.title:
            add(skill.title, chance.choice((skill.description, whole)), "name")
        for heading in skill.headings:
            if common[heading.lower()] < 3 and 1 < heading.count(" ") < 12:
                add(heading, whole, "body")
        for sentence in chance.sample(skill.sentences, min(12, len(skill.sentences))):
            add(sentence, whole, "body")
    return pairs


def set_pairs(retrieval_set, chance):
    """Examples and training questions of a set against its documents."""
    pairs, name = [], retrieval_set.name
    rows = {row.id: row for row in retrieval_set.rows}
    for row in retrieval_set.rows:
        group = f"{name}/{row.id}"
        whole = document_text(row.name, row.description, row.tags)
        for example in row.examples:
            pairs.append(Pair(example, whole, "question", group))
            other = chance.choice(row.examples)
            if other is not example:
                pairs.append(Pair(example, other, "example", group))
        if row.description:
            pairs.append(Pair(name_words(row.name), row.description, "name", group))
    for id, text in retrieval_set.queries:
        if in_training_half(name, id):
            for answer in retrieval_set.answers.get(id, ()):
                row = rows[answer]
                whole = document_text(row.name, row.description, row.tags)
                pairs.append(Pair(text, whole, "question", f"{name}/{answer}"))
                if row.examples:
                    pairs.append(Pair(text, chance.choice(row.examples), "example", f"{name}/{answer}"))
    return pairs


def wordnet_pairs(synsets):
    """Words against their gloss, example sentences against their gloss."""
    pairs = []
    for at, (_, names, gloss, examples) in enumerate(synsets):
        if len(gloss) > 15:
            pairs.append(Pair(", ".join(names[:4]), gloss, "wordnet", f"wordnet/{at}"))
            pairs += [Pair(example, f"{', '.join(names[:3])}: {gloss}", "wordnet", f"wordnet/{at}") for example in examples[:2]]
    return pairs


def frequent_words(texts_by_weight):
    """How many documents each word is in, over (texts, weight) groups."""
    counts = Counter()
    for texts, weight in texts_by_weight:
        for text in texts:
            for word in set(words(text)):
                counts[word] += weight
    return counts
