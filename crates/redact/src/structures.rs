//! Credentials known by the shape of what surrounds them: `.pgpass` lines, Kubernetes secrets, JWK members,
//! directory hashes, one-time-password links, calls with a user and a password, tables with a password column.

use crate::encoded;
use crate::expression;
use crate::hit::{Hit, Rule};
use crate::holes;
use crate::judge;
use crate::likeness::Shape;
use crate::lines;
use crate::pem;
use crate::prose;
use crate::scan::Scan;
use crate::shell;
use crate::text::{self, ALNUM, BASE64, JOINER};
use crate::value::{self, Ending};
use crate::words;

/// Half of the window in which the members of one document or object are looked for.
const DOCUMENT: usize = 8 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Structure {
    Pgpass,
    KubernetesSecret,
    DirectoryHash,
    JsonWebKey,
    OneTimeLink,
    SecureString,
    /// A call whose second string is a password.
    Pair,
    IdentifiedBy,
    /// A call whose third string is a password.
    Triple,
    /// `echo … | sudo -S`
    Piped,
    /// `printf … > /run/secrets/name`
    Redirected,
    /// A command that prints a secret, and its output on the next line.
    Printed,
    /// `user:password@tcp(host)`
    DataSource,
    /// The private half of a PuTTY key.
    Putty,
    /// `jdbc:oracle:thin:user/password@host`
    Thin,
    /// `program -p …`
    ShortFlag,
    /// A password in a paragraph of its own.
    NextParagraph,
    /// "credentials: …"
    ToldAfter,
}

