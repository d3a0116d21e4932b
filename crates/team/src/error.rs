//! What the database's errors mean for whoever waits. A message says what the server said, never what was sent: a
//! server's details quote values.

use postgres::Error;
use postgres::error::SqlState;
use store::shared::SharedError;

/// A person must act: the right password, the right certificate, a right that is missing.
const ABOUT_RIGHTS: &[&str] = &["28", "42", "3D", "0A"];
/// What was sent cannot be kept, however often it is sent: it is no such value, a rule of the table forbids it, or it is
/// more than a row or an index takes.
const ABOUT_VALUES: &[&str] = &["22", "23", "54"];

pub(crate) fn sort(error: &Error) -> SharedError {
    if let Some(said) = error.as_db_error() {
        let says = format!("{} ({})", said.message(), said.code().code());
        let class = &said.code().code()[..2];
        if ABOUT_RIGHTS.contains(&class) {
            return SharedError::Refused(says);
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
        let more = inner.to_string();
        is_tls |= more.contains("certificate") || more.contains("CertificateError");
        if !says.contains(&more) {
            says.push_str(": ");
            says.push_str(&more);
        }
        cause = inner.source();
    }
    if is_tls || says.contains("password missing") || says.contains("authentication") {
        return SharedError::Refused(says);
    }
    SharedError::Unreachable(says)
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
