//! What the database's errors mean for whoever waits. A message says what the server said, never what was sent: a
//! server's details quote values.

use postgres::Error;
use postgres::error::SqlState;
use rustls::CertificateError;
use store::shared::SharedError;

use crate::options::refused;

/// A person must act: the right password, the right certificate, a right that is missing.
const ABOUT_RIGHTS: &[&str] = &["28", "42", "3D", "0A"];
/// What was sent cannot be kept, however often it is sent: it is no such value, a rule of the table forbids it, or it is
/// more than a row or an index takes.
const ABOUT_VALUES: &[&str] = &["22", "23", "54"];

const PASSWORD: &str = "check the password (PGPASSWORD, ~/.pgpass), or ask for a new invitation";
const ROOT: &str = "sslrootcert=FILE in the URL names the root that has signed it";

pub(crate) fn sort(error: &Error) -> SharedError {
    if let Some(said) = error.as_db_error() {
        let says = format!("{} ({})", said.message(), said.code().code());
        let class = &said.code().code()[..2];
        if ABOUT_RIGHTS.contains(&class) {
            let next = next_step(said.code(), said.message());
            return refused(&format!("the team's database refuses: {says}"), next);
        }
        if ABOUT_VALUES.contains(&class) {
            return SharedError::Unfit(says);
        }
        return SharedError::Unreachable(says);
    }
    let mut says = error.to_string();
    let mut cause = std::error::Error::source(error);
    let mut is_tls = says.contains("TLS");
    while let Some(inner) = cause {
        if let Some(trouble) = certificate(inner) {
            return trouble;
        }
        let more = inner.to_string();
        is_tls |= more.contains("certificate") || more.contains("CertificateError");
        if !says.contains(&more) {
            says.push_str(": ");
            says.push_str(&more);
        }
        cause = inner.source();
    }
    if says.contains("does not support TLS") {
        return refused(
            "the server has no TLS, and without it passwords and memories would go in the clear",
            "switch `ssl` on at the server; through a tunnel of your own: ?sslmode=disable and --allow-plain",
        );
    }
    if is_tls {
        return refused(&format!("no safe connection to the server: {says}"), ROOT);
    }
    if says.contains("password missing") {
        return refused("the server asks for a password, and none is known", PASSWORD);
    }
    if says.contains("authentication") {
        return refused(&says, PASSWORD);
    }
    SharedError::Unreachable(says)
}

/// What a person does about what the server says.
fn next_step(code: &SqlState, says: &str) -> &'static str {
    let is = |other: &SqlState| code == other;
    if is(&SqlState::INVALID_CATALOG_NAME) {
        return "make that database first (CREATE DATABASE), or correct the end of the URL";
    }
    if is(&SqlState::INVALID_PASSWORD) {
        return PASSWORD;
    }
    if is(&SqlState::INVALID_AUTHORIZATION_SPECIFICATION) {
        // What `pg_hba.conf` of the server says of this way in.
        return if says.contains("no encryption") || says.contains("SSL off") {
            "the server takes encrypted connections alone: add sslmode=verify-full to the URL, and sslrootcert=FILE if \
             its certificate is of a root of your own"
        } else if says.contains("pg_hba.conf") {
            "its pg_hba.conf does not let this user in from here: ask whoever runs it"
        } else if says.contains("does not exist") {
            "correct the user in the URL, or ask for an invitation: whoever was removed is let in no more"
        } else {
            PASSWORD
        };
    }
    if is(&SqlState::INSUFFICIENT_PRIVILEGE) {
        return "use a role that may do this: one that may create roles and schemas for the team's beginning and its \
                members, the one of your invitation for everything else";
    }
    "ask whoever runs the database"
}

/// What is wrong with who the server says it is.
fn certificate(error: &(dyn std::error::Error + 'static)) -> Option<SharedError> {
    let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    let inner = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let rustls::Error::InvalidCertificate(trouble) = inner.or(error.downcast_ref::<rustls::Error>())? else {
        return None;
    };
    let (says, next) = match trouble {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            ("the server's certificate has expired", "it needs a new one; is this machine's clock right?")
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            ("the server's certificate is not valid yet", "is this machine's clock right?")
        }
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            ("the server's certificate is of nobody that is trusted here", ROOT)
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => (
            "the server's certificate is for another name",
            "write the host in the URL as the certificate names it",
        ),
        CertificateError::Revoked => ("the server's certificate was revoked", "it needs a new one"),
        // A root that serves itself; the library has no word of its own for it.
        CertificateError::Other(other) if format!("{other:?}").contains("CaUsedAsEndEntity") => (
            "the server shows the certificate of an authority as its own",
            "it needs one that the authority has signed, with basicConstraints=CA:FALSE and the host's name",
        ),
        _ => (
            "the server's certificate cannot be used",
            "it needs another one, for the host's name, of a known root",
        ),
    };
    Some(refused(says, next))
}

/// Two machines stood in each other's way; the same again will work.
pub(crate) fn is_worth_repeating(error: &Error) -> bool {
    error.code().is_some_and(|code| {
        [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE].contains(code)
    })
}

/// A row was not ours to write.
pub(crate) fn is_about_rights(error: &Error) -> bool {
    error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE)
}
