"""Writes the sets and questions that the ranking is fitted on, as JSON lines for the example `features` of the search crate.

The questions are those the table was not trained on. Besides the retrieval sets there is one of real skills: those that
were left out of training, asked for by phrases of their own descriptions and "when to use" lists, which are taken out of
the skills first. Of each set's neighbour some questions are asked too: nothing here answers them.
"""

import argparse
import gzip
import hashlib
import json
import random
import re
import sys
import tarfile
from pathlib import Path

import sources
import texts

FOREIGN = 150
USE = re.compile(
    r"^(also )?(use|trigger|activate|invoke|load)s?( this( skill)?| it)? (when|for|on|to|if|whenever)"
    r"( the user| users| you| asked)?\b( wants?| needs?| asks?| says?| mentions?)?( to| for| about)?:?",
    re.I,
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parent.parent.parent / "shared" / "data")
    options = parser.parse_args()
    sets = {name: of_set(one, options.data) for name, one in sources.read_sets(options.data / "retrieval").items()}
    sets["skills"] = of_skills(options.data / "skill-md-corpus.tar.gz")
    for name, (skills, _) in sets.items():
        write({"set": name, "skills": skills})
    names = list(sets)
    for place, name in enumerate(names):
        for question in sets[name][1]:
            write({"set": name, "kind": "own" if question["right"] else "none", **question})
        neighbour = names[(place + 3) % len(names)]
        for question in sets[neighbour][1][:FOREIGN]:
            foreign = {"query": f"{neighbour}/{question['query']}", "text": question["text"], "right": {}, "pool": None}
            write({"set": name, "kind": "foreign", **foreign})


def write(line):
    json.dump(line, sys.stdout)
    sys.stdout.write("\n")


def of_set(one, data):
    """The skills of a retrieval set and its questions of the half that is for reports."""
    skills = [
        dict(id=row.id, name=row.name, description=row.description, tags=row.tags, examples=row.examples, body=row.body)
        for row in one.rows
    ]
    with gzip.open(data / "retrieval" / one.name / "queries.jsonl.gz", "rt", encoding="utf-8") as file:
        pools = {query["id"]: query.get("pool") for query in map(json.loads, file)}
    questions = []
    for query, text in one.queries:
        if not sources.in_training_half(one.name, query):
            right = one.answers.get(query, {})
            # Only where nothing answers it do the candidates have to be those of the question.
            questions.append(dict(query=query, text=text, right=right, pool=None if right else pools[query]))
    return skills, questions


def of_skills(archive):
    """Real skills that no training has seen, and phrases of their authors."""
    chance, skills, questions, names = random.Random(7), [], [], set()
    bodies = dict(read_bodies(archive))
    for skill in sources.read_skills(archive):
        aside = hashlib.sha256(skill.name.lower().encode()).digest()[0] % 12 == 0
        if not aside or skill.name.lower() in names or len(skill.description) < 40:
            continue
        names.add(skill.name.lower())
        phrases, description = ask_for(skill, chance)
        body = bodies[skill.path]
        for phrase in [*phrases, *skill.uses]:
            body = body.replace(phrase, " ")
        skills.append(
            dict(id=skill.path, name=skill.name, description=description, tags=skill.tags, examples=[], body=body)
        )
        for number, phrase in enumerate(phrases[:4]):
            query = f"{skill.path}-{number}"
            questions.append(dict(query=query, text=phrase, right={skill.path: 1.0}, pool=None))
    # What two skills are asked for by tells nothing about either.
    asked = [question["text"].lower() for question in questions]
    questions = [q for q in questions if asked.count(q["text"].lower()) == 1 and " " in q["text"]]
    return skills, questions


def read_bodies(archive):
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile():
                text = tar.extractfile(member).read().decode("utf-8", "replace").replace("\r\n", "\n").lstrip("\ufeff")
                match = re.match(r"---\s*\n(.*?)\n---\s*(?:\n|$)(.*)", text, re.S)
                yield member.name, match[2] if match else ""


def ask_for(skill, chance):
    """Phrases a skill may be asked for by, and its description without them."""
    phrases, description = [], skill.description
    quoted = [phrase for phrase in texts.QUOTED.findall(description) if " " in phrase]
    parts = texts.sentences_of(description)
    if len(quoted) >= 2:
        rest = description
        for phrase in quoted:
            rest = rest.replace(phrase, " ")
        if len(rest) > 40:
            phrases, description = chance.sample(quoted, min(3, len(quoted))), rest
    elif uses := [part for part in parts[1:] if USE.match(part)]:
        rest = " ".join(part for part in parts if part is not uses[0])
        phrase = USE.sub("", uses[0]).strip(" .")
        if len(rest) > 40 and phrase.count(" ") >= 2:
            phrases, description = [phrase[:200]], rest
    for phrase in skill.triggers + skill.uses:
        if 2 <= phrase.count(" ") <= 25 and phrase.lower() not in description.lower() and len(phrases) < 5:
            phrases.append(phrase)
    return phrases, description


if __name__ == "__main__":
    main()