pub(crate) const ANCHORS: &[(&str, Structure)] = &[
    (":5432:", Structure::Pgpass),
    (":5433:", Structure::Pgpass),
    (":6432:", Structure::Pgpass),
    (":*:*:", Structure::Pgpass),
    ("kind: secret", Structure::KubernetesSecret),
    ("kind: \"secret", Structure::KubernetesSecret),
    ("{ssha", Structure::DirectoryHash),
    ("{sha}", Structure::DirectoryHash),
    ("{sha256}", Structure::DirectoryHash),
    ("{sha512}", Structure::DirectoryHash),
    ("{smd5}", Structure::DirectoryHash),
    ("{md5}", Structure::DirectoryHash),
    ("{crypt}", Structure::DirectoryHash),
    ("{pbkdf2", Structure::DirectoryHash),
    ("\"kty\"", Structure::JsonWebKey),
    ("otpauth://", Structure::OneTimeLink),
    ("convertto-securestring", Structure::SecureString),
    ("networkcredential(", Structure::Pair),
    ("httpbasicauth(", Structure::Pair),
    ("usernamepasswordcredential", Structure::Pair),
    ("passwordauthentication(", Structure::Pair),
    ("pscredential(", Structure::Pair),
    ("basic_auth(", Structure::Pair),
    ("basicauth(", Structure::Pair),
    ("auth=(", Structure::Pair),
    (".login(", Structure::Pair),
    ("identified by", Structure::IdentifiedBy),
    ("identified with", Structure::IdentifiedBy),
    ("sudo -s", Structure::Piped),
    ("--password-stdin", Structure::Piped),
    ("passwd --stdin", Structure::Piped),
    ("cryptsetup", Structure::Piped),
    ("sudo --stdin", Structure::Piped),
    ("--with-token", Structure::Piped),
    ("--passphrase-fd", Structure::Piped),
    ("secret set ", Structure::Piped),
    ("secret put ", Structure::Piped),
    ("secret create ", Structure::Piped),
    ("secrets set ", Structure::Piped),
    ("env add ", Structure::Piped),
    ("smbpasswd -", Structure::Piped),
    ("-pass stdin", Structure::Piped),
    ("kinit ", Structure::Piped),
    ("pass insert", Structure::Piped),
    ("encrypt_string", Structure::Piped),
    ("/run/secrets/", Structure::Redirected),
    ("/etc/secrets/", Structure::Redirected),
    ("jsonpath", Structure::Printed),
    ("configure get ", Structure::Printed),
    ("secret show ", Structure::Printed),
    ("get-access-token", Structure::Printed),
    ("print-identity-token", Structure::Printed),
    ("bw get ", Structure::Printed),
    ("lpass show ", Structure::Printed),
    ("gopass show ", Structure::Printed),
    ("secret-tool lookup", Structure::Printed),
    ("secrets get ", Structure::Printed),
    ("ansible-vault view", Structure::Printed),
    ("vault token create", Structure::Printed),
    ("base64 -d", Structure::Printed),
    ("base64 --decode", Structure::Printed),
    ("get-secret-value", Structure::Printed),
    ("get-login-password", Structure::Printed),
    ("versions access", Structure::Printed),
    ("vault kv get", Structure::Printed),
    ("vault read ", Structure::Printed),
    ("op read ", Structure::Printed),
    ("pass show ", Structure::Printed),
    ("auth token", Structure::Printed),
    ("find-generic-password", Structure::Printed),
    ("config:get ", Structure::Printed),
    ("get-parameter ", Structure::Printed),
    ("print-access-token", Structure::Printed),
    ("create token ", Structure::Printed),
    ("openssl rand", Structure::Printed),
    ("private-lines:", Structure::Putty),
    (":thin:", Structure::Thin),
    ("@tcp(", Structure::DataSource),
    ("@unix(", Structure::DataSource),
    ("@tcp6(", Structure::DataSource),
    ("getconnection(", Structure::Triple),
    ("mysqli_connect(", Structure::Triple),
    ("mysql_connect(", Structure::Triple),
    ("new mysqli(", Structure::Triple),
    ("new pdo(", Structure::Triple),
    ("pymysql.connect(", Structure::Triple),
    ("mysqldb.connect(", Structure::Triple),
    ("plainauth(", Structure::Triple),
    ("setbasicauth(", Structure::Pair),
    (".withcredentials(", Structure::Pair),
    ("usernamepasswordcredentials(", Structure::Pair),
    ("basicawscredentials", Structure::Pair),
    ("awsbasiccredentials.create(", Structure::Pair),
    ("passwordcredentials(", Structure::Pair),
    ("plainauthprovider", Structure::Pair),
    ("plaintextauthprovider", Structure::Pair),
    ("authtuple", Structure::Pair),
    (".authenticate(", Structure::Pair),
    (" -p ", Structure::ShortFlag),
    (" -p'", Structure::ShortFlag),
    (" -p\"", Structure::ShortFlag),
    (" -pw ", Structure::ShortFlag),
    (" -P ", Structure::ShortFlag),
    ("proceed to installation:", Structure::NextParagraph),
    ("credentials", Structure::ToldAfter),
    ("creds", Structure::ToldAfter),
    ("login", Structure::ToldAfter),
    ("log in", Structure::ToldAfter),
    ("sign in", Structure::ToldAfter),
    ("zugangsdaten", Structure::ToldAfter),
];

/// What a command printed that prints secrets.
pub(crate) const PRINTED: &Rule = &RULES[9];

