"""The public packages the code map is measured on: what is fetched, in which version, with which contents."""
import collections

# `kind` is the client that fetches `fetch`. `keep` are the parts a checkout of the project would hold: what npm
# packages ship beside their sources is compiled from them and would be counted twice; for Debian's packages it is the
# import path below their source folder. `sha256` is of the kept tree (fetch.tree_hash): archives may be packed anew.
Package = collections.namedtuple("Package", "name language kind fetch version keep sha256")

ALL = [
    Package("flask", "python", "pip", "flask", "3.0.3", None,
            "a46cbcc546b1fb1b8b8ae0156690f313e0371bf7dde8a23f25db4551b93974d9"),
    Package("click", "python", "pip", "click", "8.1.8", None,
            "4a75948e6f02d6c36f4ce7a8fbd18fff07b57f8e63fd20fab023a1fad52958ce"),
    Package("httpx", "python", "pip", "httpx", "0.27.2", None,
            "edda5774f383a5023dac02732b8a60ec29c2a879cfbaca4853a7cdde0e0be88d"),
    Package("rich", "python", "pip", "rich", "13.9.4", None,
            "cfe7ec070daab0c3142df83e557710e57d5b2812b63f113c58d753e1118f2442"),
    Package("rxjs", "typescript", "npm", "rxjs", "7.8.1", ["src", "package.json", "tsconfig.json"],
            "1ba27191181bfb018f93bd7e0f33a54232a924a225ff9a5b43bbcf40f7dbcd5d"),
    Package("zod", "typescript", "npm", "zod", "4.1.12", ["src", "package.json"],
            "88a7f201a50ae357c8f784b989504ea47a4675a64f88290ff55aefa8f2403fd1"),
    Package("query-core", "typescript", "npm", "@tanstack/query-core", "5.59.0", ["src", "package.json"],
            "4ee6f0b047c899c1ae3a1a97cddd6cb1197eb0b0209904e4e7714dabca6b4cfe"),
    Package("mobx", "typescript", "npm", "mobx", "6.13.5", ["src", "package.json"],
            "19c694edf319af74e4d80045a31e82455310734e939fb6316ec0fa91165ac7ed"),
    Package("cobra", "go", "apt", "golang-github-spf13-cobra-dev", "1.6.1-1", "github.com/spf13/cobra",
            "276109440ffd01cb0844dfc9b65fa74507aaf79874046b66ffc7919b2b1acd30"),
    Package("chi", "go", "apt", "golang-github-go-chi-chi-dev", "5.0.7-1", "github.com/go-chi/chi",
            "35d7b15ce8b39353d4b5bebafd88154d75dc661aacef86c2c85160e4ab73de8d"),
    Package("mux", "go", "apt", "golang-github-gorilla-mux-dev", "1.8.0-1", "github.com/gorilla/mux",
            "4aa1d5e4f561f1904b990afd63ed1760c28744b0027ae60464d7070c73627be2"),
    Package("toml", "go", "apt", "golang-github-burntsushi-toml-dev", "1.2.0-2", "github.com/BurntSushi/toml",
            "80dfae72c83366208e1c21e75dc14b7b0d3fdd7a1ac3355a1c4cbf4156194947"),
    Package("ignore", "rust", "cargo", "ignore", "0.4.34", None,
            "9414c02b208781dc37cd13e3a393ac1e16bac38308886c51f2db41b19d765403"),
    Package("globset", "rust", "cargo", "globset", "0.4.21", None,
            "0312d4922926d5f4440fe459e4bc5c290ae1f405c7d6418070bcbc938017f16c"),
    Package("http", "rust", "cargo", "http", "1.5.0", None,
            "aad2a83e1a9c62041acdb471b42dc2e4ded7300a93d8326a890f562654b843ef"),
    Package("tower", "rust", "cargo", "tower", "0.5.3", None,
            "4c7754caeb2d119375be5794ab83765d0373cd0dca7f9591801d0e1ce4463262"),
]
NAMED = {package.name: package for package in ALL}
LANGUAGES = ["python", "typescript", "rust", "go"]
ENDINGS = {"python": (".py", ".pyi"), "typescript": (".ts", ".tsx", ".mts", ".cts"), "rust": (".rs",), "go": (".go",)}

# What the independent parsers need: the TypeScript compiler from npm, Go from Debian. Python's parser comes with
# Python, the one for Rust is built from oracle-rust/.
TYPESCRIPT = "5.6.3"
GO = "1.19"
