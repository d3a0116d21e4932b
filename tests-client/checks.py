"""What an edit broke reaches the model of the real client: in the words of the project's own tools, with its line, once.

ruff and the TypeScript compiler are fetched from their registries into .tools/ once, like the client.
"""
import os
import shutil
import subprocess
import sys

from plugin import told
from recall import notes, requests
from scenarios import BYPASS, tool

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TYPESCRIPT, RUFF = "5.9.3", "0.14.5"
FOLDER = os.path.join(ROOT, ".tools", "checks-%s-%s" % (TYPESCRIPT, RUFF))
HELD = "check-code: the project's own tools"


def fetch():
    """Both, or an error that says which is missing. Called while there is a network."""
    os.makedirs(FOLDER, exist_ok=True)
    if not os.path.exists(os.path.join(FOLDER, "node_modules", ".bin", "tsc")):
        subprocess.run(["npm", "install", "typescript@" + TYPESCRIPT, "--prefix", FOLDER, "--no-audit", "--no-fund", "--no-save",
                        "--loglevel=error"], stdout=sys.stderr, timeout=600)
    if not os.path.exists(os.path.join(FOLDER, "python", "bin", "ruff")):
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target", os.path.join(FOLDER, "python"), "ruff==" + RUFF],
                       stdout=sys.stderr, timeout=600)


def with_tools():
    """The person has them on the path."""
    ours = [os.path.join(FOLDER, "python", "bin"), os.path.join(FOLDER, "node_modules", ".bin")]
    return {"PATH": os.pathsep.join(ours + [os.environ.get("PATH", "/usr/bin:/bin")])}


def has(checks, program):
    there = shutil.which(program, path=with_tools()["PATH"])
    checks.that("%s is here" % program, there, "it could not be fetched into %s" % FOLDER)
    return there


def trust(house):
    """As a person does it: the project, and the repository that the fetched tools lie in."""
    for folder in (house.project, ROOT):
        house.throughline.run("checks", "trust", folder)


def said(run):
    """Of each request, the notes of check-code that it has and the one before had not."""
    new, seen = [], 0
    for text in requests(run):
        all_ = notes(text, "check-code")
        new.append(all_[seen:])
        seen = max(seen, len(all_))
    return new


APP = '"""Names."""\n\nimport json\n\n\ndef known(name):\n    return name == "x"\n'


def python(checks, house, client, canaries, ours):
    """An edit that breaks the rules of the project is told at once; what was wrong before is not; the turn is held once."""
    if not has(checks, "ruff"):
        return
    trust(house)
    edit = tool("Edit", file_path="{{CWD}}/app.py", old_string='name == "x"', new_string='name is "x"')
    spec = {"files": {"ruff.toml": '[lint]\nselect = ["E", "F"]\n', "app.py": APP}, "args": BYPASS, "prompt": "Compare by identity.",
            "turns": [{"tools": [tool("Read", file_path="{{CWD}}/app.py")]}, {"tools": [tool("Bash", command="sleep 1")]},
                      {"tools": [edit]}, {"tools": [tool("Bash", command="sleep 1")]},
                      {"text": "Done."}, {"text": "It stays."}],
            "expect": {"result": "It stays", "file": {"app.py": 'name is "x"'}}}
    run, = house.play("check-python", spec, client, env=with_tools())
    checks.nothing("the client did what it was asked to", run["failures"])
    new, texts = said(run), requests(run)
    checks.nothing("before the edit nothing is said", new[0] + new[1] + new[2])
    # In the request after the edit; on a busy machine with the next event. How soon is measured by `cargo xtask bench checks`.
    told = "".join(new[3]) or "".join(new[4])
    checks.that("the model reads the error with its place", "app.py:7:12" in told and "F632" in told, told or texts[3][-1500:])
    checks.that("with the fix that the tool offers", "fix: " in told, told)
    checks.nothing("what was wrong before is never blamed on it", (text[-800:] for text in new if "json" in "".join(text)))
    checks.that("it is said once", sum(map(len, new)) == 1, new)
    checks.that("the turn is held for it", HELD in texts[5] and "app.py:7:12" in texts[5].rsplit(HELD, 1)[-1], texts[-1][-1500:])
    # The client quotes the reason a second time when it says which hook gave it.
    checks.that("once", len(texts) == 6 and texts[-1].count("Stop hook feedback") == 1, (len(texts), texts[-1].count("Stop hook feedback")))


TS = {"tsconfig.json": '{"compilerOptions": {"strict": true, "noEmit": true, "module": "esnext", "moduleResolution": "bundler", "types": []},'
                       ' "include": ["src"]}',
      "src/a.ts": "export const old: number = 'wrong before';\n\nexport function first(): number {\n  return 1;\n}\n",
      "src/b.ts": "export const name = 'b';\n"}
PAUSE = {"tools": [tool("Bash", command="sleep 6")]}