pub(crate) static RULES: &[Rule] = &[
    Rule {
        name: "pgpass-line",
        kind: "password",
        password: true,
        catches: "db.internal:5432:app:app:s3cr3tPw",
        spares: "listening on 0.0.0.0:5432: ready",
    },
    Rule {
        name: "kubernetes-secret",
        kind: "k8s-secret",
        password: false,
        catches: "kind: Secret\ndata:\n  user: YWRtaW4tczNjcjN0\n",
        spares: "kind: ConfigMap\ndata:\n  user: YWRtaW4tczNjcjN0\n",
    },
    Rule {
        name: "directory-hash",
        kind: "password-hash",
        password: false,
        catches: "userPassword: {SSHA}q8Zr4vLx91TnW8sLd0PqYf3uq8Zr4vLx",
        spares: "a {sha} placeholder",
    },
    Rule {
        name: "jwk-member",
        kind: "private-key",
        password: false,
        catches: "{\"kty\":\"EC\",\"d\":\"q8Zr4vLx91TnW8sLd0PqYf3uq8Zr4vLx\"}",
        spares: "{\"kty\":\"EC\",\"x\":\"q8Zr4vLx91TnW8sLd0PqYf3uq8Zr4vLx\"}",
    },
    Rule {
        name: "otpauth-link",
        kind: "otp-secret",
        password: false,
        catches: "otpauth://totp/app:me?secret=JBSWY3DPEHPK3PXP&issuer=app",
        spares: "otpauth://totp/app:me?issuer=app",
    },
    Rule {
        name: "secure-string",
        kind: "password",
        password: true,
        catches: "ConvertTo-SecureString 's3cr3tPw' -AsPlainText -Force",
        spares: "ConvertTo-SecureString $password -AsPlainText",
    },
    Rule {
        name: "credential-pair",
        kind: "password",
        password: true,
        catches: "requests.get(url, auth=('me', 's3cr3tPw9'))",
        spares: "requests.get(url, auth=(user, password))",
    },
    Rule {
        name: "identified-by",
        kind: "password",
        password: true,
        catches: "CREATE USER app IDENTIFIED BY 's3cr3tPw'",
        spares: "identified by a number",
    },
    Rule {
        name: "piped-password",
        kind: "password",
        password: true,
        catches: "echo 's3cr3tPw' | sudo -S apt update",
        spares: "echo \"$PASSWORD\" | sudo -S apt update",
    },
    Rule {
        name: "printed-secret",
        kind: "secret",
        password: false,
        catches: "$ vault kv get -field=token secret/app\nXk29vQmZ7LpR4tYwB3\n",
        spares: "$ vault kv get -field=token secret/app\nNo value found\n",
    },
    Rule {
        name: "data-source",
        kind: "password",
        password: true,
        catches: "sql.Open(\"mysql\", \"app:s3cr3tPw@tcp(db:3306)/app\")",
        spares: "sql.Open(\"mysql\", \"user:password@tcp(db:3306)/app\")",
    },
    Rule {
        name: "short-flag",
        kind: "password",
        password: true,
        catches: "acmectl login -u me -p 'Kx7f!Qm9vTz2'",
        spares: "acmectl serve -p 8080 -P ./static/files2",
    },
];

pub(crate) fn scan(scan: &mut Scan<'_>, at: usize, structure: Structure) -> usize {
    match structure {
        Structure::Pgpass => pgpass(scan, at),
        Structure::KubernetesSecret => kubernetes(scan, at),
        Structure::DirectoryHash => directory_hash(scan, at),
        Structure::JsonWebKey => json_web_key(scan, at),
        Structure::OneTimeLink => one_time_link(scan, at),
        Structure::SecureString => secure_string(scan, at),
        Structure::Pair => pair(scan, at),
        Structure::IdentifiedBy => identified_by(scan, at),
        Structure::Triple => triple(scan, at),
        Structure::Piped => shell::piped(scan, at),
        Structure::Redirected => shell::redirected(scan, at),
        Structure::Printed => shell::printed(scan, at),
        Structure::DataSource => data_source(scan, at),
        Structure::Thin => thin(scan, at),
        Structure::Putty => pem::putty(scan, at),
        Structure::ShortFlag => short_flag(scan, at),
        Structure::NextParagraph => next_paragraph(scan, at),
        Structure::ToldAfter => prose::credentials(scan, at),
    }
}

/// `host:port:database:user:password`, a line of its own.
fn pgpass(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let end = text::line_end(text, at, 512);
    let mut colon = text::line_start(text, at);
    if text::starts_with(text, at, b":*:*:") {
        colon = at;
    }
    if colon < at && !text::is(text[at - 1], ALNUM) {
        return at + 1;
    }
    // Past ":port:", two more fields of names, then the password to the end of the line.
    let mut field = at + 1 + memchr::memchr(b':', &text[at + 1..end]).map_or(end - at - 1, |found| found + 1);
    for _ in 0..2 {
        let stop = text::run_end(text, field, ALNUM | JOINER, 128);
        let stop = if text::at(text, field) == b'*' { field + 1 } else { stop };
        if stop == field || text::at(text, stop) != b':' {
            return at + 1;
        }
        field = stop + 1;
    }
    if field >= end {
        return at + 1;
    }
    let stop = text[field..end]
        .iter()
        .position(|&b| b <= b' ' || matches!(b, b'"' | b'\''))
        .map_or(end, |found| field + found);
    if stop <= field + 2 || holes::is_placeholder(&text[field..stop]) {
        return at + 1;
    }
    scan.hits.push(Hit::new(field, stop, &RULES[0]));
    stop
}

