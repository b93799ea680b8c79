"""Reads a Python program without running it: which function to call, and with what.

The source is text to this program; `ast` parses it and nothing executes it. The rules stand in `mod.rs` beside it.
"""

import ast
import json
import re

TYPES = {
    "int": "integer",
    "float": "number",
    "complex": "any",
    "str": "string",
    "bool": "boolean",
    "list": "array",
    "tuple": "array",
    "set": "array",
    "frozenset": "array",
    "sequence": "array",
    "iterable": "array",
    "collection": "array",
    "dict": "object",
    "mapping": "object",
    "mutablemapping": "object",
    "defaultdict": "object",
    "ordereddict": "object",
}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = FUNCTIONS + (ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Pass)
LONGEST = 1000


def read(source, name):
    try:
        tree = ast.parse(source)
        compile(tree, "main.py", "exec", dont_inherit=True)  # finds what only the compiler refuses; runs nothing
    except SyntaxError as error:
        return {"problem": {"message": str(error.msg), "line": error.lineno}}
    except (ValueError, RecursionError, MemoryError) as error:
        return {"problem": {"message": str(error) or "it is nested too deeply", "line": None}}
    function = entry(tree, name)
    found = {"function": None, "parameters": [], "summary": summary(ast.get_docstring(tree)), "notes": []}
    if function is None:
        return found
    if function.args.posonlyargs:
        told = f"`{function.name}` has parameters that take no name (before the `/`); values are given by name"
        return {"problem": {"message": f"{told}: remove the `/`", "line": function.lineno}}
    documentation = ast.get_docstring(function)
    found["function"] = function.name
    found["summary"] = summary(documentation) or found["summary"]
    found["parameters"] = parameters(function, documented(documentation or ""))
    for given, stars in ((function.args.vararg, "*"), (function.args.kwarg, "**")):
        if given is not None:
            found["notes"].append(f"`{stars}{given.arg}` of `{function.name}` is always empty: values are given by name")
    return found


def entry(tree, name):
    """The function to call; none runs the file as a whole."""
    functions = {node.name: node for node in tree.body if isinstance(node, FUNCTIONS)}
    wanted = spelled(name)
    for function in functions.values():
        if spelled(function.name) == wanted:
            return function
    if "main" in functions:
        return functions["main"]
    if not all(defines(node) for node in tree.body):
        return None
    public = [function for function in functions.values() if not function.name.startswith("_")]
    used = mentioned(functions.values())
    first = [function for function in public if function.name not in used]
    return (first or public or [None])[-1]


def spelled(name):
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def defines(node):
    """Whether a statement only prepares: nothing is printed, opened or looped over by it."""
    if isinstance(node, DEFINITIONS):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        return is_main_guard(node.test) or all(defines(part) for part in node.body + node.orelse)
    if isinstance(node, ast.Try):
        handled = [part for handler in node.handlers for part in handler.body]
        return all(defines(part) for part in node.body + handled + node.orelse + node.finalbody)
    return False


def is_main_guard(test):
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and len(test.comparators) == 1
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value == "__main__"
    )


def mentioned(functions):
    """The names that functions mention, each besides its own."""
    named = set()
    for function in functions:
        names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        named |= names - {function.name}
    return named


def parameters(function, described):
    given = function.args
    defaults = [None] * (len(given.args) - len(given.defaults)) + list(given.defaults)
    pairs = list(zip(given.args, defaults)) + list(zip(given.kwonlyargs, given.kw_defaults))
    return [parameter(argument, default, described.get(argument.arg)) for argument, default in pairs]


def parameter(argument, default, description):
    kind, nullable = type_of(argument.annotation)
    if nullable and default is None:
        kind = "any"
    found = {"name": argument.arg, "type": kind, "required": default is None}
    if description:
        found["description"] = description[:LONGEST]
    if default is not None:
        value = literal(default)
        if value is not None and fits(kind, value[0]):
            found["default"] = value[0]
    return found


