"""Says a value in JSON. What a program returns is rendered by these rules and no others."""

import base64
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import fractions
import json
import math
import pathlib
import sys
import uuid

DEEPEST = 100


class NotJson(Exception):
    """The value has no form in JSON."""


def render(value):
    """The value as JSON, in bytes."""
    return json.dumps(plain(value, 0), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")


def plain(value, depth):
    """The same with nothing but what JSON knows."""
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is int:
        return value if -(2**63) <= value < 2**64 else number_text(value)
    if kind is float:
        return plain_float(value)
    if kind is str:
        return plain_text(value)
    if depth >= DEEPEST:
        raise NotJson(f"the result is nested more than {DEEPEST} levels deep, or contains itself")
    if kind is list or kind is tuple:
        return [plain(item, depth + 1) for item in value]
    if kind is dict:
        return plain_map(value, depth)
    return plain_other(value, depth)


def number_text(value):
    try:
        return str(value)
    except ValueError:  # Python itself refuses to write out numbers of thousands of digits
        raise NotJson("the result contains a number of too many digits") from None


def plain_float(value):
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def plain_text(value):
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return value.encode("utf-8", "replace").decode("utf-8")
    return value


def plain_map(value, depth):
    return {plain_key(key): plain(item, depth + 1) for key, item in value.items()}


def plain_key(key):
    if type(key) is str:
        return plain_text(key)
    if isinstance(key, enum.Enum):
        return plain_key(key.value)
    key = plain(key, DEEPEST - 1)
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, (bool, int, float)):
        return json.dumps(key)
    if isinstance(key, list):
        return ", ".join(plain_key(part) for part in key)
    raise NotJson(f"the result has a key of type {type(key).__name__}")


def plain_other(value, depth):
    library = type(value).__module__.partition(".")[0]
    if library == "pandas":
        return plain_pandas(value, depth)
    if library == "numpy":
        return plain_numpy(value, depth)
    if isinstance(value, enum.Enum):
        return plain(value.value, depth + 1)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return plain_float(value.total_seconds())
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"base64": base64.b64encode(bytes(value)).decode("ascii")}
    if isinstance(value, (decimal.Decimal, fractions.Fraction, uuid.UUID, pathlib.PurePath)):
        return plain_text(str(value))
    if isinstance(value, complex):
        return {"real": plain_float(value.real), "imag": plain_float(value.imag)}
    if isinstance(value, str):
        return plain_text(str.__str__(value))
    if isinstance(value, (bool, int)):
        return plain(int.__index__(value), depth + 1)
    if isinstance(value, float):
        return plain_float(float.__float__(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name), depth + 1) for field in dataclasses.fields(value)}
    if isinstance(value, collections.abc.Mapping):
        return plain_map(dict(value), depth)
    if isinstance(value, (set, frozenset, collections.abc.Set)):
        items = [plain(item, depth + 1) for item in value]
        return sorted(items, key=lambda item: json.dumps(item, sort_keys=True))
    if isinstance(value, (collections.abc.Iterator, collections.abc.Sequence, collections.abc.ValuesView)):
        return [plain(item, depth + 1) for item in value]
    if hasattr(value, "model_dump"):
        return plain(value.model_dump(), depth + 1)
    raise NotJson(
        f"the result contains a value of type {type(value).__name__}, which has no form in JSON; "
        "return numbers, text, lists, dictionaries, tables or dates"
    )


def plain_numpy(value, depth):
    numpy = sys.modules["numpy"]
    if isinstance(value, numpy.ndarray):
        if value.dtype.kind in "mM":
            return plain_times(value, depth)
        return plain(value.tolist(), depth + 1)
    if isinstance(value, numpy.datetime64):
        return None if numpy.isnat(value) else str(value)
    if isinstance(value, numpy.timedelta64):
        return None if numpy.isnat(value) else plain_float(value / numpy.timedelta64(1, "s"))
    if isinstance(value, numpy.void):
        return plain(value.item(), depth + 1)
    if isinstance(value, numpy.generic):
        return plain(value.item(), depth + 1)
    raise NotJson(f"the result contains a value of type {type(value).__name__}, which has no form in JSON")


def plain_times(value, depth):
    if value.ndim == 0:
        return plain_numpy(value[()], depth + 1)
    return [plain(item, depth + 1) for item in value]


def plain_pandas(value, depth):
    pandas = sys.modules["pandas"]
    if value is pandas.NaT or value is pandas.NA:
        return None
    if isinstance(value, pandas.DataFrame):
        return plain_table(value, pandas, depth)
    if isinstance(value, pandas.Series):
        items = [plain(item, depth + 2) for item in value.tolist()]
        if is_default(value.index, pandas):
            return items
        return {plain_key(key): item for key, item in zip(value.index.tolist(), items)}
    if isinstance(value, pandas.Index):
        return [plain(item, depth + 1) for item in value.tolist()]
    if isinstance(value, pandas.Timestamp):
        return value.isoformat()
    if isinstance(value, pandas.Timedelta):
        return plain_float(value.total_seconds())
    if isinstance(value, pandas.api.extensions.ExtensionArray):
        return [plain(item, depth + 1) for item in value.tolist()]
    if isinstance(value, (pandas.Period, pandas.Interval)):
        return str(value)
    raise NotJson(f"the result contains a value of type {type(value).__name__}, which has no form in JSON")


def plain_table(frame, pandas, depth):
    """One object a row; an index that says something becomes columns."""
    if not is_default(frame.index, pandas):
        frame = frame.reset_index()
    names = [plain_key(name) for name in frame.columns.tolist()]
    columns = [[plain(item, depth + 3) for item in frame.iloc[:, place].tolist()] for place in range(len(names))]
    return [dict(zip(names, row)) for row in zip(*columns)] if columns else [{} for _ in range(len(frame))]


def is_default(index, pandas):
    return isinstance(index, pandas.RangeIndex) and index.start == 0 and index.step == 1 and index.name is None
