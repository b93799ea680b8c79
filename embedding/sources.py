"""Reads the inputs: skills as their authors wrote them, retrieval sets, WordNet, operations of public APIs."""

import gzip
import hashlib
import html
import importlib.util
import json
import lzma
import re
import tarfile
from dataclasses import dataclass, field
from pathlib import Path

import yaml

FENCE = re.compile(r"^\s*(```|~~~)")
MARKUP = re.compile(r"[*_`]{1,3}|<[^>]{1,60}>|!?\[|\]\([^)]*\)|^\s*\|.*$")
BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
WHEN = re.compile(r"when to (?:use|activate|invoke|apply)|use cases?|triggers?\b|example (?:prompts|requests|queries)|use this skill", re.I)
LIST_FIELDS = ("triggers", "trigger", "keywords", "tags", "examples", "when_to_use", "use_when")


@dataclass
class Skill:
    """One SKILL.md: its head, and its body cut into short texts."""

    path: str
    name: str
    description: str
    tags: list = field(default_factory=list)
    triggers: list = field(default_factory=list)
    title: str = ""
    headings: list = field(default_factory=list)
    uses: list = field(default_factory=list)
    sentences: list = field(default_factory=list)


@dataclass
class Row:
    """One document of a retrieval set."""

    id: str
    name: str
    description: str
    tags: list
    examples: list
    body: str


@dataclass
class Operation:
    """One operation of a public API: its service, its name, what it does, what its parameters mean."""

    service: str
    name: str
    description: str
    parameters: list


@dataclass
class RetrievalSet:
    """Documents, questions and which document answers which question."""

    name: str
    rows: list
    queries: list
    answers: dict


def in_training_half(set_name, query_id):
    """Whether a question may be trained on; the other half is for reports only."""
    return hashlib.sha256(f"{set_name}/{query_id}".encode()).digest()[0] % 2 == 0


def read_sets(folder):
    """Every retrieval set under a folder, by name."""
    return {path.name: read_set(path) for path in sorted(Path(folder).iterdir()) if path.is_dir()}


def read_set(folder):
    """One retrieval set."""
    lines = lambda name: gzip.open(folder / name, "rt", encoding="utf-8")
    with lines("corpus.jsonl.gz") as file:
        rows = [json.loads(line) for line in file]
    rows = [
        Row(r["id"], r["name"] or "", r["description"] or "", r["tags"] or [], r["examples"] or [], r.get("body") or "")
        for r in rows
    ]
    with lines("queries.jsonl.gz") as file:
        queries = [(q["id"], q["text"]) for q in map(json.loads, file)]
    answers = {}
    with lines("qrels.tsv.gz") as file:
        next(file)
        for line in file:
            query, row, grade = line.rstrip("\n").split("\t")
            answers.setdefault(query, {})[row] = float(grade)
    return RetrievalSet(folder.name, rows, queries, answers)


def read_skills(archive):
    """The skills of the archive, one for each distinct description."""
    skills, seen = [], set()
    with tarfile.open(archive) as tar:
        for member in tar:
            if not member.isfile():
                continue
            skill = parse_skill(member.name, tar.extractfile(member).read().decode("utf-8", "replace"))
            mark = skill and re.sub(r"\W+", "", skill.description.lower())[:160]
            if skill and mark not in seen:
                seen.add(mark)
                skills.append(skill)
    return sorted(skills, key=lambda skill: skill.path)


def parse_skill(path, text):
    """A skill out of its file, or nothing where there is no description."""
    text = text.replace("\r\n", "\n").lstrip("\ufeff")
    match = re.match(r"---\s*\n(.*?)\n---\s*(?:\n|$)(.*)", text, re.S)
    if not match:
        return None
    head = read_head(match[1])
    description = one_line(head.get("description"))
    if len(description) < 12:
        return None
    skill = Skill(path, one_line(head.get("name")) or Path(path).parent.name, description[:2000])
    for key in LIST_FIELDS:
        values = [one_line(v) for v in as_list(head.get(key))]
        (skill.tags if key in ("tags", "keywords") else skill.triggers).extend(v for v in values if 2 < len(v) < 160)
    read_body(skill, match[2])
    return skill


def read_head(text):
    """The front matter as a mapping; lines of `key: value` where it is not YAML."""
    try:
        head = yaml.safe_load(text)
        if isinstance(head, dict):
            return head
    except (yaml.YAMLError, ValueError):
        pass
    return dict(re.findall(r"^(\w+):[ \t]*(.+(?:\n[ \t]+.+)*)", text, re.M))


