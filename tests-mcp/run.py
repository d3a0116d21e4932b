#!/usr/bin/env python3
"""The official Python SDK as a client of `throughline mcp`: handshake and discovery, every tool, paging, trouble.

    run.py --throughline BIN [--inspector] [--keep]

Started by `cargo xtask mcp-test`. This file needs the standard library only: the SDK is fetched with pip into a virtual
environment under .tools/ once, and scenarios.py runs there. With --inspector the official inspector, fetched with
npx, asks the same server in its command-line mode. What cannot be fetched is not tested: exit code 77.
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
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
SKIPPED = 77
# pip and npx fetch some dozens of packages.
FETCH_SECONDS = 600


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


def ask_with_inspector(binary, home):
    """What the inspector says to some questions; None where npx cannot help."""
    if not shutil.which("npx"):
        return None
    tools = os.path.join(ROOT, ".tools", "npm")
    env = dict(environment(home), npm_config_cache=tools)
    base = ["npx", "--yes", INSPECTOR, "--cli", binary, "mcp"]
    said = []
    for question in (["--method", "tools/list"], ["--method", "resources/templates/list"], ["--method", "prompts/list"],
                     ["--method", "tools/call", "--tool-name", "mem_save", "--tool-arg", "text=The inspector was here."],
                     ["--method", "tools/call", "--tool-name", "mem_search", "--tool-arg", "query=inspector"]):
        try:
            asked = subprocess.run(base + question, env=env, cwd=home, capture_output=True, text=True,
                                   timeout=FETCH_SECONDS, check=False)
        except subprocess.SubprocessError:
            return None
        if asked.returncode != 0 and not said:
            print(asked.stderr[-2000:])
            return None
        said.append(json.loads(asked.stdout) if asked.returncode == 0 else {"failed": asked.stderr})
    return said


def check_inspector(binary, home):
    """How many checks held, or None."""
    said = ask_with_inspector(binary, home)
    if said is None:
        return None
    tools, templates, prompts, saved, found = said
    checks = [
        ("the inspector lists the tools", any(tool["name"] == "mem_search" for tool in tools.get("tools", []))),
        ("the inspector lists the templates", len(templates.get("resourceTemplates", [])) == 2),
        ("the inspector lists the prompts", len(prompts.get("prompts", [])) == 3),
        ("the inspector saves a memory", "id" in saved.get("structuredContent", {})),
        ("the inspector finds it again", "The inspector was here" in json.dumps(found)),
    ]
    for sentence, holds in checks:
        print("  %s  %s" % ("ok  " if holds else "FAIL", sentence), flush=True)
    if not all(holds for _, holds in checks):
        print(json.dumps(said)[:4000])
        sys.exit(1)
    return len(checks)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--throughline", required=True)
    parser.add_argument("--inspector", action="store_true")
    parser.add_argument("--keep", action="store_true", help="leave the home of the test behind")
    arguments = parser.parse_args()
    binary = os.path.abspath(arguments.throughline)
    python = python_with_sdk()
    if python is None:
        print("SKIPPED: the SDK cannot be fetched, pip cannot reach an index")
        return SKIPPED
    home = tempfile.mkdtemp(prefix="tests-mcp-")
    try:
        os.mkdir(os.path.join(home, "work"))
        ran = subprocess.run([python, os.path.join(HERE, "scenarios.py"), binary, home], env=environment(home),
                             stdout=subprocess.PIPE, text=True, check=False)
        print(ran.stdout, end="")
        if ran.returncode != 0:
            return 1
        held = int(ran.stdout.rsplit("held: ", 1)[1])
        if arguments.inspector:
            by_inspector = check_inspector(binary, home)
            if by_inspector is None:
                print("SKIPPED: the inspector cannot be fetched, npx cannot reach a registry")
            held += by_inspector or 0
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