/// Every value under `data:` and `stringData:` of the document that says it is a Secret.
fn kubernetes(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    if at < scan.settled {
        return at + 1;
    }
    let floor = at.saturating_sub(DOCUMENT).max(scan.settled);
    let start = memchr::memmem::rfind(&text[floor..at], b"\n---").map_or(floor, |found| floor + found + 1);
    let ceiling = text.len().min(at + DOCUMENT);
    let end = memchr::memmem::find(&text[at..ceiling], b"\n---").map_or(ceiling, |found| at + found);
    scan.settled = end;
    let mut line = start;
    let mut data: Option<usize> = None;
    while line < end {
        let stop = text::line_end(text, line, DOCUMENT).min(end);
        let content = stripped(text, line, stop);
        let indent = content - text::run_start(text, content, text::BLANK, 64);
        let body = &text[content..stop];
        if [&b"data:"[..], b"stringData:"].iter().any(|word| body.trim_ascii_end() == *word) {
            data = Some(indent);
        } else if !body.is_empty() && data.is_some_and(|outer| indent <= outer) {
            data = None;
        } else if data.is_some()
            && let Some(colon) = memchr::memchr(b':', body)
        {
            let from = text::skip_blank(text, content + colon + 1, 16).min(stop);
            if let Some(value) = value::read(text, from, Ending::Blank).filter(|value| value.end <= stop) {
                let bytes = &text[value.start..value.end];
                if !holes::is_placeholder(bytes) && !matches!(bytes, b"|" | b">" | b"|-" | b">-") {
                    scan.hits.push(Hit::new(value.start, value.end, &RULES[1]));
                }
            }
        } else if data.is_some() && body.len() > 8 && body.iter().all(|&b| text::is(b, ALNUM | BASE64)) {
            scan.hits.push(Hit::new(content, stop, &RULES[1]));
        }
        line = stop + 1 + usize::from(text::at(text, stop) == b'\r');
    }
    end.max(at + 1)
}

/// Where the content of a line begins behind what viewers put before it, blanks not counted.
fn stripped(text: &[u8], line: usize, stop: usize) -> usize {
    let lead = lines::prefix(&text[line..stop]);
    text::run_end(text, line + lead, text::BLANK, 64).min(stop)
}

/// `{SSHA}`, `{CRYPT}`: one of the schemes of directories stands at `at`.
pub(crate) fn is_directory_hash(text: &[u8], at: usize) -> bool {
    ANCHORS.iter().any(|(anchor, structure)| {
        *structure == Structure::DirectoryHash && text::starts_with_folded(text, at, anchor.as_bytes())
    })
}

fn directory_hash(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let Some(close) = memchr::memchr(b'}', &text[at..text.len().min(at + 24)]) else { return at + 1 };
    let start = at + close + 1;
    let end = text::run_end(text, start, ALNUM | BASE64 | JOINER, 512);
    let end = if text::at(text, start) == b'$' {
        start + memchr::memchr3(b' ', b'\n', b'"', &text[start..text.len().min(start + 200)]).unwrap_or(0)
    } else {
        end
    };
    if end < start + 16 || holes::is_placeholder(&text[start..end]) {
        return at + 1;
    }
    scan.hits.push(Hit::new(start, end, &RULES[2]));
    end
}

fn json_web_key(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    if at < scan.settled {
        return at + 4;
    }
    let floor = at.saturating_sub(DOCUMENT / 2);
    let start = memchr::memrchr(b'{', &text[floor..at]).map_or(floor, |found| floor + found);
    let ceiling = text.len().min(at + DOCUMENT);
    let end = memchr::memchr(b'}', &text[at..ceiling]).map_or(ceiling, |found| at + found);
    scan.settled = end;
    let object = &text[start..end];
    for member in ["\"d\"", "\"p\"", "\"q\"", "\"dp\"", "\"dq\"", "\"qi\"", "\"k\""] {
        let Some(found) = memchr::memmem::find(object, member.as_bytes()) else { continue };
        let mut from = text::skip_blank(text, start + found + member.len(), 8);
        if text::at(text, from) != b':' {
            continue;
        }
        from = text::skip_blank(text, from + 1, 8);
        if let Some(value) = value::read(text, from, Ending::Punctuation)
            && value.end - value.start >= 16
            && text[value.start..value.end].iter().all(|&b| text::is(b, ALNUM | BASE64 | JOINER))
        {
            scan.hits.push(Hit::new(value.start, value.end, &RULES[3]));
        }
    }
    at + 4
}

