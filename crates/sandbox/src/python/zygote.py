"""The fork server: imports what programs will need, then forks one process for each of them.

It runs inside the jail. `lockdown.so` does everything that concerns the kernel; what is here only decides the order.
A child never comes back: it ends in `lockdown_finish`.
"""

import sys

sys.path.pop(0)  # the folder of this file is none of the programs' business

import ctypes
import gc
import importlib
import importlib.util
import os


def load(name):
    spec = importlib.util.spec_from_file_location(name, f"/.sandbox/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bind(library):
    library.lockdown_next.restype = ctypes.c_bool
    library.lockdown_hurried.restype = ctypes.c_bool
    library.lockdown_await.restype = ctypes.c_size_t
    library.lockdown_payload.restype = ctypes.c_void_p
    library.lockdown_finish.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    library.lockdown_forked.argtypes = [ctypes.c_int]
    for name in ("zygote", "split", "prepare", "enter", "forked", "finish"):
        getattr(library, f"lockdown_{name}").restype = None
    return library


def preload(names):
    """Imports the modules that are installed; the others are left to the programs, which will say so."""
    loaded = []
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        loaded.append(name)
    return loaded


def exercise(loaded):
    """Uses what was loaded once, so that lazy parts are there before the fork, and their pages after it."""
    if "pandas" in loaded:
        frame = sys.modules["pandas"].DataFrame({"a": [1, 1, 2], "b": [1.0, 2.0, 3.0]})
        frame.groupby("a")["b"].sum().to_dict()
        rendering.render(frame)
    elif "numpy" in loaded:
        sys.modules["numpy"].arange(3).sum().item()


def forker():
    """What forks. Python's own fork repairs what other threads held and calls everybody who asked to be told. With one
    thread there is nothing to repair, and a child does afresh what it needs (`random.seed`): half of the memory that
    a fork would write to stays shared."""
    if len(sys._current_frames()) == 1:
        return ctypes.PyDLL(None).fork  # this kind of library keeps the interpreter's lock
    return fork_in_python


def fork_in_python():
    try:
        return os.fork()
    except OSError:
        return -1


def child(library, loaded):
    library.lockdown_prepare()
    if not library.lockdown_hurried():
        ctypes.string_at(library.lockdown_payload(), 0)
        program.warm_up()
        exercise(loaded)
    length = library.lockdown_await()
    task = program.read_task(ctypes.string_at(library.lockdown_payload(), length))
    library.lockdown_enter()
    body = program.run(task)
    library.lockdown_finish(body, len(body))


def main():
    library = bind(ctypes.CDLL("/.sandbox/lockdown.so"))
    loaded = preload(sys.argv[1:])
    exercise(loaded)
    program.warm_up()
    sys.argv[:] = ["program"]
    globals().pop("__file__")  # or processes that a program spawns would run this file as their main module
    gc.collect()
    gc.freeze()
    fork = forker()
    library.lockdown_zygote()
    while library.lockdown_next():
        library.lockdown_split()
        pid = fork()
        if pid == 0:
            try:
                child(library, loaded)
            finally:
                os._exit(76)
        library.lockdown_forked(pid)


rendering = load("rendering")
program = load("program")
program.rendering = rendering
main()
