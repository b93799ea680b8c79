"""Runs one program and says what came of it. What runs here is untrusted; nothing here protects anybody from it."""

import ast
import builtins
import errno
import gc
import io
import json
import linecache
import os
import random
import sys
import traceback
import types

FOLDER = "/program/"
WORK_FOLDER = "/mnt/data"
LONGEST_TEXT = 16_384
HOST = 4  # where calls of the host go

rendering = None  # set by the fork server


with open("/.sandbox/search_path.json", encoding="utf-8") as _file:
    SEARCH_PATH = json.load(_file)  # keeps interpreters that the program starts from code in the work folder
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "TMPDIR": "/tmp",
    **SEARCH_PATH,
}
WARM_TASK = b'{"main": "warm.py", "function": "f", "parameters": {"a": 1, "b": 2.5}, "arguments": [], "result_limit": 1000}'


def warm_up():
    """Does once what every run does, so that its pages are there before the request is."""
    if dict(os.environ) != ENVIRONMENT:
        os.environ.clear()
        os.environ.update(ENVIRONMENT)
    task = read_task(WARM_TASK)
    random.seed(None)
    report(lambda: call(task, "/.sandbox/warm.py"), task)
    sys.modules.pop("program", None)


def read_task(payload):
    return json.loads(payload)


def run(task):
    """Runs the program and gives the report as JSON."""
    if task.get("proxy"):
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
            os.environ[name] = task["proxy"]
    if task.get("live"):
        sys.stdout.reconfigure(line_buffering=True)
    if task.get("host"):
        add_host_module(task["host"])
    seed = task.get("seed")
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(None if seed is None else seed % 2**32)
    path = FOLDER + task["main"]
    folder = os.path.dirname(path)
    sys.path[0:0] = [folder] if folder + "/" == FOLDER else [folder, FOLDER[:-1]]
    if task.get("folder_modules"):
        sys.path.append(WORK_FOLDER)
        os.environ["HOME"] = WORK_FOLDER
        for name in SEARCH_PATH:
            os.environ.pop(name, None)
    return report(lambda: call(task, path), task)


def add_host_module(host):
    """A module whose functions are those of the program around the sandbox."""
    module = types.ModuleType(host["name"], "Functions of the host.")
    for name in host["functions"]:
        setattr(module, name, host_function(name))
    sys.modules[host["name"]] = module


def host_function(name):
    def function(*arguments, **named):
        asked = json.dumps({"function": name, "arguments": arguments, "named": named}).encode()
        write_all(HOST, len(asked).to_bytes(4, "big") + asked)
        answer = json.loads(read_exactly(HOST, int.from_bytes(read_exactly(HOST, 4), "big")))
        if "Err" in answer:
            raise RuntimeError(answer["Err"])
        return answer["Ok"]

    function.__name__ = function.__qualname__ = name
    return function


def write_all(descriptor, data):
    while data:
        data = data[os.write(descriptor, data) :]


def read_exactly(descriptor, count):
    parts = []
    while count:
        part = os.read(descriptor, min(count, 1 << 20))
        if not part:
            raise RuntimeError("the host does not answer any more; it answers 1000 calls at most")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def call(task, path):
    with open(path, "rb") as file:
        source = file.read()
    if task.get("function") is None:
        return run_whole(task, path, source)
    module = new_module("program", path)
    exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
    function = module.__dict__.get(task["function"])
    if not callable(function):
        raise MissingFunction(f"there is no function `{task['function']}` in {task['main']}")
    return settle(invoke(function, task["parameters"]))


def run_whole(task, path, source):
    """Runs a file as a script; the value of its last expression is the result."""
    module = new_module("__main__", path)
    module.__dict__.update(task["parameters"])
    sys.argv[:] = [path, *task["arguments"]]
    tree = compile(source, path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, path, "exec", dont_inherit=True), module.__dict__)
    if last is None:
        return None
    return settle(eval(compile(last, path, "eval", dont_inherit=True), module.__dict__))


def new_module(name, path):
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    return module


class MissingFunction(Exception):
    pass


class WrongArguments(Exception):
    pass


