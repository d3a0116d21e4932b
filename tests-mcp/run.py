#!/usr/bin/env python3
"""The protocol's official clients against `throughline mcp` and the daemon's HTTP door: handshake and discovery, every
tool, paging, folders, strangers, trouble.

    run.py --throughline BIN [--keep] [--fetch]

Started by `cargo xtask mcp-test`. This file needs the standard library only: the Python SDK is fetched with pip into a
virtual environment under .tools/ once, and scenarios.py runs there; the inspector is fetched with npm beside it and
asks both doors in its command-line mode. What cannot be fetched is not tested: exit code 77.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

# Another version is another client: change it when its tests were looked at.
SDK, SDK_VERSION = "mcp", "2.3.0"
INSPECTOR, INSPECTOR_VERSION = "@modelcontextprotocol/inspector", "2.12.0"
SKIPPED = 77
# pip and npm fetch some dozens of packages.
FETCH_SECONDS = 600
# One question, on a machine that does other things as well.
ASK_SECONDS = 60


def python_with_sdk():
    """The interpreter of the environment that has the SDK; None where pip cannot help."""
    folder = os.path.join(ROOT, ".tools", "%s-%s" % (SDK, SDK_VERSION))
    python = os.path.join(folder, "bin", "python")
    has_sdk = lambda: os.path.exists(python) and subprocess.run(  # noqa: E731
        [python, "-c", "import mcp"], stderr=subprocess.DEVNULL).returncode == 0
    if not has_sdk():
        shutil.rmtree(folder, ignore_errors=True)
        try:
            venv.create(folder, with_pip=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                            "%s==%s" % (SDK, SDK_VERSION)], timeout=FETCH_SECONDS, check=False)
        except (OSError, subprocess.SubprocessError) as error:
            print("cannot make an environment: %s" % error)
    return python if has_sdk() else None


def environment(home):
    """Nothing of the person's but where programs are."""
    return {"HOME": home, "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "PYTHONDONTWRITEBYTECODE": "1"}


def stop(binary, home):
    subprocess.run([binary, "daemon", "stop"], env=environment(home), stdout=subprocess.DEVNULL, check=False)


def inspector():
    """The inspector's own program; None where npm cannot help."""
    folder = os.path.join(ROOT, ".tools", "inspector-%s" % INSPECTOR_VERSION)
    program = os.path.join(folder, "node_modules", *INSPECTOR.split("/"), "clients", "launcher", "build", "index.js")
    if not (shutil.which("npm") and shutil.which("node")):
        return None
    if not os.path.exists(program):
        env = dict(os.environ, npm_config_cache=os.path.join(ROOT, ".tools", "npm"))
        try:
            subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder,
                            "%s@%s" % (INSPECTOR, INSPECTOR_VERSION)], env=env, timeout=FETCH_SECONDS, check=False)
        except (OSError, subprocess.SubprocessError) as error:
            print("cannot fetch the inspector: %s" % error)
    return program if os.path.exists(program) else None


def doors(binary, home):
    """How the inspector is told to come in."""
    with open(os.path.join(home, ".throughline", "default", "run", "token"), encoding="ascii") as file:
        token = file.read().strip()
    shown = subprocess.run([binary, "mcp", "--http", "--json"], env=environment(home), capture_output=True, text=True,
                           check=True).stdout
    url = json.loads(shown)["mcpServers"]["throughline"]["url"]
    yield "pipe", [binary, "mcp"]
    yield "http", [url, "--transport", "http", "--header", "Authorization: Bearer " + token]


def check_inspector(program, binary, home):
    """How many checks held."""
    held = 0
    for door, entrance in doors(binary, home):
        def ask(*question):
            asked = subprocess.run(["node", program, "--cli", *entrance, *question], env=environment(home), cwd=home,
                                   capture_output=True, text=True, timeout=ASK_SECONDS, check=False)
            if asked.returncode != 0:
                print("  FAIL  inspector, %s: %s\n%s" % (door, question, asked.stderr[-2000:] or asked.stdout[-2000:]))
                sys.exit(1)
            return json.loads(asked.stdout)

        text = "The inspector was here, over %s." % door
        # Strict: a schema that some client cannot take is an error.
        tools = ask("--method", "tools/list", "--strict")
        templates = ask("--method", "resources/templates/list")
        prompts = ask("--method", "prompts/list")
        saved = ask("--method", "tools/call", "--tool-name", "mem_save", "--tool-arg", "text=" + text)
        found = ask("--method", "tools/call", "--tool-name", "mem_search", "--tool-arg", "query=inspector")
        for sentence, holds in (
                ("lists the tools", any(tool["name"] == "mem_search" for tool in tools["tools"])),
                ("lists the templates", len(templates["resourceTemplates"]) == 2),
                ("lists the prompts", len(prompts["prompts"]) >= 3),
                ("saves a memory", "id" in saved["structuredContent"]),
                ("finds it again", text in json.dumps(found))):
            print("  %s  the inspector %s, over %s" % ("ok  " if holds else "FAIL", sentence, door), flush=True)
            if not holds:
                sys.exit(1)
            held += 1
    return held


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--throughline", required=True)
    parser.add_argument("--keep", action="store_true", help="leave the home of the test behind")
    parser.add_argument("--fetch", action="store_true", help="fetch the clients and do nothing else")
    arguments = parser.parse_args()
    binary = os.path.abspath(arguments.throughline)
    python, program = python_with_sdk(), inspector()
    if python is None or program is None:
        print("SKIPPED: the clients cannot be fetched, %s" % ("pip" if python is None else "npm") + " cannot reach its index")
        return SKIPPED
    if arguments.fetch:
        return 0
    home = tempfile.mkdtemp(prefix="tests-mcp-")
    try:
        os.mkdir(os.path.join(home, "work"))
        ran = subprocess.run([python, os.path.join(HERE, "scenarios.py"), binary, home], env=environment(home),
                             stdout=subprocess.PIPE, text=True, check=False)
        print(ran.stdout, end="")
        if ran.returncode != 0:
            return 1
        held = int(ran.stdout.rsplit("held: ", 1)[1]) + check_inspector(program, binary, home)
        print("mcp test: %d checks held" % held)
        return 0
    finally:
        stop(binary, home)
        if arguments.keep:
            print("kept: %s" % home)
        else:
            shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
