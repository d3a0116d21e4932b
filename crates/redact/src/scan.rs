//! Dispatch: which literal wakes which scanner. The one list to read to know what is looked for.

use std::collections::BTreeMap;

use crate::filter::{self, Literal, Run};
use crate::hit::Hit;
use crate::text;
use crate::{assign, commands, encoded, headers, pem, prose, structures, unescaped, urls, vendors};

/// Who looks at a literal that was found.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Handler {
    /// A word that may name a credential.
    Word,
    /// A vendor's name.
    Vendor,
    /// The beginning of a token; the index is into `vendors::tokens()`.
    Token(u16),
    Url,
    KeyBlock,
    Jwt,
    Header,
    Command,
    Encoded,
    Structure(structures::Structure),
}

/// One text being read.
#[derive(Debug)]
pub(crate) struct Scan<'t> {
    pub text: &'t [u8],
    pub hits: Vec<Hit>,
    /// How often base64 was undone to get here; it is undone once.
    pub depth: u8,
    /// A scanner of whole documents has read up to here and need not again.
    pub settled: usize,
    /// A value too long to be one reaches up to here; names inside it have none of their own.
    pub long_until: usize,
    /// A run of name characters too long to be a name reaches up to here.
    pub dead_until: usize,
    /// The base64 run read last ends here.
    pub encoded_until: usize,
    /// The command read last ends here, and so many programs were named in it.
    pub command_until: usize,
    pub commands: usize,
    pub line: commands::Line,
}

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "pass", "pwd", "pswd", "secret", "token", "key", "auth", "cred", "kennwort", "senha", "contrase",
    "motdepasse", "_pw", "rootpw", "bindpw", "wachtwoord", "sas_", "jwt", "sessid", "sessionid",
    "session_id", "mnemonic", "seed_phrase", "seed phrase", "recovery phrase", "dsn", "salt", "signature",
    "sig=", "webhook", "haslo", "parola", "geheimnis", "otp", "pepper", "ikey", "skey", " pw ", "(pw ",
    "pw: ", "pw=", "pw is ", "pw to ", "pw - ", "psk", "salasana", "heslo", "adgangskode", "senord", "sifre", "jelszo", "parool", ".pw", "bearer",
    "clave", "chave", "chiave", "klucz", "sleutel", "nyckel", "jeton", "anahtar", "segreto", "segredo", "geheim", "kodeord", "lozinka", "passord",
];

pub(crate) fn literals() -> Vec<Literal> {
    let folded = |text: &'static str, handler| Literal {
        text: text.as_bytes(),
        folded: true,
        handler,
        bounded: false,
        follows: Run::ANYTHING,
    };
    let exact = |text: &'static str, handler| Literal {
        text: text.as_bytes(),
        folded: false,
        handler,
        bounded: false,
        follows: Run::ANYTHING,
    };
    let mut literals: Vec<Literal> = WORDS.iter().map(|word| folded(word, Handler::Word)).collect();
    literals.extend(vendors::names().map(|name| folded(name, Handler::Vendor)));
    let mut classes = BTreeMap::new();
    for (index, token) in vendors::tokens().iter().enumerate() {
        let bounded = !token.pattern.contains('|')
            && token.anchor().starts_with(|first: char| first.is_ascii_alphanumeric());
        let follows = vendors::run_of(token).map_or(Run::ANYTHING, |(class, least)| Run {
            classes: *classes.entry(class).or_insert_with(|| filter::classes_of(vendors::class(class))),
            least,
        });
        literals.push(Literal { bounded, follows, ..exact(token.anchor(), Handler::Token(index as u16)) });
    }
    literals.push(exact("://", Handler::Url));
    literals.push(exact("BEGIN ", Handler::KeyBlock));
    literals.push(exact("END ", Handler::KeyBlock));
    literals.push(exact("eyJ", Handler::Jwt));
    literals.extend(headers::WORDS.iter().map(|word| folded(word, Handler::Header)));
    literals.extend(commands::programs().map(|program| exact(program, Handler::Command)));
    literals.extend(encoded::ANCHORS.iter().map(|anchor| exact(anchor, Handler::Encoded)));
    literals.extend(
        structures::ANCHORS.iter().map(|(anchor, structure)| folded(anchor, Handler::Structure(*structure))),
    );
    literals
}

/// Reads `text` once and returns what was found, unsettled.
pub(crate) fn scan(text: &[u8], depth: u8) -> Vec<Hit> {
    let filter = filter::filter();
    let mut scan = Scan {
        text,
        hits: Vec::new(),
        depth,
        settled: 0,
        long_until: 0,
        dead_until: 0,
        encoded_until: 0,
        command_until: 0,
        commands: 0,
        line: commands::Line::default(),
    };
    let mut cursor = filter::Cursor::new(text, 0);
    while let Some(at) = filter.next(text, &mut cursor) {
        let mut resume = at + 1;
        for literal in filter.literals_at(text, at) {
            if literal.bounded && !text::begins_token(text, at) || !literal.goes_on(text, at) {
                continue;
            }
            let found = scan.hits.len();
            let went = dispatch(&mut scan, at, literal);
            if scan.hits.len() > found {
                resume = resume.max(went);
                break;
            }
            // Words read a whole name at once; looking at its other half again finds the same nothing.
            if matches!(literal.handler, Handler::Word) {
                resume = resume.max(went.min(at + literal.text.len()));
            }
        }
        cursor.resume(text, at, resume);
    }
    vendors::joined(&mut scan);
    prose::foreign(&mut scan);
    unescaped::scan(text, depth, &mut scan.hits);
    scan.hits
}

fn dispatch(scan: &mut Scan<'_>, at: usize, literal: &Literal) -> usize {
    match literal.handler {
        Handler::Word => assign::scan(scan, at),
        Handler::Vendor => assign::vendor(scan, at, literal.text.len()),
        Handler::Token(index) => vendors::token(scan, at, index),
        Handler::Url => urls::scan(scan, at),
        Handler::KeyBlock => pem::scan(scan, at),
        Handler::Jwt => headers::jwt(scan, at),
        Handler::Header => headers::scan(scan, at, literal.text),
        Handler::Command => commands::scan(scan, at, literal.text),
        Handler::Encoded => encoded::scan(scan, at),
        Handler::Structure(structure) => structures::scan(scan, at, structure),
    }
}