def typescript(checks, house, client, canaries, ours):
    """Half of an edit over two files is not nagged about; a late result comes with the next event; what is mended holds nobody."""
    if not has(checks, "tsc"):
        return
    trust(house)
    a, b = "{{CWD}}/src/a.ts", "{{CWD}}/src/b.ts"
    reads = [tool("Read", file_path=a), tool("Read", file_path=b)]
    first = tool("Edit", file_path=a, old_string="  return 1;", new_string="  return second();")
    import_ = tool("Edit", file_path=a, old_string="export const old", new_string="import { second } from './b';\n\nexport const old")
    second = tool("Edit", file_path=b, old_string="export const name", new_string="export const second = (): number => 2;\nexport const name")
    broken = tool("Edit", file_path=b, old_string="(): number => 2", new_string="(): number => 'two'")
    mended = tool("Edit", file_path=b, old_string="(): number => 'two'", new_string="(): number => 22")
    spec = {"files": TS, "args": BYPASS, "prompt": "Move it.",
            "turns": [{"tools": reads}, PAUSE, {"tools": [first]}, {"tools": [import_]}, {"tools": [second]}, PAUSE,
                      {"tools": [broken]}, PAUSE, {"tools": [mended]}, {"text": "Moved."}],
            "expect": {"result": "Moved", "file": {"src/b.ts": "=> 22"}}}
    run, = house.play("check-typescript", spec, client, env=with_tools())
    checks.nothing("the client did what it was asked to", run["failures"])
    new, texts = said(run), requests(run)
    checks.nothing("nothing is said of an edit that is half made, and nothing when it is whole", sum(new[:7], []))
    told = "".join(new[7]) + "".join(new[8])
    checks.that("what is really broken is told with its place", "src/b.ts:1:" in told and "TS2322" in told, told or texts[8][-1500:])
    checks.nothing("what was wrong before is never blamed on it", (text for text in new if "src/a.ts" in "".join(text)))
    checks.that("what is mended holds nobody", len(texts) == 10 and HELD not in texts[-1], (len(texts), texts[-1][-800:]))


def quiet(checks, house, client, canaries, ours):
    """Who chose quiet is told and never held; who switched it off hears nothing."""
    if not has(checks, "ruff"):
        return
    trust(house)
    edit = lambda old, new: tool("Edit", file_path="{{CWD}}/app.py", old_string=old, new_string=new)
    counts = {}
    for mode in ("quiet", "off"):
        house.throughline.run("config", "set", "behaviors.check-code", mode)
        spec = {"files": {"ruff.toml": "", "app.py": APP}, "args": BYPASS, "prompt": "Compare by identity.",
                "turns": [{"tools": [tool("Read", file_path="{{CWD}}/app.py")]}, {"tools": [edit('name == "x"', 'name is "x"')]},
                          {"tools": [tool("Bash", command="sleep 1")]}, {"text": "Done."}],
                "expect": {"result": "Done"}}
        run, = house.play("check-%s" % mode, spec, client, env=with_tools())
        checks.nothing("the client did what it was asked to (%s)" % mode, run["failures"])
        counts[mode] = (sum(map(len, said(run))), len(requests(run)))
    house.throughline.run("config", "set", "behaviors.check-code", "on")
    checks.that("quiet says it and holds nobody, off says nothing", counts == {"quiet": (1, 4), "off": (0, 4)}, counts)


def untrusted(checks, house, client, canaries, ours):
    """In a folder that nobody trusts nothing is run; the person is told once how that is changed, and the model is not."""
    canary = os.path.join(house.folder, "canary")
    fake = "#!/bin/sh\necho ran >> '%s'\n" % canary
    spec = {"files": {"ruff.toml": "", "app.py": APP, "tools/ruff": fake}, "args": BYPASS, "prompt": "Compare by identity.",
            "turns": [{"tools": [tool("Bash", command="chmod +x tools/ruff")]}, {"tools": [tool("Read", file_path="{{CWD}}/app.py")]},
                      {"tools": [tool("Edit", file_path="{{CWD}}/app.py", old_string='name == "x"', new_string='name is "x"')]},
                      {"tools": [tool("Bash", command="sleep 1")]}, {"text": "Done."}],
            "expect": {"result": "Done"}}
    path = os.pathsep.join([os.path.join(house.project, "tools"), "/usr/local/bin:/usr/bin:/bin"])
    run, = house.play("check-untrusted", spec, client, env={"PATH": path})
    checks.nothing("the client did what it was asked to", run["failures"])
    checks.that("nothing was run", not os.path.exists(canary), "a tool of the folder has run")
    texts = requests(run)
    checks.nothing("the model hears nothing of it", (text[-800:] for text in texts if "checks trust" in text))
    lines = told(run, "throughline checks trust")
    checks.that("the person is told once", len(lines) == 1, lines)


STORIES = {"check-untrusted": untrusted, "check-python": python, "check-typescript": typescript, "check-quiet": quiet}
