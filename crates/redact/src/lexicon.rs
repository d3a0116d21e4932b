//! Which names announce a credential, and how loudly. Reads names only; values are judged in `value`.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::OnceLock;

use crate::text::{self, ALNUM, DIGIT, LOWER, UPPER};
use crate::vendors;

/// How much a name says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// `key`, `auth`: only a long opaque value is believed.
    Faint,
    /// `token`, `api_key`: the value must be opaque.
    Opaque,
    /// `secret`: anything that is not plainly a word.
    Secret,
    /// `password`: any literal that is not a placeholder, a reference or code.
    Password,
}

/// What a name announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Announced {
    pub strength: Strength,
    pub kind: &'static str,
    /// Written as an environment variable: `DB_PASSWORD`.
    pub shouted: bool,
    /// The telling word is the last of the name: `db_password`, not `password.encode`.
    pub last: bool,
    /// The word means a credential and nothing else: `password`, not `pass` or `pw`.
    pub firm: bool,
}

/// Longest name worth reading; beyond it the "name" is data.
const LONGEST_NAME: usize = 96;
const MOST_PARTS: usize = 12;

#[rustfmt::skip]
const PASSWORDS: &[&str] = &[
    "password", "passwd", "passphrase", "passwort", "passcode", "pwd", "pswd", "psw", "passwrd",
    "kennwort", "senha", "contrasena", "contraseña", "motdepasse", "requirepass", "masterauth",
    "storepass", "keypass", "userpass", "dbpass", "passw", "passkey", "pass", "pw", "wachtwoord", "haslo",
    "parola", "sshpass", "mdp", "rootpw", "bindpw", "psk", "salasana", "heslo", "adgangskode", "senord", "sifre",
    "jelszo", "parool", "userpwd", "passord", "secretstring", "parolachiave", "wachtwoorden", "kodeord", "lozinka",
];

const SECRETS: &[&str] = &[
    "secret",
    "secrets",
    "mnemonic",
    "geheimnis",
    "secreto",
    "segreto",
    "segredo",
    "geheim",
    "sekret",
    "clave",
    "chave",
];

#[rustfmt::skip]
const OPAQUES: &[&str] = &[
    "token", "tokens", "apikey", "apikeys", "accesskey", "secretkey", "privatekey", "authkey", "appkey",
    "masterkey", "encryptionkey", "signingkey", "accountkey", "licensekey", "clientkey", "hmackey", "jwt",
    "bearer", "credential", "credentials", "creds", "cred", "pat", "sas", "sastoken", "authtoken",
    "accesstoken", "refreshtoken", "webhook", "dsn", "sessionid", "sessid", "phpsessid", "jsessionid",
    "authorization", "salt", "seed", "otp", "totp", "signature", "sig", "sharedaccesskey", "servicekey",
    "serverkey", "restkey", "devkey", "consumerkey", "integrationkey", "apitoken", "writekey", "readkey",
    "chiave", "klucz", "sleutel", "nyckel", "jeton", "anahtar", "kulcs", "avain", "ikey", "skey", "akey", "pepper", "nonce_secret", "cookie",
];

/// What makes a bare `key` a credential.
#[rustfmt::skip]
const KEY_MAKERS: &[&str] = &[
    "api", "access", "secret", "private", "priv", "auth", "app", "application", "encryption", "encrypt",
    "signing", "sign", "master", "account", "storage", "license", "client", "hmac", "aes", "cipher",
    "crypto", "crypt", "admin", "service", "server", "shared", "session", "consumer", "subscription",
    "integration", "deploy", "ssh", "rsa", "webhook", "rest", "write", "read", "ingest", "ingestion",
    "functions", "host", "security", "root", "token", "jwt", "data", "dev", "developer", "user",
    "customer", "project", "merchant", "partner", "sdk", "live", "prod", "routing", "agent", "insert",
    "instrumentation", "publishable", "vault", "unlock", "recovery", "seal", "unseal", "maps",
    "speech", "vision", "cognitive", "translator", "billing", "payment", "gateway", "bot", "sms", "geo", "weather",
    "openai", "monitoring", "telemetry", "logging", "metrics", "tracking", "analytics", "backup",
];