fn one_time_link(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let ceiling = text.len().min(at + 512);
    let end = text[at..ceiling]
        .iter()
        .position(|&b| b <= b' ' || matches!(b, b'"' | b'\'' | b'<' | b'>'))
        .map_or(ceiling, |found| at + found);
    let Some(found) = memchr::memmem::find(&text[at..end], b"secret=") else { return at + 10 };
    let start = at + found + 7;
    let stop = text::run_end(text, start, ALNUM | BASE64 | JOINER, 256).min(end);
    if stop - start < 8 {
        return at + 10;
    }
    scan.hits.push(Hit::new(start, stop, &RULES[4]));
    stop
}

fn secure_string(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let after = at + "ConvertTo-SecureString".len();
    let end = text::line_end(text, after, 512);
    let Some(quote) = memchr::memchr2(b'"', b'\'', &text[after..end]) else {
        // ConvertTo-SecureString -String s3cr3tPw -AsPlainText
        let mut from = text::skip_blank(text, after, 8);
        if text::starts_with_folded(text, from, b"-string ") {
            from = text::skip_blank(text, from + 8, 8);
        }
        let Some(value) = value::read(text, from, Ending::Blank) else { return after };
        let bytes = &text[value.start..value.end];
        if bytes.starts_with(b"-") || bytes.starts_with(b"(") || holes::is_placeholder(bytes) {
            return after;
        }
        scan.hits.push(Hit::new(value.start, value.end, &RULES[5]));
        return value.end;
    };
    let Some(value) = value::read(text, after + quote, Ending::Punctuation) else { return after };
    if value.end <= value.start || holes::is_placeholder(&text[value.start..value.end]) {
        return after;
    }
    scan.hits.push(Hit::new(value.start, value.end, &RULES[5]));
    value.end
}

/// `auth=('user', 'password')`: the second is the password, and in quotes.
fn pair(scan: &mut Scan<'_>, at: usize) -> usize {
    argument(scan, at, 1)
}

/// `getConnection(url, "user", "password")`
fn triple(scan: &mut Scan<'_>, at: usize) -> usize {
    argument(scan, at, 2)
}

/// The argument of a call, counted from zero, if it is a string that can be a password.
fn argument(scan: &mut Scan<'_>, at: usize, index: usize) -> usize {
    let text = scan.text;
    let Some(open) = memchr::memchr(b'(', &text[at..text.len().min(at + 64)]) else { return at + 1 };
    let resume = at + open;
    let mut from = text::skip_blank(text, at + open + 1, 16);
    for _ in 0..index {
        let Some(before) = value::read(text, from, Ending::Punctuation)
            .filter(|value| value.quoted || value.end - value.start < 60)
        else {
            return resume;
        };
        let mut next = before.end;
        if before.quoted {
            next = text::run_end_of(text, next, b'\\', 4) + 1;
        }
        next = text::skip_blank(text, next, 8);
        if text::at(text, next) != b',' {
            return resume;
        }
        from = text::skip_blank(text, next + 1, 16);
    }
    let Some(secret) = value::read(text, from, Ending::Punctuation).filter(|value| value.quoted) else {
        return resume;
    };
    let bytes = &text[secret.start..secret.end];
    if !words::is_told_password(bytes, true) {
        return resume;
    }
    scan.hits.push(Hit::new(secret.start, secret.end, &RULES[6]));
    secret.end
}