def type_of(annotation):
    """The type in JSON's words, and whether nothing is a value too."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except (SyntaxError, ValueError):
            return "any", False
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return one_of([annotation.left, annotation.right])
    if isinstance(annotation, ast.Subscript):
        word, inner = last_name(annotation.value), annotation.slice
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if word == "optional":
            return type_of(inner)[0], True
        if word == "union":
            return one_of(parts)
        if word == "annotated":
            return type_of(parts[0])
        if word == "literal":
            return literal_type(parts), False
        return TYPES.get(word, "any"), False
    return TYPES.get(last_name(annotation), "any"), False


def last_name(node):
    """The last word of a name: `typing.List` is `list`."""
    if isinstance(node, ast.Attribute):
        return node.attr.lower()
    return node.id.lower() if isinstance(node, ast.Name) else ""


def one_of(parts):
    kinds, nullable = set(), False
    for part in parts:
        if isinstance(part, ast.Constant) and part.value is None:
            nullable = True
            continue
        kind, nothing = type_of(part)
        kinds.add(kind)
        nullable = nullable or nothing
    if kinds == {"integer", "number"}:
        return "number", nullable
    return (kinds.pop() if len(kinds) == 1 else "any"), nullable


def literal_type(parts):
    names = {type(part.value).__name__ if isinstance(part, ast.Constant) else "" for part in parts}
    return TYPES.get(names.pop(), "any") if len(names) == 1 else "any"


def literal(node):
    """The value of a literal as JSON knows it, in a list; nothing where it has no such form."""
    try:
        value = plain(ast.literal_eval(node))
        json.dumps(value, allow_nan=False)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return [value]


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("keys must be text")
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, str):
        value.encode()  # half of a surrogate pair is no text to anyone else
        return value
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**64:
        return value
    raise ValueError("not JSON")


def fits(kind, value):
    if kind == "any":
        return True
    if isinstance(value, bool):
        return kind == "boolean"
    kinds = {"integer": int, "number": (int, float), "string": str, "array": list, "object": dict}
    return kind in kinds and isinstance(value, kinds[kind])


def summary(documentation):
    """The first paragraph, in one line."""
    if not documentation:
        return None
    return " ".join(documentation.strip().split("\n\n")[0].split())[:LONGEST] or None


def documented(text):
    """What a docstring says of each parameter, in the styles of Google, numpy and Sphinx."""
    lines = text.expandtabs().splitlines()
    found = {}
    for style in (sphinx, google, numpy):
        for name, words in style(lines):
            found.setdefault(name.lstrip("*"), " ".join(" ".join(words).split()))
    return found


def indent(line):
    return len(line) - len(line.lstrip())


def sphinx(lines):
    pattern = r"\s*:(?:param|parameter|arg|argument|key|keyword)\s+(?:[^:]*\s)?(\*{0,2}\w+)\s*:\s*(.*)"
    found = []
    open_ended = False
    for line in lines:
        match = re.match(pattern, line)
        if match:
            found.append((match.group(1), [match.group(2)]))
        elif open_ended and line.strip() and not line.strip().startswith(":"):
            found[-1][1].append(line)
            continue
        open_ended = bool(match)
    return found


def google(lines):
    return entries(section(lines, lambda at: lines[at].strip().lower() in GOOGLE_HEADS and at + 1), GOOGLE_ENTRY)


def numpy(lines):
    def begins(at):
        ruled = at + 1 < len(lines) and re.match(r"\s*-{3,}\s*$", lines[at + 1])
        return lines[at].strip().lower() in NUMPY_HEADS and ruled and at + 2

    return entries(section(lines, begins), NUMPY_ENTRY)


GOOGLE_HEADS = {"args:", "arguments:", "parameters:", "params:", "keyword args:", "keyword arguments:"}
GOOGLE_ENTRY = r"(\*{0,2}\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$"
NUMPY_HEADS = {"parameters", "other parameters"}
NUMPY_ENTRY = r"(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?()$"


def section(lines, begins):
    """The lines of the sections that begin somewhere, up to the next line as far out as the head."""
    found = []
    for at in range(len(lines)):
        start = begins(at)
        if not start:
            continue
        head = indent(lines[at])
        ruled = start - at == 2  # numpy's entries stand as far out as their head
        for line in range(start, len(lines)):
            text = lines[line]
            outside = text.strip() and (indent(text) < head if ruled else indent(text) <= head)
            next_head = ruled and line + 1 < len(lines) and re.match(r"\s*-{3,}\s*$", lines[line + 1])
            if outside or next_head:
                break
            found.append(text)
    return found


def entries(lines, pattern):
    """The entries of a section; what stands further in goes on with the one above."""
    least = min((indent(line) for line in lines if line.strip()), default=0)
    found = []
    for line in lines:
        match = re.match(pattern, line.strip()) if line.strip() and indent(line) == least else None
        if match:
            found.extend((name.strip(), [match.group(2)]) for name in match.group(1).split(","))
            together = match.group(1).count(",") + 1
        elif found and line.strip() and indent(line) > least:
            for _, words in found[-together:]:
                words.append(line)
    return found
