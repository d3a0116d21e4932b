//! Key words a memory is also found by: what people call a thing that its own words do not.

use crate::text::has_word;

/// A concept and what shows it. Words are matched whole; the list is small on purpose: a key word on everything
/// finds nothing.
const CONCEPTS: &[(&str, &[&str])] = &[
    (
        "race condition",
        &["race", "data race", "concurrent", "concurrency", "lost update", "double write", "interleav"],
    ),
    ("deadlock", &["deadlock", "lock order", "AB-BA"]),
    ("locking", &["mutex", "rwlock", "flock", "lock file", "semaphore", "advisory lock"]),
    ("timeout", &["timeout", "timed out", "deadline", "ETIMEDOUT", "DeadlineExceeded", "TimeoutError"]),
    ("retry", &["retry", "retries", "backoff", "back-off"]),
    (
        "auth",
        &[
            "auth",
            "login",
            "oauth",
            "jwt",
            "session cookie",
            "401",
            "403",
            "unauthorized",
            "authentication",
            "authorization",
            "bearer",
            "refresh token",
        ],
    ),
    ("permissions", &["permission denied", "chmod", "EACCES", "forbidden", "0600", "0700", "access denied"]),
    ("secrets", &["secret", "api key", "password", "credential", "credentials", "private key"]),
    (
        "vulnerability",
        &[
            "CVE",
            "RUSTSEC",
            "GHSA",
            "vulnerability",
            "vulnerabilities",
            "injection",
            "XSS",
            "CSRF",
            "SSRF",
            "path traversal",
            "sandbox escape",
        ],
    ),
    (
        "borrow checker",
        &[
            "E0382",
            "E0499",
            "E0502",
            "E0505",
            "E0507",
            "E0515",
            "E0597",
            "E0716",
            "borrowed value",
            "moved value",
        ],
    ),
    (
        "type error",
        &[
            "E0308",
            "TS2322",
            "TS2345",
            "TS2339",
            "TypeError",
            "type mismatch",
            "mismatched types",
            "not assignable",
        ],
    ),
    (
        "missing import",
        &[
            "E0432",
            "E0433",
            "TS2304",
            "TS2307",
            "ModuleNotFoundError",
            "ImportError",
            "Cannot find module",
            "No module named",
            "unresolved import",
        ],
    ),
    (
        "null pointer",
        &[
            "NullPointerException",
            "undefined is not",
            "Cannot read properties of undefined",
            "NoneType",
            "null reference",
            "of null",
        ],
    ),
    ("off by one", &["off by one", "off-by-one", "index out of range", "out of bounds", "IndexError"]),
    ("memory leak", &["leak", "leaks", "OOMKilled", "out of memory", "heap out of memory", "RSS"]),
    (
        "performance",
        &[
            "performance",
            "latency",
            "p95",
            "p99",
            "throughput",
            "slow query",
            "faster",
            "slower",
            "benchmark",
            "profil",
        ],
    ),
    ("n+1 query", &["n+1", "selectinload", "prefetch_related", "eager load"]),
    ("cache", &["cache", "cached", "caching", "memoize", "invalidation"]),
    ("database", &["sqlite", "postgres", "postgresql", "mysql", "sql", "database"]),
    ("migration", &["migration", "migrations", "migrate", "alembic", "schema change"]),
    ("flaky test", &["flaky", "intermittent", "intermittently", "passed with nothing changed"]),
    (
        "tests",
        &[
            "pytest",
            "cargo test",
            "jest",
            "vitest",
            "go test",
            "unit test",
            "regression test",
            "rspec",
            "phpunit",
        ],
    ),
    (
        "build",
        &[
            "cargo build",
            "webpack",
            "vite build",
            "linker",
            "compile",
            "undefined reference",
            "gradle",
            "cmake",
        ],
    ),
    ("lint", &["clippy", "eslint", "ruff", "mypy", "prettier", "rubocop", "golangci-lint"]),
    (
        "dependencies",
        &[
            "npm install",
            "cargo add",
            "pip install",
            "dependency",
            "dependencies",
            "lockfile",
            "ERESOLVE",
            "peer dependency",
            "version conflict",
        ],
    ),
    ("docker", &["docker", "container", "dockerfile", "docker compose"]),
    ("kubernetes", &["kubectl", "kubernetes", "helm", "pod", "CrashLoopBackOff", "k8s"]),
    ("deployment", &["deploy", "deployed", "rollout", "rollback", "terraform"]),
    ("ci", &["github actions", "ci", "workflow", "pipeline", ".github"]),
    (
        "networking",
        &[
            "ECONNREFUSED",
            "connection refused",
            "dns",
            "socket",
            "EADDRINUSE",
            "port is already allocated",
            "address already in use",
            "tls",
            "certificate",
        ],
    ),
    ("proxy", &["proxy", "nginx", "502", "bad gateway", "reverse proxy"]),
    ("rate limit", &["rate limit", "rate limiting", "429", "throttle", "token bucket"]),
    ("encoding", &["utf-8", "utf8", "unicode", "UnicodeDecodeError", "mojibake", "encoding"]),
    ("time zone", &["timezone", "time zone", "utc", "daylight", "naive datetime"]),
    ("serialization", &["serde", "json", "serialize", "deserialize", "protobuf", "yaml"]),
    ("api", &["endpoint", "graphql", "grpc", "http api", "openapi"]),
    ("configuration", &["config", "configuration", "environment variable", "env var", "settings"]),
    ("logging", &["logging", "logger", "tracing", "log level"]),
    ("queue", &["queue", "celery", "rabbitmq", "kafka", "worker"]),
    ("webhook", &["webhook", "webhooks"]),
    ("pagination", &["pagination", "paginate", "cursor", "page size"]),
    ("validation", &["validation", "validate", "zod", "pydantic"]),
    ("error handling", &["error handling", "unwrap", "panic", "exception", "unhandled"]),
    ("merge conflict", &["merge conflict", "CONFLICT (content)", "rebase"]),
    ("documentation", &["readme", "docs", "documentation", "changelog"]),
    ("ui", &["component", "css", "button", "modal", "tooltip", "layout", "react", "vue", "svelte"]),
    ("accessibility", &["aria", "accessibility", "a11y", "screen reader"]),
    ("idempotency", &["idempotent", "idempotency", "exactly once", "duplicate delivery"]),
];