fn identified_by(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let end = text::line_end(text, at, 200);
    let Some(by) = text[at..end].windows(4).position(|window| window.eq_ignore_ascii_case(b" by ")) else {
        return at + 10;
    };
    let from = text::skip_blank(text, at + by + 4, 8);
    let Some(value) = value::read(text, from, Ending::Punctuation) else { return from };
    let bytes = &text[value.start..value.end];
    let shape = Shape::of(bytes);
    // "identified by `id`" is prose; only SQL shouts, or puts the password in its own quotes.
    let quoted = value.quoted && text[from] != b'`';
    let quoted_or_odd =
        quoted || text::starts_with(text, at, b"IDENTIFIED") && shape.digits > 0 && shape.letters() > 0;
    // A sentence says by which name something is identified.
    let shouted = text::starts_with(text, at, b"IDENTIFIED");
    if !shouted && expression::is_identifier(bytes) && shape.digits == 0 && text[from] == b'"' {
        return from;
    }
    if bytes.len() < 3 || !quoted_or_odd || holes::is_placeholder(bytes) || expression::is_code(bytes) {
        return from;
    }
    scan.hits.push(Hit::new(value.start, value.end, &RULES[7]));
    value.end
}

/// `program -p …` of a program nobody has listed: only what is generated is believed, for `-p` is also a port, a
/// parent, a patch and a path.
fn short_flag(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let mut from = at + 3 + usize::from(text::at(text, at + 3) == b'w');
    from = text::skip_blank(text, from, 4);
    let Some(value) = value::read(text, from, Ending::Blank).filter(|value| value.end > value.start) else {
        return from;
    };
    let bytes = &text[value.start..value.end];
    let generated = judge::is_disorderly(bytes)
        || judge::is_opaque_cell(bytes) && Shape::of(bytes).digits > 1 && !bytes.contains(&b'/');
    // Beside a user or a login, it is what people type.
    let lead = &text[text::line_start(text, at)..at];
    let user = [&b" login"[..], b" -u ", b"--user", b" -U ", b" auth "]
        .iter()
        .any(|word| memchr::memmem::find(lead, word).is_some());
    let generated = generated
        || user && words::is_told_password(bytes, value.quoted) && Shape::of(bytes).digits < bytes.len();
    let path =
        matches!(bytes[0], b'/' | b'\\' | b'~' | b'.') || memchr::memmem::find(bytes, b"://").is_some();
    if !generated || path || holes::is_placeholder(bytes) || expression::is_code(bytes) {
        return from;
    }
    scan.hits.push(Hit::new(value.start, value.end, &RULES[11]));
    value.end
}

/// "use the following password to proceed to installation:", an empty line, the password.
fn next_paragraph(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let resume = text::line_end(text, at, 200);
    if let Some(value) = prose::on_next_line(text, resume) {
        scan.hits.push(Hit::new(value.start, value.end, &RULES[11]));
    }
    resume.max(at + 1)
}

/// `jdbc:oracle:thin:user/password@host`
fn thin(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let from = at + ":thin:".len();
    let user = text::run_end(text, from, ALNUM | JOINER, 64);
    if user == from || text::at(text, user) != b'/' {
        return from;
    }
    let near = &text[user + 1..text.len().min(user + 130)];
    let Some(end) =
        near.iter().position(|&b| b == b'@' || b <= b' ' || b == b'"').filter(|&end| near[end] == b'@')
    else {
        return from;
    };
    if end >= 3 && !holes::is_placeholder(&near[..end]) {
        scan.hits.push(Hit::new(user + 1, user + 1 + end, &RULES[10]));
    }
    from
}

/// `user:password@tcp(host:port)/database`
fn data_source(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let floor = at.saturating_sub(256);
    let start = text[floor..at]
        .iter()
        .rposition(|&b| b <= b' ' || matches!(b, b'"' | b'\'' | b'`' | b'/'))
        .map_or(floor, |found| floor + found + 1);
    let Some(colon) = memchr::memchr(b':', &text[start..at]) else { return at + 4 };
    let password = &text[start + colon + 1..at];
    if password.len() < 3
        || holes::is_placeholder(password)
        || password.starts_with(b"%") && password.len() < 4
    {
        return at + 4;
    }
    scan.hits.push(Hit::new(start + colon + 1, at, &RULES[10]));
    at + 4
}

/// Base64 of `user:password`, as docker and npm keep it.
pub(crate) fn is_encoded_pair(value: &[u8]) -> bool {
    value.len() >= 8
        && encoded::decode(value).is_some_and(|plain| {
            plain.contains(&b':')
                && plain.len() >= 5
                && plain.iter().all(|&b| b.is_ascii_graphic() || b == b' ')
        })
}
