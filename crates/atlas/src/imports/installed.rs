//! Whether something that is not of the workspace may be there: part of the language, installed, or declared. Anything
//! that cannot be told is taken to be there.

use std::fs;
use std::path::{Path, PathBuf};

/// A manifest of more is not read for this.
const MAX_MANIFEST: u64 = 4 << 20;

pub(super) fn may_be(root: &Path, file: &str, language: &str, module: &str) -> bool {
    match language {
        "typescript" | "tsx" | "javascript" => node(root, file, module),
        "python" => python(root, file, module),
        "rust" => rust(root, file, module),
        "go" => go(root, file, module),
        _ => true,
    }
}

/// The folders above a file, the nearest first, the workspace last.
fn above(root: &Path, file: &str) -> Vec<PathBuf> {
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    folder.ancestors().map(|inside| root.join(inside)).collect()
}

fn read(path: &Path) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    (about.is_file() && about.len() <= MAX_MANIFEST).then(|| fs::read_to_string(path).ok()).flatten()
}

const NODE: &[&str] = &[
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
    "test",
    "sqlite",
    "sea",
];

fn node(root: &Path, file: &str, module: &str) -> bool {
    // Schemes, aliases of bundlers, and files that a bundler makes into modules.
    if module.contains(':')
        || module.starts_with(['#', '~', '@', '/', '.']) && !is_scoped(module)
        || module.contains(['!', '?'])
    {
        return true;
    }
    let depth = if is_scoped(module) { 2 } else { 1 };
    let package: String = module.split('/').take(depth).collect::<Vec<_>>().join("/");
    if NODE.contains(&module.split('/').next().unwrap_or(module)) {
        return true;
    }
    let mut manifests = 0;
    for folder in above(root, file) {
        if folder.join("node_modules").join(&package).exists()
            || folder.join("node_modules/@types").join(package.replace('/', "__")).exists()
        {
            return true;
        }
        if let Some(text) = read(&folder.join("package.json")) {
            manifests += 1;
            // Declared in any of its tables; also its own name.
            if text.contains(&format!("\"{package}\"")) || text.contains(&format!("\"@types/{package}\"")) {
                return true;
            }
        }
        // Aliases of paths are the language's own matter, and may name anything.
        if read(&folder.join("tsconfig.json"))
            .is_some_and(|text| text.contains("\"baseUrl\"") || text.contains("\"paths\""))
        {
            return true;
        }
    }
    // Without a manifest nobody declares anything: Deno, import maps, a folder of scripts.
    manifests == 0
}

fn is_scoped(module: &str) -> bool {
    module.strip_prefix('@').is_some_and(|rest| {
        rest.split_once('/').is_some_and(|(scope, name)| !scope.is_empty() && !name.is_empty())
    })
}

fn python(root: &Path, file: &str, module: &str) -> bool {
    let top = module.split('.').next().unwrap_or(module);
    if top.is_empty() || top.starts_with('_') || PYTHON.contains(&top) {
        return true;
    }
    let mut packages = Vec::new();
    for folder in above(root, file) {
        for name in [".venv", "venv", "env", ".env"] {
            let Ok(versions) = fs::read_dir(folder.join(name).join("lib")) else { continue };
            packages
                .extend(versions.filter_map(Result::ok).map(|version| version.path().join("site-packages")));
        }
    }
    packages.retain(|folder| folder.is_dir());
    // Who has no environment of their own has one somewhere else.
    if packages.is_empty() {
        return true;
    }
    let is_there = |folder: &PathBuf| {
        let Ok(entries) = fs::read_dir(folder) else { return true };
        entries.filter_map(Result::ok).any(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // A package, a module, an extension; a path file or an editable install may bring anything.
            *name == *top
                || name.strip_prefix(top).is_some_and(|rest| {
                    rest.starts_with(".py") || rest.starts_with(".cpython") || rest.starts_with(".abi3")
                })
                || name.starts_with("__editable__")
                || name.ends_with(".egg-link")
                || name.ends_with(".pth")
                    && !name.starts_with("distutils-precedence")
                    && !name.starts_with('_')
        })
    };
    packages.iter().any(is_there)
}

fn rust(root: &Path, file: &str, module: &str) -> bool {
    let top = module.trim_start_matches("::").split("::").next().unwrap_or(module);
    // A path may begin with anything that is in sight; a dependency is one word in lower case.
    if matches!(
        top,
        "" | "std" | "core" | "alloc" | "proc_macro" | "test" | "crate" | "self" | "super" | "Self"
    ) || top.starts_with(char::is_uppercase)
    {
        return true;
    }
    for folder in above(root, file) {
        let Some(text) = read(&folder.join("Cargo.toml")) else { continue };
        // The nearest package decides; a workspace without one declares for others.
        let declares = |name: &str| {
            text.lines().any(|line| {
                let line = line.trim();
                let key = line.split(['=', '.', ' ']).next().unwrap_or("").trim_matches('"');
                key == name
                    || line.contains(&format!("dependencies.{name}]"))
                    || line == format!("name = \"{name}\"")
            })
        };
        return declares(top) || declares(&top.replace('_', "-"));
    }
    true
}

fn go(root: &Path, file: &str, module: &str) -> bool {
    let first = module.split('/').next().unwrap_or(module);
    // The language's own have no dot in their first part.
    if !first.contains('.') {
        return true;
    }
    for folder in above(root, file) {
        if folder.join("vendor").join(module).is_dir() {
            return true;
        }
        if let Some(text) = read(&folder.join("go.mod")) {
            return text.lines().any(|line| {
                line.split_whitespace().any(|word| {
                    word.contains('.')
                        && (module == word
                            || module.strip_prefix(word).is_some_and(|rest| rest.starts_with('/')))
                })
            });
        }
    }
    true
}