/// A name ending so describes a credential instead of holding one.
#[rustfmt::skip]
const DESCRIPTIONS: &[&str] = &[
    "name", "names", "count", "counts", "length", "len", "size", "type", "types", "policy", "policies",
    "field", "fields", "label", "labels", "file", "files", "filename", "path", "paths", "dir", "directory",
    "folder", "url", "uri", "urls", "endpoint", "host", "regex", "regexp", "pattern", "patterns", "format",
    "hint", "expires", "expiry", "expiration", "expire", "expired", "ttl", "timeout", "age", "min", "max",
    "reset", "required", "require", "enabled", "disabled", "valid", "validity", "invalid", "error",
    "errors", "err", "message", "msg", "title", "placeholder", "prompt", "help", "description", "desc",
    "column", "columns", "index", "idx", "class", "classes", "style", "styles", "color", "icon", "button",
    "btn", "input", "form", "limit", "limits", "usage", "budget", "version", "algorithm", "alg",
    "provider", "providers", "manager", "service", "helper", "handler", "validator", "encoder", "decoder",
    "generator", "factory", "ref", "refs", "reference", "source", "location", "strength", "score",
    "attempts", "attempt", "retries", "history", "changed", "updated", "created", "at", "date", "time",
    "timestamp", "issuer", "audience", "scope", "scopes", "kind", "status", "state", "mode", "method",
    "prefix", "suffix", "header", "param", "parameter", "arn", "rotation", "lifetime", "duration",
    "interval", "env", "var", "variable", "template", "schema", "model", "table", "page", "view", "link",
    "text", "position", "offset", "start", "end", "span", "kinds", "stream", "tree", "list", "map", "set",
    "group", "groups", "rule", "rules", "check", "checks", "test", "tests", "spec", "id", "ids",
    "identifier", "uuid", "command", "cmd", "callback", "fn", "func", "function", "impl", "trait",
    "exists", "present", "missing", "changes", "requirements", "options", "config", "settings", "info",
    "metadata", "meta", "props", "dialog", "modal", "screen", "component", "api", "auth", "hash_algorithm",
    "fingerprint", "thumbprint", "checksum", "digest", "etag", "sha", "sha1", "sha256", "md5", "ring",
    "arg", "args", "argument", "chain", "store", "vault", "cost", "price", "bytes", "bits", "board",
    "word", "words", "points", "press", "code", "codes", "event", "down", "up", "fd", "fds", "verification", "css", "scss", "js", "ts", "jsx",
    "startswith", "endswith", "contains", "icontains", "isnull", "iexact", "exact", "hasher", "algo", "algorithms", "hashing",
    "tsx", "html", "svg", "png", "json", "md", "py", "rb", "php", "yaml", "yml",
];

/// Before a bare `key` or `token`, these say that it is no credential.
#[rustfmt::skip]
const INNOCENT: &[&str] = &[
    "public", "pub", "primary", "foreign", "sort", "partition", "cache", "row", "map", "dict", "hash",
    "object", "hot", "short", "arrow", "lookup", "group", "idempotency", "registry", "translation", "i18n",
    "query", "search", "next", "page", "continuation", "cancel", "cancellation", "lexer", "sync", "syntax",
    "pagination", "resource", "composite", "unique", "surrogate", "natural", "config", "settings", "env",
    "property", "field", "item", "column", "table", "index", "react", "dedup", "dedupe", "routing_key",
    "sequence", "separator", "delimiter", "string", "start", "end", "first", "last", "begin", "max", "min",
    "num", "total", "input", "output", "prompt", "completion", "special", "mask", "pad", "eos", "bos",
    "unk", "stop", "cls", "sep", "parent", "child", "left", "right", "any", "default", "current", "prev",
    "previous", "shift", "ctrl", "alt", "meta", "tab", "enter", "escape", "cursor", "resume", "marker",
    "ident", "keyword", "comment",
];

const IS_PASSWORD: u8 = 1;
const IS_SECRET: u8 = 2;
const IS_OPAQUE: u8 = 4;
const MAKES_KEYS: u8 = 8;
const DESCRIBES: u8 = 16;
const IS_INNOCENT: u8 = 32;
const NAMES_A_VENDOR: u8 = 64;

/// What the lists above say of a word. One lookup instead of six searches: names are read at every `key`,
/// `token` and `auth` of a program.
fn role(word: &str) -> u8 {
    static ROLES: OnceLock<HashMap<&'static str, u8, BuildHasherDefault<WordHasher>>> = OnceLock::new();
    if word.is_empty() {
        return 0;
    }
    let roles = ROLES.get_or_init(|| {
        let lists = [
            (PASSWORDS, IS_PASSWORD),
            (SECRETS, IS_SECRET),
            (OPAQUES, IS_OPAQUE),
            (KEY_MAKERS, MAKES_KEYS),
            (DESCRIPTIONS, DESCRIBES),
            (INNOCENT, IS_INNOCENT),
        ];
        let mut roles = HashMap::with_capacity_and_hasher(2048, BuildHasherDefault::default());
        for (words, role) in lists {
            for &word in words {
                *roles.entry(word).or_default() |= role;
            }
        }
        // "the Datadog key": whose it is makes it one.
        for name in vendors::names() {
            *roles.entry(name.trim_end_matches('_')).or_default() |= NAMES_A_VENDOR;
        }
        roles
    });
    roles.get(word).copied().unwrap_or(0)
}

