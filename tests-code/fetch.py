#!/usr/bin/env python3
"""Fetches the packages the code map is measured on, and the parsers it is measured against, into a cache folder.

    fetch.py [--packages-only]

The folder is THROUGHLINE_TEST_CACHE, or target/code-packages of the repository. Everything is fetched by name with the
client of its kind (pip, npm, apt-get, cargo), which knows where its index is. What is there and has the right hash is
not fetched again, so a second run needs no network. What cannot be fetched: a sentence, and exit code 77.
"""
import argparse
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)

import packages  # noqa: E402

SKIPPED = 77
# pip builds the metadata of a source distribution, cargo reads an index: minutes on a slow line.
FETCH_SECONDS = 600


class Unreachable(Exception):
    """Something cannot be fetched here. The message says what."""


def cache():
    return os.path.abspath(os.environ.get("THROUGHLINE_TEST_CACHE") or os.path.join(ROOT, "target", "code-packages"))


def folder(package):
    return os.path.join(cache(), "packages", "%s-%s" % (package.name, package.version))


def tree_hash(top):
    """Of the names and the contents of all files below, in the order of their names."""
    total = hashlib.sha256()
    files = sorted(os.path.relpath(os.path.join(root, name), top) for root, _, names in os.walk(top) for name in names)
    for file in files:
        path = os.path.join(top, file)
        if os.path.islink(path):
            continue
        with open(path, "rb") as opened:
            total.update(("%s\0%s\n" % (file, hashlib.sha256(opened.read()).hexdigest())).encode())
    return total.hexdigest()


def run(command, cwd, what, env=None):
    try:
        ran = subprocess.run(command, cwd=cwd, env=dict(os.environ, **(env or {})), stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=FETCH_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        raise Unreachable("%s cannot be fetched: %s" % (what, error)) from error
    if ran.returncode != 0:
        raise Unreachable("%s cannot be fetched, %s said:\n%s" % (what, command[0], ran.stdout[-1500:]))
    return ran.stdout


def one(pattern, what):
    found = glob.glob(pattern)
    if len(found) != 1:
        raise Unreachable("%s: %d files instead of one match %s" % (what, len(found), os.path.basename(pattern)))
    return found[0]


def unpack(archive, into):
    """The single folder inside."""
    with tarfile.open(archive) as tar:
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        tar.extractall(into, **safe)
    return one(os.path.join(into, "*", ""), archive)


def from_pip(package, scratch):
    # Wheels have no tests; many calls are there.
    run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary",
         ":all:", "%s==%s" % (package.fetch, package.version)], scratch, package.name)
    return unpack(one(os.path.join(scratch, "*.tar.gz"), package.name), os.path.join(scratch, "unpacked"))


def from_npm(package, scratch):
    run(["npm", "pack", "--silent", "%s@%s" % (package.fetch, package.version)], scratch, package.name)
    top = unpack(one(os.path.join(scratch, "*.tgz"), package.name), os.path.join(scratch, "unpacked"))
    kept = os.path.join(scratch, "kept")
    os.mkdir(kept)
    for part in package.keep:
        shutil.move(os.path.join(top, part), os.path.join(kept, part))
    return kept


def debian(names, scratch, into, what):
    """Unpacked, not installed: nobody's system changes, and nobody needs to be root for it."""
    try:
        run(["apt-get", "download"] + names, scratch, what)
    except Unreachable:
        # The list of packages may be old or missing. Where we may not renew it the first answer stands.
        subprocess.run(["apt-get", "update"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        run(["apt-get", "download"] + names, scratch, what)
    for archive in glob.glob(os.path.join(scratch, "*.deb")):
        run(["dpkg-deb", "-x", archive, into], scratch, what)


def from_apt(package, scratch):
    debian(["%s=%s" % (package.fetch, package.version)], scratch, os.path.join(scratch, "unpacked"), package.name)
    return os.path.join(scratch, "unpacked", "usr", "share", "gocode", "src", *package.keep.split("/"))


def from_cargo(package, scratch):
    os.makedirs(os.path.join(scratch, "src"))
    with open(os.path.join(scratch, "src", "lib.rs"), "w", encoding="utf-8"):
        pass
    with open(os.path.join(scratch, "Cargo.toml"), "w", encoding="utf-8") as file:
        file.write('[package]\nname = "scratch"\nversion = "0.0.0"\nedition = "2021"\n\n[workspace]\n\n[dependencies]\n'
                   '%s = "=%s"\n' % (package.fetch, package.version))
    run(["cargo", "vendor", "--quiet", "--versioned-dirs", "vendor"], scratch, package.name)
    top = os.path.join(scratch, "vendor", "%s-%s" % (package.fetch, package.version))
    # Written by cargo, not by the authors, and different from one cargo to the next.
    for ours in (".cargo-checksum.json", ".cargo-ok", ".cargo_vcs_info.json", "Cargo.lock"):
        if os.path.exists(os.path.join(top, ours)):
            os.remove(os.path.join(top, ours))
    return top


CLIENTS = {"pip": from_pip, "npm": from_npm, "apt": from_apt, "cargo": from_cargo}


def fetch_package(package):
    target = folder(package)
    if os.path.isdir(target):
        if tree_hash(target) == package.sha256:
            return False
        shutil.rmtree(target)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache(), prefix="fetching-") as scratch:
        top = CLIENTS[package.kind](package, scratch)
        found = tree_hash(top)
        if found != package.sha256:
            raise Unreachable("%s %s has the hash %s, not %s" % (package.name, package.version, found, package.sha256))
        os.rename(top, target)
    return True


def typescript():
    """The compiler as a node module."""
    top = os.path.join(cache(), "tools", "typescript-" + packages.TYPESCRIPT)
    module = os.path.join(top, "node_modules", "typescript", "lib", "typescript.js")
    if not os.path.exists(module):
        os.makedirs(top, exist_ok=True)
        run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", top,
             "typescript@" + packages.TYPESCRIPT], top, "the TypeScript compiler")
    return module


def go():
    """(the command, the environment it needs)."""
    top = os.path.join(cache(), "tools", "go-" + packages.GO)
    home = os.path.join(top, "usr", "lib", "go-" + packages.GO)
    command = os.path.join(home, "bin", "go")
    if not os.path.exists(command):
        with tempfile.TemporaryDirectory(prefix="fetching-") as scratch:
            names = ["golang-%s-%s" % (packages.GO, part) for part in ("go", "src")]
            debian(names, scratch, top, "Go")
    return command, {"GOROOT": home, "GO111MODULE": "off", "CGO_ENABLED": "0", "GOFLAGS": "",
                     "GOPATH": os.path.join(top, "path"), "GOCACHE": os.path.join(top, "cache")}


def oracle_rust():
    """The parser of Rust files, built from beside us into the cache."""
    target = os.path.join(cache(), "tools", "oracle-rust")
    run(["cargo", "build", "--quiet", "--locked"], os.path.join(HERE, "oracle-rust"), "the parser for Rust",
        {"CARGO_TARGET_DIR": target})
    return os.path.join(target, "debug", "oracle-rust")


def fetch_all(packages_only=False, say=print):
    os.makedirs(cache(), exist_ok=True)
    for package in packages.ALL:
        if fetch_package(package):
            say("fetched %s %s" % (package.name, package.version))
    if not packages_only:
        typescript()
        go()
        oracle_rust()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packages-only", action="store_true")
    try:
        fetch_all(parser.parse_args().packages_only)
    except Unreachable as trouble:
        print("SKIPPED: %s" % trouble)
        return SKIPPED
    print("%d packages in %s" % (len(packages.ALL), os.path.relpath(cache())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
