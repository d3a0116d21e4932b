"""What every script here shares: the executable under test, a home of its own, a copy of a package to work in."""
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
EVAL = os.path.join(ROOT, "eval", "code")
sys.path.insert(0, HERE)

import fetch  # noqa: E402
import packages  # noqa: E402

# The first question may index a whole package; on a machine that does other things as well.
ASK_SECONDS = 120


class Refused(Exception):
    """The executable did not answer. The message has its words."""


class House:
    """A package in a folder of its own, outside of any repository, and a throughline that knows nothing yet."""

    def __init__(self, package, top):
        self.package, self.top = package, top
        self.project = os.path.join(top, "project", package.name)
        self.home = os.path.join(top, "home")
        os.makedirs(self.home)
        # A copy: below target/ the repository's own .gitignore would hide it, and nobody writes into the cache.
        shutil.copytree(fetch.folder(package), self.project, symlinks=True)
        named = os.environ.get("THROUGHLINE_BIN") or "throughline"
        self.binary = os.path.abspath(named) if os.sep in named else named
        self.env = {"HOME": self.home, "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "NO_COLOR": "1",
                    "THROUGHLINE_HOME": os.path.join(self.home, ".throughline")}

    def ask(self, *words):
        """What it says on stdout."""
        try:
            ran = subprocess.run([self.binary, *words], cwd=self.project, env=self.env, capture_output=True, text=True,
                                 timeout=ASK_SECONDS, check=False)
        except (OSError, subprocess.SubprocessError) as trouble:
            raise Refused("%s: %s" % (" ".join(words), trouble)) from trouble
        if ran.returncode != 0:
            raise Refused("%s: exit code %d\n%s" % (" ".join(words), ran.returncode, (ran.stderr or ran.stdout)[-800:]))
        return ran.stdout

    def items(self, *words):
        said = self.ask(*words, "--json")
        try:
            items = json.loads(said)
        except ValueError as trouble:
            raise Refused("%s: not JSON: %s" % (" ".join(words), said[:200])) from trouble
        if not isinstance(items, list):
            raise Refused("%s: not an array: %s" % (" ".join(words), said[:200]))
        return items

    def relative(self, path):
        """However the file is named, its name from the project's root."""
        real = os.path.realpath(self.project)
        if os.path.isabs(path):
            path = os.path.relpath(path, real if path.startswith(real) else self.project)
        return os.path.normpath(path).replace(os.sep, "/")

    def leave(self):
        # Nothing to stop is no trouble.
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run([self.binary, "daemon", "stop"], cwd=self.project, env=self.env, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=ASK_SECONDS, check=False)


@contextlib.contextmanager
def house(package):
    with tempfile.TemporaryDirectory(prefix="tests-code-", ignore_cleanup_errors=True) as top:
        it = House(package, top)
        try:
            yield it
        finally:
            it.leave()


def sources(package):
    """The files of the package in its language, from its root."""
    top, endings = fetch.folder(package), packages.ENDINGS[package.language]
    return sorted(os.path.relpath(os.path.join(root, name), top).replace(os.sep, "/")
                  for root, _, names in os.walk(top) for name in names if name.endswith(endings))


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def percent(part, whole):
    return "%6.1f %%" % (100.0 * part / whole) if whole else "     –  "
