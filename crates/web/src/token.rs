//! The secret that opens the door: 256 random bits in a file that one person can read. It is made once and stays, so
//! that what was pasted into a client's settings goes on working; who wants another one removes the file and restarts.

use std::fmt;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use subtle::ConstantTimeEq;

const BYTES: usize = 32;
/// In hex.
const DIGITS: usize = BYTES * 2;

#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    #[error("the system gives no random numbers")]
    Random,
    #[error(transparent)]
    File(#[from] io::Error),
}

/// Never shown by accident: it has no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// The one in the file, which is made if there is none or it holds no token.
    pub fn load_or_make(path: &Path) -> Result<Self, TokenError> {
        match Self::load(path) {
            Ok(Some(token)) => {
                // Somebody may have copied the folder without its modes.
                fs::set_permissions(path, Permissions::from_mode(0o600))?;
                return Ok(token);
            }
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
        let token = Self(random()?);
        // Beside it and renamed: no reader sees half of it, and no link leads the writing elsewhere.
        let fresh = path.with_extension("new");
        match fs::remove_file(&fresh) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&fresh)?;
        file.write_all(token.0.as_bytes())?;
        file.write_all(b"\n")?;
        fs::rename(&fresh, path)?;
        Ok(token)
    }

    /// The one in the file; `None` if what is in it is no token.
    pub fn load(path: &Path) -> io::Result<Option<Self>> {
        let mut text = String::new();
        let read = fs::File::open(path)?.take(DIGITS as u64 + 2).read_to_string(&mut text);
        match read {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok(None),
            read => read?,
        };
        let text = text.trim_end();
        let is_token = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        Ok(is_token.then(|| Self(text.to_owned())))
    }

    /// For whoever has asked to see it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Takes as long for a wrong one as for the right one.
    pub(crate) fn is(&self, said: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(said).into()
    }
}

/// 256 random bits, as text.
pub(crate) fn random() -> Result<String, TokenError> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|_| TokenError::Random)?;
    Ok(hex(&bytes))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |four: u8| char::from_digit(u32::from(four), 16).expect("four bits are a digit");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_once_for_one_person_alone_and_never_shown_by_accident() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("token");
        let token = Token::load_or_make(&path).expect("a token");
        assert_eq!(token.reveal().len(), DIGITS);
        fs::set_permissions(&path, Permissions::from_mode(0o644)).expect("a mode");
        assert_eq!(Token::load_or_make(&path).expect("the same"), token);
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
        assert_eq!(format!("{token:?}"), "Token");
        assert!(token.is(token.reveal().as_bytes()));
        assert!(!token.is(b"") && !token.is(&token.reveal().as_bytes()[1..]));
    }

    #[test]
    fn what_is_no_token_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("token");
        for wrong in [&b""[..], b"short", &[b'x'; 64], &[b'a'; 65], &[0xff; 64]] {
            fs::write(&path, wrong).expect("a file");
            assert_eq!(Token::load(&path).expect("it can be read"), None);
            let made = Token::load_or_make(&path).expect("a token");
            assert_eq!(Token::load(&path).expect("it can be read"), Some(made));
        }
    }
}
