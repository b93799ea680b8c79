"""Keeps the current folder out of the module search path of every Python that a skill starts.

A skill runs in a folder that may hold files of its caller. `PYTHONSAFEPATH` keeps Python from importing them, but also
from finding modules next to the skill's own scripts, and exists from Python 3.11 on only.
"""

import sys

HERE = "/.sandbox/search_path"
PROGRAM = "/program/"


def first_folder():
    """The folder of the script that is run, if it is a file of the skill."""
    script = sys.argv[0] if getattr(sys, "argv", None) else ""
    if script in ("", "-", "-c", "-m"):
        return None
    import os.path

    folder = os.path.dirname(os.path.realpath(script))
    return folder if (folder + "/").startswith(PROGRAM) else None


class RemoveFirstFolder:
    """Before Python 3.11: removes what Python inserts after this file has run, at the first import."""

    def __init__(self):
        self.before = list(sys.path)

    def find_spec(self, name, path=None, target=None):
        if name == "usercustomize":  # looked for before the folder is inserted
            return None
        sys.meta_path.remove(self)
        if len(sys.path) == len(self.before) + 1:
            del sys.path[0]
        return None


def run_next():
    """Runs the `sitecustomize` of the installation, if it has one."""
    finder = sys.modules["_frozen_importlib_external"].PathFinder
    spec = finder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        exec(spec.loader.get_code("sitecustomize"), {"__name__": "sitecustomize", "__file__": spec.origin})


while HERE in sys.path:
    sys.path.remove(HERE)
folder = first_folder()
if folder is not None:
    sys.path.insert(0, folder)
if sys.version_info < (3, 11):
    sys.meta_path.insert(0, RemoveFirstFolder())
run_next()
