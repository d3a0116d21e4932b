//! Where a secret stands: files, commands, traffic, code and talk, as templates.
//!
//! A template is text with holes. `«V»` is the secret, `«NAME»` the name it is kept under (also `«name»`,
//! `«camel»`, `«kebab»`, `«dotted»`), `«64»` its base64, `«pair64»` base64 of `user:secret`, `«url»` its
//! percent-encoded form; `«user»`, `«host»`, `«db»`, `«word»` are surroundings, and `{h32}`-like fields of the
//! grammar are noise. Each template belongs to one split.

mod commands;
mod environment;
mod files;
mod passwords;
mod stores;
mod talk;

use super::passwords::Fit;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Environment,
    Command,
    File,
    Header,
    Code,
    Talk,
}

impl Group {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Environment => "env dump",
            Self::Command => "command line",
            Self::File => "config file",
            Self::Header => "header or log",
            Self::Code => "source code",
            Self::Talk => "prose",
        }
    }
}

/// `takes` says which secrets may stand here: `E`vident tokens, `N`amed opaque keys, `P`asswords.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Carrier {
    pub(crate) group: Group,
    pub(crate) takes: &'static str,
    pub(crate) fit: Fit,
    pub(crate) text: &'static str,
}

pub(crate) const fn carrier(group: Group, takes: &'static str, fit: Fit, text: &'static str) -> Carrier {
    Carrier { group, takes, fit, text }
}

pub(crate) fn all() -> impl Iterator<Item = &'static Carrier> {
    environment::ALL
        .iter()
        .chain(commands::ALL)
        .chain(files::ALL)
        .chain(stores::ALL)
        .chain(passwords::ALL)
        .chain(talk::ALL)
}