def as_list(value):
    """A list field, however it was written."""
    if isinstance(value, str):
        return re.split(r"[,\n]", value)
    return [v for v in value if isinstance(v, (str, int))] if isinstance(value, list) else []


def one_line(value):
    """A value as one line of text."""
    return " ".join(str(value).split()).strip("\"'>| ") if isinstance(value, (str, int)) else ""


def read_body(skill, body):
    """Headings, "when to use" items and sentences of a body, code left out."""
    code, in_when = False, False
    for line in body.split("\n"):
        if FENCE.match(line):
            code = not code
            continue
        if code or not line.strip():
            continue
        if line.startswith("#"):
            heading = clean(line.lstrip("#"))
            in_when = bool(WHEN.search(heading))
            if not skill.title and line.startswith("# "):
                skill.title = heading
            elif heading:
                skill.headings.append(heading)
            continue
        item = BULLET.match(line)
        text = clean(BULLET.sub("", line))
        if in_when and item and 8 < len(text) < 200:
            skill.uses.append(text.strip("\"'“”"))
            continue
        for sentence in re.split(r"(?<=[.!?])\s+", text):
            if 15 < len(sentence) < 300 and sentence.count(" ") > 1:
                skill.sentences.append(sentence)


def clean(line):
    """A line of Markdown without its marks."""
    return " ".join(MARKUP.sub(" ", line).split()).strip(" :>-–—")


def read_wordnet(folder):
    """(part of speech, words, gloss, example sentences) of every WordNet synset under a folder."""
    synsets = []
    for part in ("noun", "verb", "adj", "adv"):
        plain, packed = Path(folder) / f"data.{part}", Path(folder) / f"data.{part}.xz"
        lines = open(plain, encoding="utf-8") if plain.exists() else lzma.open(packed, "rt", encoding="utf-8")
        with lines:
            synsets.extend((part, *parse_synset(line)) for line in lines if not line.startswith("  "))
    return synsets


def parse_synset(line):
    """One line of a WordNet data file."""
    head, _, gloss = line.partition(" | ")
    fields = head.split()
    names = [re.sub(r"\(\w+\)$", "", fields[4 + 2 * at]).replace("_", " ") for at in range(int(fields[3], 16))]
    examples = re.findall(r'"([^"]+)"', gloss)
    meaning = re.split(r';\s*"', gloss)[0].strip()
    return names, meaning, examples


def read_operations(prepared=None):
    """The operations that two installed packages describe (or a prepared list of them), one for each description."""
    if prepared:
        with lzma.open(prepared, "rt", encoding="utf-8") as file:
            return [Operation(*json.loads(line)) for line in file]
    found = {}
    for operation in [*google_operations(), *amazon_operations()]:
        if len(operation.description) > 20:
            found.setdefault(operation.description, operation)
    return sorted(found.values(), key=lambda one: (one.service, one.name))


def package_folder(name):
    """Where a package is installed, without importing it; nothing where it is not."""
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec else None


def google_operations():
    """Methods of the discovery documents inside `google-api-python-client`."""
    folder = package_folder("googleapiclient")
    for path in sorted((folder / "discovery_cache" / "documents").glob("*.json")) if folder else ():
        document = json.loads(path.read_text(encoding="utf-8"))
        yield from google_methods(document, document.get("title", ""))


def google_methods(node, service):
    """The methods of a resource and of the resources under it."""
    for method in node.get("methods", {}).values():
        name = " ".join(method["id"].split(".")[-2:])
        meanings = [plain(p.get("description", "")) for key, p in sorted(method.get("parameters", {}).items())]
        yield Operation(service, name, plain(method.get("description", "")), [m for m in meanings if len(m) > 20][:2])
    for resource in node.get("resources", {}).values():
        yield from google_methods(resource, service)


def amazon_operations():
    """Operations of the service models inside `botocore`."""
    folder = package_folder("botocore")
    for path in sorted((folder / "data").glob("*/*/service-2.json.gz")) if folder else ():
        with gzip.open(path, "rt", encoding="utf-8") as file:
            model = json.load(file)
        for name, operation in sorted(model["operations"].items()):
            shape = model["shapes"].get(operation.get("input", {}).get("shape"), {})
            meanings = [plain(member.get("documentation", "")) for member in shape.get("members", {}).values()]
            service = re.sub(r"^(AWS|Amazon) ", "", model["metadata"]["serviceFullName"])
            yield Operation(service, name, plain(operation.get("documentation", "")), [m for m in meanings if len(m) > 20][:2])


def plain(text):
    """The first few sentences of a text, its markup left out."""
    text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())
    return " ".join(re.split(r"(?<=[.!?])\s+", text)[:4])[:500]
