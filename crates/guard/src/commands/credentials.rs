//! Passwords, keys and tokens: programs that print them, files that hold them.

use std::path::{Component, Path};

use super::look::Look;
use super::pattern::glob;
use super::place::Target;
use super::shipped::{CREDENTIALS, Finding};
use crate::shell::{Command, RedirectKind, Word};

/// Commands that print one.
pub(super) const PROGRAMS: &[&str] = &[
    "security find-*-password *",
    "security dump-keychain *",
    "security export *",
    "gh auth token *",
    "gh auth status -t *",
    "gh auth status --show-token *",
    "aws configure get *secret* *",
    "aws configure get *key* *",
    "aws configure get *token* *",
    "aws configure export-credentials *",
    "pass show *",
    "pass -c *",
    "op read *",
    "op item get *",
    "bw get *",
    "lpass show *",
    "secret-tool lookup *",
    "keyring get *",
    "gcloud auth print-access-token *",
    "gcloud auth print-identity-token *",
    "gcloud auth application-default print-access-token *",
    "az account get-access-token *",
    "vault read *",
    "vault kv get *",
    "git credential fill *",
    "heroku auth:token *",
    "doppler secrets get *",
];

/// Below a home folder. A folder's name ends with `/`: whatever is in it.
const FILES: &[&str] = &[
    ".ssh/id_*",
    ".ssh/*.pem",
    ".aws/credentials",
    ".netrc",
    ".git-credentials",
    ".pgpass",
    ".config/gh/hosts.yml",
    ".config/gcloud/application_default_credentials.json",
    ".config/gcloud/credentials.db",
    ".docker/config.json",
    ".kube/config",
    ".gnupg/private-keys-v1.d/",
    ".gnupg/secring.gpg",
    ".password-store/",
    ".claude/.credentials.json",
    ".codex/auth.json",
];

/// Programs that show or carry away what is in a file.
const READERS: &str = "cat tac nl head tail less more bat batcat most view vim vi nvim nano emacs code strings xxd od hexdump \
    base64 base32 gbase64 openssl gpg cp gcp scp sftp rsync mv ln install dd tar bsdtar zip 7z gzip curl wget nc ncat socat \
    http xh grep egrep fgrep rg ag sed gsed awk gawk cut sort uniq tr tee paste diff cmp jq yq xargs python python3 perl ruby \
    node php pbcopy xclip xsel wl-copy source . mail mutt sponge rclone aws gsutil";

pub(super) fn find(look: &Look<'_>, all: &mut Vec<Finding>) {
    for (at, command) in look.commands().filter(|(_, command)| !command.is_elsewhere) {
        let program = look.program(at).unwrap_or_default();
        let folder = command.folder.as_deref();
        let inputs = command.redirects.iter().filter(|redirect| redirect.kind == RedirectKind::Read);
        let shows = match program.as_str() {
            "gpg" | "gpg2" => look.plain[at].iter().any(|word| word.starts_with("--export-secret")),
            "kubectl" | "oc" => shows_secret(&look.plain[at]),
            _ => false,
        };
        let reads = || {
            READERS.split_whitespace().any(|reader| reader == program) && names_one(look, &program, command)
        };
        if shows || reads() || inputs.into_iter().any(|redirect| holds(look, folder, &redirect.target)) {
            all.push(Finding { rule: &CREDENTIALS, verdict: CREDENTIALS.verdict, commands: vec![at] });
        }
    }
}

/// `kubectl get secrets -o yaml`; without a format only names are listed.
fn shows_secret(words: &[String]) -> bool {
    const WITH_WORD: &str = "-n --namespace --context --cluster --kubeconfig -s --server --user --token --as -l --selector \
        --request-timeout --field-selector -f --filename";
    let (mut operands, mut format, mut at) = (Vec::new(), None, 1);
    while let Some(word) = words.get(at) {
        at += 1;
        if word == "-o" || word == "--output" {
            format = words.get(at).map(String::as_str);
            at += 1;
        } else if let Some(joined) = word.strip_prefix("--output=").or_else(|| word.strip_prefix("-o")) {
            format = Some(joined.trim_start_matches('='));
        } else if word == "--template" || word.starts_with("--template=") {
            format = Some("template");
        } else if word.starts_with('-') {
            at += usize::from(WITH_WORD.split_whitespace().any(|option| option == word));
        } else {
            operands.push(word.as_str());
        }
    }
    let is_secret = |kind: &str| {
        let kind = kind.split(['/', '.']).next().unwrap_or(kind);
        matches!(kind, "secret" | "secrets")
    };
    let is_get = operands.first() == Some(&"get");
    is_get
        && operands.iter().skip(1).any(|kinds| kinds.split(',').any(is_secret))
        && format.is_some_and(|format| !matches!(format, "name" | "wide"))
}