const PYTHON: &[&str] = &[
    "abc",
    "aifc",
    "argparse",
    "array",
    "ast",
    "asyncio",
    "atexit",
    "audioop",
    "base64",
    "bdb",
    "binascii",
    "bisect",
    "builtins",
    "bz2",
    "calendar",
    "cgi",
    "cgitb",
    "chunk",
    "cmath",
    "cmd",
    "code",
    "codecs",
    "codeop",
    "collections",
    "colorsys",
    "compileall",
    "compression",
    "concurrent",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "copyreg",
    "cProfile",
    "crypt",
    "csv",
    "ctypes",
    "curses",
    "dataclasses",
    "datetime",
    "dbm",
    "decimal",
    "difflib",
    "dis",
    "distutils",
    "doctest",
    "email",
    "encodings",
    "ensurepip",
    "enum",
    "errno",
    "faulthandler",
    "fcntl",
    "filecmp",
    "fileinput",
    "fnmatch",
    "formatter",
    "fractions",
    "ftplib",
    "functools",
    "gc",
    "getopt",
    "getpass",
    "gettext",
    "glob",
    "graphlib",
    "grp",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "idlelib",
    "imaplib",
    "imghdr",
    "imp",
    "importlib",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "keyword",
    "lib2to3",
    "linecache",
    "locale",
    "logging",
    "lzma",
    "mailbox",
    "mailcap",
    "marshal",
    "math",
    "mimetypes",
    "mmap",
    "modulefinder",
    "msilib",
    "msvcrt",
    "multiprocessing",
    "netrc",
    "nis",
    "nntplib",
    "ntpath",
    "numbers",
    "operator",
    "optparse",
    "os",
    "ossaudiodev",
    "parser",
    "pathlib",
    "pdb",
    "pickle",
    "pickletools",
    "pipes",
    "pkgutil",
    "platform",
    "plistlib",
    "poplib",
    "posix",
    "posixpath",
    "pprint",
    "profile",
    "pstats",
    "pty",
    "pwd",
    "py_compile",
    "pyclbr",
    "pydoc",
    "queue",
    "quopri",
    "random",
    "re",
    "readline",
    "reprlib",
    "resource",
    "rlcompleter",
    "runpy",
    "sched",
    "secrets",
    "select",
    "selectors",
    "shelve",
    "shlex",
    "shutil",
    "signal",
    "site",
    "smtpd",
    "smtplib",
    "sndhdr",
    "socket",
    "socketserver",
    "spwd",
    "sqlite3",
    "sre_compile",
    "sre_constants",
    "sre_parse",
    "ssl",
    "stat",
    "statistics",
    "string",
    "stringprep",
    "struct",
    "subprocess",
    "sunau",
    "symbol",
    "symtable",
    "sys",
    "sysconfig",
    "syslog",
    "tabnanny",
    "tarfile",
    "telnetlib",
    "tempfile",
    "termios",
    "test",
    "textwrap",
    "this",
    "threading",
    "time",
    "timeit",
    "tkinter",
    "token",
    "tokenize",
    "tomllib",
    "trace",
    "traceback",
    "tracemalloc",
    "tty",
    "turtle",
    "types",
    "typing",
    "unicodedata",
    "unittest",
    "urllib",
    "uu",
    "uuid",
    "venv",
    "warnings",
    "wave",
    "weakref",
    "webbrowser",
    "winreg",
    "winsound",
    "wsgiref",
    "xdrlib",
    "xml",
    "xmlrpc",
    "zipapp",
    "zipfile",
    "zipimport",
    "zlib",
    "zoneinfo",
    "annotationlib",
    "pip",
    "setuptools",
    "pkg_resources",
    "typing_extensions",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_installed_or_declared_is_there_and_what_is_not_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let put = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("package.json", r#"{"name": "app", "dependencies": {"react": "18"}}"#);
        put("node_modules/@scope/thing/index.js", "");
        put(
            "Cargo.toml",
            "[package]\nname = \"app\"\n[dependencies]\nserde-json = \"1\"\ntokio = { version = \"1\" }\n[dev-dependencies.insta]\nversion = \"1\"\n",
        );
        put("go.mod", "module example.com/app\n\nrequire (\n\tgithub.com/spf13/cobra v1.0.0\n)\n");
        put(".venv/lib/python3.11/site-packages/requests/__init__.py", "");
        put(".venv/lib/python3.11/site-packages/six.py", "");
        for (language, module, there) in [
            ("typescript", "react", true),
            ("typescript", "react/jsx-runtime", true),
            ("typescript", "node:fs", true),
            ("typescript", "fs/promises", true),
            ("typescript", "@scope/thing/deep", true),
            ("typescript", "raect", false),
            ("typescript", "@scope/other", false),
            ("rust", "serde_json", true),
            ("rust", "tokio::sync", true),
            ("rust", "insta", true),
            ("rust", "std::fs", true),
            ("rust", "serde_jsn", false),
            ("go", "net/http", true),
            ("go", "github.com/spf13/cobra/doc", true),
            ("go", "example.com/app/x", true),
            ("go", "github.com/spf13/viper", false),
            ("python", "os.path", true),
            ("python", "requests.adapters", true),
            ("python", "six", true),
            ("python", "reqests", false),
            ("ruby", "anything", true),
        ] {
            assert_eq!(may_be(root, "src/a.x", language, module), there, "{language} {module}");
        }
        let bare = tempfile::tempdir().unwrap();
        for (language, module) in [("typescript", "x"), ("python", "x"), ("rust", "x"), ("go", "a.b/x")] {
            assert!(may_be(bare.path(), "a.x", language, module), "without manifests nothing can be told");
        }
    }
}
