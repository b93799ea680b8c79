"""Prints what the reference validator says about every skill below a directory, one JSON line each.

Usage: python reference_side_by_side.py DIRECTORY   (the Python must have skills-ref installed)

Each line is {"path", "errors", "properties"}: "errors" is null where the reference crashed; "properties" is
what `read-properties` prints, its error message after "Error: ", or null where it crashed.
"""

import json
import os
import re
import sys
from multiprocessing import Pool
from pathlib import Path

import skills_ref
from skills_ref.errors import SkillError

SURROGATES = re.compile("[\ud800-\udfff]")
ADDRESS = re.compile(" at 0x[0-9a-f]+>")


def without_surrogates(value):
    """Lone surrogates cannot be written as UTF-8; the Rust side counts them as U+FFFD as well."""
    if isinstance(value, str):
        return SURROGATES.sub("\ufffd", value)
    if isinstance(value, list):
        return [without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    return value


def errors_of(directory):
    try:
        return without_surrogates(skills_ref.validate(directory))
    except Exception:
        return None


def properties_of(directory):
    try:
        properties = skills_ref.read_properties(directory).to_dict()
        text = json.dumps(without_surrogates(properties), indent=2, default=str)
        return ADDRESS.sub(">", text)
    except SkillError as error:
        return "Error: " + without_surrogates(str(error))
    except Exception:
        return None


def report(directory):
    found = {"path": str(directory), "errors": errors_of(directory), "properties": properties_of(directory)}
    return json.dumps(found)


def skills_below(root):
    for directory, _, files in os.walk(root):
        if "SKILL.md" in files or "skill.md" in files:
            yield Path(directory)


if __name__ == "__main__":
    with Pool() as pool:
        for line in pool.imap_unordered(report, skills_below(sys.argv[1]), chunksize=32):
            print(line)