/// The words are ours, so nobody can choose them to collide: a multiplication per eight bytes will do.
#[derive(Default)]
struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for eight in bytes.chunks(8) {
            let word = eight.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
            self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

/// Splits a name into lower-case parts at joints, humps and digits' ends.
fn parts<'b>(name: &[u8], buffer: &'b mut [u8; LONGEST_NAME]) -> ([&'b str; MOST_PARTS], usize) {
    let mut bounds = [(0usize, 0usize); MOST_PARTS];
    let mut count = 0;
    let mut start = 0;
    let length = name.len().min(LONGEST_NAME);
    let mut close = |from: usize, to: usize| {
        if to > from && count < MOST_PARTS {
            bounds[count] = (from, to);
            count += 1;
        }
    };
    for at in 0..length {
        let byte = name[at];
        buffer[at] = byte.to_ascii_lowercase();
        if !text::is(byte, ALNUM) && byte < 0x80 {
            close(start, at);
            start = at + 1;
        } else if at > start && text::is(byte, UPPER) {
            let after_lower = text::is(name[at - 1], LOWER | DIGIT);
            let before_lower =
                text::is(name[at - 1], UPPER) && at + 1 < length && text::is(name[at + 1], LOWER);
            if after_lower || before_lower {
                close(start, at);
                start = at;
            }
        }
    }
    close(start, length);
    let mut parts = [""; MOST_PARTS];
    for (part, (from, to)) in parts.iter_mut().zip(&bounds[..count]) {
        *part = std::str::from_utf8(&buffer[*from..*to]).unwrap_or("");
    }
    (parts, count)
}

/// The last word of `name` says that something is described: an identifier, an address, a count.
pub(crate) fn describes(name: &[u8]) -> bool {
    let mut buffer = [0u8; LONGEST_NAME];
    let (parts, count) = parts(name, &mut buffer);
    count > 0 && role(parts[count - 1]) & DESCRIBES != 0
}

/// What `name` announces about the value assigned to it, if anything.
pub(crate) fn announced(name: &[u8]) -> Option<Announced> {
    if name.len() > LONGEST_NAME || name.is_empty() {
        return None;
    }
    let shouted = name.len() >= 3
        && name.iter().any(|&b| text::is(b, UPPER))
        && name.iter().all(|&b| !text::is(b, LOWER) && b != b'.');
    let mut buffer = [0u8; LONGEST_NAME];
    let (parts, count) = parts(name, &mut buffer);
    let parts = &parts[..count];
    let mut said = None;
    for (index, part) in parts.iter().enumerate() {
        let before = if index > 0 { parts[index - 1] } else { "" };
        if let Some(found) = part_announces(part, before, index) {
            // The last word of a name is what it is; the ones before say whose.
            said = Some((found, index));
        }
    }
    let ((strength, kind), index) = said?;
    let firm =
        !matches!(parts[index].trim_end_matches(|c: char| c.is_ascii_digit()), "pass" | "pw" | "psw" | "mdp");
    for after in &parts[index + 1..] {
        let described = role(after) & DESCRIBES != 0;
        // A shouted `API_KEY_TEST` or `DB_PASSWORD_ID1` still holds a value; `..._FILE` never does.
        let soft = matches!(
            *after,
            "test" | "api" | "auth" | "service" | "env" | "config" | "host" | "code" | "text"
        );
        if described && !(shouted && soft) {
            return None;
        }
    }
    Some(Announced { strength, kind, shouted, last: index + 1 == parts.len(), firm })
}

fn part_announces(part: &str, before: &str, index: usize) -> Option<(Strength, &'static str)> {
    let singular = part.strip_suffix('s').unwrap_or(part);
    let bare = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let roles = role(bare) | if singular.len() == part.len() { 0 } else { role(singular) };
    if roles & IS_PASSWORD != 0 {
        // "pass" and "pw" are also a verb and a unit.
        let short = matches!(bare, "pass" | "pw" | "psw" | "mdp");
        if short
            && matches!(
                before,
                "render"
                    | "first"
                    | "second"
                    | "test"
                    | "multi"
                    | "one"
                    | "two"
                    | "compute"
                    | "did"
                    | "by"
                    | "should"
                    | "must"
                    | "can"
                    | "will"
                    | "does"
                    | "to"
                    | "may"
                    | "all"
                    | "no"
            )
        {
            return None;
        }
        return Some((Strength::Password, if bare == "passphrase" { "passphrase" } else { "password" }));
    }
    for ending in ["password", "passwd", "passphrase", "passwort", "pwd"] {
        if bare.len() > ending.len() && bare.ends_with(ending) {
            return Some((Strength::Password, "password"));
        }
    }
    if matches!(bare, "phrase" | "words") && matches!(before, "seed" | "recovery" | "mnemonic" | "backup") {
        return Some((Strength::Secret, "mnemonic"));
    }
    if roles & IS_SECRET != 0 || bare.len() > 6 && bare.ends_with("secret") {
        return Some((Strength::Secret, if bare == "mnemonic" { "mnemonic" } else { "secret" }));
    }
    // The key of a wireless network is what people call its password.
    if bare == "key" && matches!(before, "wifi" | "wpa" | "wpa2" | "wlan" | "wep") {
        return Some((Strength::Password, "password"));
    }
    if bare == "key" || bare == "keys" {
        if role(before) & (MAKES_KEYS | NAMES_A_VENDOR) != 0
            || before.ends_with("api")
            || before.ends_with("secret")
        {
            let kind = match before {
                "private" | "priv" | "ssh" | "rsa" => "private-key",
                "encryption" | "encrypt" | "signing" | "sign" | "hmac" | "aes" | "cipher" | "master" => {
                    "secret-key"
                }
                "access" | "secret" => "access-key",
                _ => "api-key",
            };
            let strength = if matches!(before, "secret" | "encryption" | "signing" | "master") {
                Strength::Secret
            } else {
                Strength::Opaque
            };
            return Some((strength, kind));
        }
        if role(before) & IS_INNOCENT != 0 {
            return None;
        }
        return Some((Strength::Faint, if before.is_empty() { "key" } else { "api-key" }));
    }
    // The password of redis goes by this name alone.
    if bare == "auth" && matches!(before, "rediscli" | "redis") {
        return Some((Strength::Password, "password"));
    }
    if bare == "auth" {
        return Some((Strength::Faint, "auth"));
    }
    if roles & IS_OPAQUE != 0 {
        if matches!(bare, "token" | "tokens") && role(before) & IS_INNOCENT != 0 {
            return None;
        }
        if matches!(
            bare,
            "seed" | "signature" | "sig" | "salt" | "pat" | "otp" | "sas" | "cred" | "webhook" | "cookie"
        ) {
            return Some((Strength::Faint, opaque_kind(bare)));
        }
        return Some((Strength::Opaque, opaque_kind(bare)));
    }
    for ending in ["token", "apikey", "accesskey", "secretkey", "privatekey", "authkey"] {
        if bare.len() > ending.len() && bare.ends_with(ending) {
            return Some((Strength::Opaque, opaque_kind(ending)));
        }
    }
    // `key` at the end of a longer word: `sharedaccesskey`, but also `monkey`, `turkey`, `hotkey`.
    if index == 0
        && bare.len() > 6
        && bare.ends_with("key")
        && KEY_MAKERS.iter().any(|maker| bare.ends_with(&[maker, "key"].concat()))
    {
        return Some((Strength::Opaque, "api-key"));
    }
    None
}

fn opaque_kind(word: &str) -> &'static str {
    match word {
        "token" | "tokens" | "authtoken" | "accesstoken" | "refreshtoken" | "apitoken" | "bearer"
        | "sastoken" | "pat" => "token",
        "jwt" => "jwt",
        "privatekey" => "private-key",
        "accesskey" | "secretkey" => "access-key",
        "sessionid" | "sessid" | "phpsessid" | "jsessionid" | "cookie" => "session",
        "signature" | "sig" | "sas" => "signature",
        "credential" | "credentials" | "creds" | "cred" | "authorization" => "credential",
        "salt" | "pepper" | "seed" => "salt",
        "otp" | "totp" => "otp",
        "webhook" | "dsn" => "url-secret",
        _ => "api-key",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strength(name: &str) -> Option<Strength> {
        announced(name.as_bytes()).map(|announced| announced.strength)
    }

    #[test]
    fn names_announce_credentials() {
        for name in [
            "password",
            "DB_PASSWORD",
            "dbPassword",
            "spring.datasource.password",
            "PGPASSWORD",
            "user_pass",
            "pwd",
        ] {
            assert_eq!(strength(name), Some(Strength::Password), "{name}");
        }
        for name in ["api_key", "apiKey", "X-Api-Key", "GITHUB_TOKEN", "accessToken", "AWS_ACCESS_KEY"] {
            assert_eq!(strength(name), Some(Strength::Opaque), "{name}");
        }
        assert_eq!(strength("client_secret"), Some(Strength::Secret));
        assert_eq!(strength("key"), Some(Strength::Faint));
    }

    #[test]
    fn descriptions_announce_nothing() {
        for name in [
            "password_length",
            "tokenCount",
            "secretName",
            "public_key",
            "next_token",
            "passwordField",
            "monkey",
            "author",
            "compass",
        ] {
            assert_eq!(strength(name), None, "{name}");
        }
    }
}