/// Whether a program that reads files names one that is somebody's secret.
fn names_one(look: &Look<'_>, program: &str, command: &Command) -> bool {
    // `scp -i key`: the key opens the door and does not go through it.
    let is_door = matches!(program, "scp" | "sftp" | "rsync");
    let changes_folder = matches!(program, "tar" | "bsdtar" | "gtar");
    let mut within = None;
    let mut words = command.arguments().iter();
    while let Some(word) = words.next() {
        let text = word.text();
        if is_door && text.as_deref() == Some("-i") {
            words.next();
            continue;
        }
        // `tar -C folder name`: the words behind it are in there.
        let joined = text.as_deref().and_then(|text| text.strip_prefix("--directory=")).map(home_word);
        let enters = matches!(text.as_deref(), Some("-C" | "--directory"));
        if changes_folder && (enters || joined.is_some()) {
            let Some(folder) = joined.or_else(|| words.next().cloned()) else { return false };
            let path = look.place.path(within.as_ref().or(command.folder.as_deref()), &folder);
            within = Some(path.map_or(folder, |path| Word::literal(&path.to_string_lossy())));
            continue;
        }
        if holds(look, within.as_ref().or(command.folder.as_deref()), word) {
            return true;
        }
    }
    false
}

fn holds(look: &Look<'_>, folder: Option<&Word>, word: &Word) -> bool {
    // `file=@path;type=x`, `--data=@path`, `if=path`, `host:path`: the path is between two of these signs.
    let shape = word.shape();
    let is_path = |piece: &&str| piece.contains(['/', '~', '.']);
    let pieces = shape.split(['@', '=', ':', ';', ',']).filter(is_path);
    holds_path(look, folder, word)
        || (shape.contains(['@', '=', ':', ';', ','])
            // The home folder is a part of its own, written as `~`.
            && pieces.into_iter().any(|piece| holds_path(look, folder, &home_word(piece))))
}

fn holds_path(look: &Look<'_>, folder: Option<&Word>, word: &Word) -> bool {
    // What a pattern matches is held against the names of the files.
    let globs = || Some(look.place.path(folder, &word.named()?)).flatten();
    match look.place.target(folder, word) {
        Target::Path(path) => is_credential(look, &path) || holds_folder(look, &path),
        Target::AllIn(path) | Target::SomeIn(path) if holds_folder(look, &path) => {
            !globs().is_some_and(|path| is_public(&path))
        }
        Target::AllIn(_) | Target::SomeIn(_) => globs().is_some_and(|path| is_credential(look, &path)),
        Target::IfEmpty(_) | Target::Unknown => false,
    }
}

fn home_word(path: &str) -> Word {
    crate::shell::read(path)
        .commands
        .into_iter()
        .next()
        .and_then(|command| command.words.into_iter().next())
        .unwrap_or_default()
}

/// What is behind a home folder in a path.
fn below_home<'p>(look: &Look<'_>, path: &'p Path) -> Option<&'p str> {
    let own = look.place.home.as_deref().and_then(|home| path.strip_prefix(home).ok());
    let others = || {
        let mut parts = path.components();
        parts.next();
        let first = match parts.next()? {
            Component::Normal(name) => name.to_str()?,
            _ => return None,
        };
        match first {
            "root" => Some(parts.as_path()),
            "home" | "Users" => {
                parts.next()?;
                Some(parts.as_path())
            }
            _ => None,
        }
    };
    own.or_else(others)?.to_str()
}

fn is_credential(look: &Look<'_>, path: &Path) -> bool {
    if matches!(path.to_str(), Some("/etc/shadow" | "/etc/gshadow" | "/etc/sudoers")) {
        return true;
    }
    let Some(below) = below_home(look, path) else { return false };
    !is_public(path)
        && FILES.iter().any(|file| match file.strip_suffix('/') {
            Some(_) => below.starts_with(file),
            None => glob(file, below) || may_match(below, file),
        })
}

fn is_public(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "pub")
}

/// Whether a shell's pattern may match such a file: name by name, and a hidden one only where it begins like one.
fn may_match(pattern: &str, file: &str) -> bool {
    let example = file.replace('*', "rsa");
    pattern.contains(['*', '?'])
        && pattern.split('/').count() == example.split('/').count()
        && pattern.split('/').zip(example.split('/')).all(|(pattern, name)| {
            glob(pattern, name) && (!name.starts_with('.') || pattern.starts_with('.'))
        })
}

/// A whole folder of keys.
fn holds_folder(look: &Look<'_>, path: &Path) -> bool {
    below_home(look, path).is_some_and(|below| {
        matches!(below, ".ssh" | ".aws" | ".gnupg" | ".password-store" | ".config/gh" | ".config/gcloud")
    })
}