/// More key words make each of them worth less.
const MAX_CONCEPTS: usize = 7;

/// `texts` in order of weight: a title's concepts come before those of a fact.
pub(crate) fn find(texts: &[&str], files: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in texts {
        for (concept, shown_by) in CONCEPTS {
            if found.len() >= MAX_CONCEPTS {
                return found;
            }
            if found.iter().any(|known| known == concept) {
                continue;
            }
            if has_word(text, concept) || shown_by.iter().any(|word| has_word(text, word)) {
                found.push((*concept).to_owned());
            }
        }
    }
    for file in files {
        if let Some(language) = language(file) {
            crate::text::push_new(&mut found, language, MAX_CONCEPTS + 1);
        }
    }
    found
}

fn language(file: &str) -> Option<&'static str> {
    Some(match crate::text::extension(file) {
        "rs" => "rust",
        "ts" | "tsx" => "typescript",
        "js" | "jsx" | "mjs" | "cjs" => "javascript",
        "py" | "ipynb" => "python",
        "go" => "go",
        "java" => "java",
        "kt" => "kotlin",
        "rb" => "ruby",
        "php" => "php",
        "c" | "h" => "c",
        "cc" | "cpp" | "hpp" => "c++",
        "cs" => "c#",
        "swift" => "swift",
        "sql" => "sql",
        "sh" | "bash" => "shell",
        "tf" => "terraform",
        _ => return None,
    })
}

/// Whether a text is about security rather than near it: a file called `auth.rs` is not enough.
pub(crate) fn is_security(text: &str) -> bool {
    const STRONG: &[&str] = &[
        "CVE",
        "RUSTSEC",
        "GHSA",
        "vulnerability",
        "vulnerabilities",
        "sql injection",
        "command injection",
        "shell injection",
        "prompt injection",
        "XSS",
        "CSRF",
        "SSRF",
        "path traversal",
        "directory traversal",
        "zip slip",
        "privilege escalation",
        "auth bypass",
        "authentication bypass",
        "hardcoded secret",
        "hard-coded secret",
        "leaked secret",
        "leaked key",
        "secret leak",
        "plaintext password",
        "plain text password",
        "world-readable",
        "world readable",
        "timing attack",
        "rotate the key",
        "rotated the key",
        "redact secrets",
        "insecure",
        "sanitize",
        "unsanitized",
        "security fix",
        "security hole",
        "security issue",
        "security advisory",
        "remote code execution",
        "open redirect",
        "compare_digest",
        "timingSafeEqual",
        "password hash",
        "bcrypt",
        "argon2",
        "permission check",
        "access control",
        "missing authorization",
        "exposed credentials",
    ];
    STRONG.iter().any(|word| has_word(text, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_search_by_is_added_to_what_was_said() {
        let found = find(&["Fix E0382 in journal.rs"], &["src/journal.rs".to_owned()]);
        assert_eq!(found, ["borrow checker", "rust"]);
        assert!(find(&["nothing of note"], &[]).is_empty());
        assert!(find(&["embrace"], &[]).is_empty(), "a word inside of another is no word");
    }

    #[test]
    fn a_file_near_security_is_not_about_it() {
        assert!(is_security("Fix path traversal in unpack"));
        assert!(!is_security("Add login form to src/auth/login.ts"));
    }
}
