//! Passwords, keys and tokens: programs that print them, files that hold them.

use std::path::{Component, Path};

use super::look::Look;
use super::place::Target;
use super::shipped::{CREDENTIALS, Finding};
use crate::shell::{Command, RedirectKind, Word};

/// Commands that print one.
pub(super) const PROGRAMS: &[&str] = &[
    "security find-*-password *",
    "security dump-keychain *",
    "security export *",
    "gpg --export-secret-keys *",
    "gpg --export-secret-subkeys *",
    "gpg -a --export-secret-keys *",
    "gpg --armor --export-secret-keys *",
    "gpg2 --export-secret-keys *",
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
    "kubectl get secret *",
    "kubectl get secrets * -o *",
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
        let folder = command.folder.as_deref();
        let reads = look
            .program(at)
            .is_some_and(|program| READERS.split_whitespace().any(|reader| reader == program));
        let words = command.arguments().iter().filter(|_| reads);
        let inputs = command.redirects.iter().filter(|redirect| redirect.kind == RedirectKind::Read);
        let mut named = words.chain(inputs.map(|redirect| &redirect.target));
        if named.any(|word| holds(look, folder, word)) && !only_public(command) {
            all.push(Finding { rule: &CREDENTIALS, verdict: CREDENTIALS.verdict, commands: vec![at] });
        }
    }
}

/// `scp -i key`: the key opens the door and does not go through it.
fn only_public(command: &Command) -> bool {
    let program = command.program();
    let is_door = matches!(program.as_deref(), Some("scp" | "sftp" | "rsync"));
    let is_key = |pair: &[Word]| pair[0].text().as_deref() == Some("-i");
    is_door && command.words.windows(2).any(is_key)
}

fn holds(look: &Look<'_>, folder: Option<&Word>, word: &Word) -> bool {
    // `file=@path`, `--data=@path`, `if=path`, `host:path`: the path is behind the last of these signs.
    let shape = word.shape();
    let cut = shape.rfind(['@', '=', ':']).map_or(0, |at| at + 1);
    let target = match cut {
        0 => look.place.target(folder, word),
        // The home folder is a part of its own, written as `~`.
        cut => look.place.target(folder, &home_word(&shape[cut..])),
    };
    match target {
        Target::Path(path) => is_credential(look, &path) || holds_folder(look, &path),
        Target::AllIn(path) | Target::SomeIn(path) => holds_folder(look, &path),
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
    let is_public = path.extension().is_some_and(|extension| extension == "pub");
    !is_public
        && FILES.iter().any(|file| match file.strip_suffix('/') {
            Some(_) => below.starts_with(file),
            None => super::pattern::glob(file, below),
        })
}

/// A whole folder of keys.
fn holds_folder(look: &Look<'_>, path: &Path) -> bool {
    below_home(look, path).is_some_and(|below| {
        matches!(below, ".ssh" | ".aws" | ".gnupg" | ".password-store" | ".config/gh" | ".config/gcloud")
    })
}