def invoke(function, parameters):
    try:
        return function(**parameters)
    except TypeError as error:
        # Raised by the call itself, not in the function's body.
        if error.__traceback__.tb_next is None:
            raise WrongArguments(str(error)) from None
        raise


def settle(value):
    """Waits for what a coroutine comes to."""
    if isinstance(value, types.CoroutineType):
        import asyncio

        return asyncio.run(value)
    return value


def report(act, task):
    try:
        body = b'{"ok":' + rendering.render(act()) + b"}"
        if len(body) > task["result_limit"] + 7:
            body = b'{"limit":"result_limit"}'
    except BaseException as error:
        body = describe(error, task)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass
    return body


def describe(error, task):
    try:
        return json.dumps({"error": failure(error, task)}).encode()
    except BaseException:
        return b'{"error":{"code":"code_error","kind":"Exception","message":"the error cannot be described"}}'


def failure(error, task):
    if isinstance(error, SystemExit):
        return exit_status(error)
    kind, message = type(error).__name__, text_of(error)
    code = "code_error"
    if isinstance(error, SyntaxError) and in_program(error.filename):
        message, code = str(error.msg), "syntax_error"
    elif isinstance(error, ModuleNotFoundError):
        code = "missing_module"
    elif isinstance(error, MissingFunction):
        kind, code = "LookupError", "missing_function"
    elif isinstance(error, WrongArguments):
        kind, code = "TypeError", "argument_error"
    elif isinstance(error, rendering.NotJson):
        kind, code = "TypeError", "result_not_json"
    file, line = place(error)
    return {
        "code": code,
        "kind": kind[:200],
        "message": message[:LONGEST_TEXT],
        "file": file,
        "line": line,
        "traceback": trace(error) if code in ("code_error", "syntax_error", "missing_module") else "",
        "limit": limit(error),
        "module": error.name if isinstance(error, ModuleNotFoundError) else None,
    }


def exit_status(error):
    status = error.code
    if status is None or status == 0:
        return {"code": "exit", "kind": "SystemExit", "message": ""}
    message = f"the program ended with status {status}" if isinstance(status, int) else text_of(error)
    return {"code": "exit_status", "kind": "SystemExit", "message": message[:LONGEST_TEXT]}


def text_of(error):
    try:
        return str(error)
    except BaseException:
        return "the error's text cannot be read"


def in_program(path):
    return isinstance(path, str) and path.startswith(FOLDER)


def place(error):
    """The innermost line of the program itself."""
    if isinstance(error, SyntaxError) and in_program(error.filename):
        return error.filename[len(FOLDER):], error.lineno
    found = (None, None)
    step = error.__traceback__
    while step is not None:
        path = step.tb_frame.f_code.co_filename
        if in_program(path):
            found = (path[len(FOLDER):], step.tb_lineno)
        step = step.tb_next
    return found


def trace(error):
    """The trace through the program's own lines, with those of the errors behind it."""
    linecache.clearcache()
    described = traceback.TracebackException.from_exception(error, limit=-200)
    waiting = [described]
    while waiting:
        seen = waiting.pop()
        seen.stack = traceback.StackSummary.from_list([frame for frame in seen.stack if in_program(frame.filename)])
        others = [seen.__cause__, seen.__context__, *(getattr(seen, "exceptions", None) or [])]
        waiting.extend(other for other in others if other is not None)
    text = "".join(described.format()).replace(FOLDER, "")
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT // 2] + "\n...\n" + text[-LONGEST_TEXT // 2 :]


def limit(error):
    """Which limit is behind an error, as far as the error tells."""
    if isinstance(error, MemoryError):
        return "memory_limit"
    if isinstance(error, RuntimeError) and "can't start new thread" in text_of(error):
        return "process_limit"
    if isinstance(error, OSError):
        return {
            errno.ENOSPC: "disk_limit",
            errno.EDQUOT: "disk_limit",
            errno.EFBIG: "disk_limit",
            errno.EMFILE: "open_files_limit",
            errno.EAGAIN: "process_limit" if isinstance(error, BlockingIOError) else None,
            errno.ENOMEM: "memory_limit",
        }.get(error.errno)
    return None
