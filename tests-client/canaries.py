"""Secrets that exist nowhere else, and a search that finds them in any coat.

Each run makes new ones, so a hit is never an old file's. Tokens with a checksum get a right one: a redactor may
rightly ignore what cannot be a token.
"""
import base64
import json
import os
import random
import string
import urllib.parse
import zlib

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase


def _letters(rng, length, alphabet=BASE62):
    return "".join(rng.choice(alphabet) for _ in range(length))


def _github_token(rng):
    body = _letters(rng, 30)
    number, digits = zlib.crc32(body.encode()), ""
    while number:
        number, digit = divmod(number, 62)
        digits = BASE62[digit] + digits
    return "ghp_" + body + digits.rjust(6, "0")


def _private_key(rng):
    lines = [_letters(rng, 64, BASE62 + "+/") for _ in range(6)]
    return "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n" % "\n".join(lines), lines


class Canaries:
    """Named values; `all` lists every byte string that may never reach a disk."""

    def __init__(self, seed=None):
        self.seed = seed if seed is not None else random.SystemRandom().randrange(1 << 32)
        rng = random.Random(self.seed)
        self.github = _github_token(rng)
        self.aws = _letters(rng, 40, BASE62 + "+/")
        self.password = _letters(rng, 8) + "!" + _letters(rng, 9)
        self.database = _letters(rng, 20)
        self.command = _letters(rng, 16)
        self.bearer = _letters(rng, 43, BASE62 + "-_")
        self.pem, pem_lines = _private_key(rng)
        # Words, not a token: only the <private> tags say that they are nobody's business.
        self.private = "orchid %s harbor" % _letters(rng, 10, string.ascii_lowercase)
        self.private_turn = "walnut %s river" % _letters(rng, 10, string.ascii_lowercase)
        self.all = {"github token": self.github, "aws secret": self.aws, "password": self.password,
                    "database password": self.database, "command line password": self.command,
                    "bearer token": self.bearer, "private part of a prompt": self.private,
                    "entirely private prompt": self.private_turn}
        self.all.update({"private key line %d" % i: line for i, line in enumerate(pem_lines)})

    def env_file(self):
        return ("# settings of the service\nPORT=8080\nLOG_LEVEL=debug\nGITHUB_TOKEN=%s\n"
                "AWS_SECRET_ACCESS_KEY=%s\npassword = \"%s\"\nDATABASE_URL=postgres://app:%s@db.internal:5432/app\n"
                % (self.github, self.aws, self.password, self.database))

    def found_under(self, folder):
        """[(name of the canary, its coat, file)] for every file below the folder."""
        hits = []
        coats = [(name, coat, needle) for name, value in self.all.items() for coat, needle in _coats(value)]
        for root, _, files in os.walk(folder):
            for name in files:
                path = os.path.join(root, name)
                try:
                    with open(path, "rb") as f:
                        data = f.read()
                except OSError:
                    continue  # a socket, or gone meanwhile
                hits += [(canary, coat, os.path.relpath(path, folder)) for canary, coat, needle in coats if needle in data]
        return hits


def _coats(value):
    """A value as itself, escaped for JSON once and twice, percent-encoded, in hex, and in base64 at any of its three alignments."""
    raw = value.encode()
    once = json.dumps(value)[1:-1]
    coats = {"raw": raw, "json": once.encode(), "json in json": json.dumps(once)[1:-1].encode(),
             "json, slashes escaped": once.replace("/", "\\/").encode(), "percent": urllib.parse.quote(value, safe="").encode(),
             "hex": raw.hex().encode(), "utf-16": value.encode("utf-16-le")}
    for shift in range(3):
        # The first and last groups mix with their neighbors; what lies between is the same wherever it is embedded.
        encoded = base64.b64encode(b"\0" * shift + raw)
        inner = encoded[4 if shift else 0:(len(raw) + shift) // 3 * 4]
        coats["base64+%d" % shift] = inner
        coats["base64url+%d" % shift] = inner.replace(b"+", b"-").replace(b"/", b"_")
    seen = set()
    for coat, needle in coats.items():
        if needle not in seen:
            seen.add(needle)
            yield coat, needle
