//! What a browser keeps once a person has opened a link: proof that the link was ours. It is a keyed hash of the token,
//! so an open page goes on after the daemon has restarted and ends when the token file is replaced; and it is not the
//! token, so who reads it out of a browser's files cannot write it into a client's settings.

use hmac::{Hmac, KeyInit, Mac};
use http::HeaderValue;
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::token::{Token, hex};

/// What is hashed with the token as key. Another text makes every cookie another one.
const MEANING: &[u8] = b"throughline viewer cookie 1";
/// A month: who looks now and then need not ask for a link each time.
const MAX_AGE_SECONDS: u32 = 30 * 24 * 60 * 60;

pub(crate) struct Cookie {
    /// Browsers keep cookies by host and not by port: each daemon has a name of its own.
    name: String,
    value: String,
}

/// Never shown by accident.
impl std::fmt::Debug for Cookie {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

impl Cookie {
    pub(crate) fn new(token: &Token, port: u16) -> Self {
        let mut hash = <Hmac<Sha256> as KeyInit>::new_from_slice(token.reveal().as_bytes())
            .expect("a key may have any length");
        hash.update(MEANING);
        Self { name: format!("throughline-{port}"), value: hex(&hash.finalize().into_bytes()) }
    }

    /// Whether it is among those that a `Cookie` header says. Another program on this host may have set one of the same
    /// name for another path, and it may stand first.
    pub(crate) fn is_in(&self, header: &str) -> bool {
        let pairs = header.split(';').filter_map(|pair| pair.trim().split_once('='));
        pairs
            .filter(|(name, _)| *name == self.name)
            .any(|(_, value)| value.as_bytes().ct_eq(self.value.as_bytes()).into())
    }

    /// No script can read it and no other site's page can send it.
    pub(crate) fn to_set(&self) -> HeaderValue {
        let Self { name, value } = self;
        let text = format!("{name}={value}; Path=/; Max-Age={MAX_AGE_SECONDS}; HttpOnly; SameSite=Strict");
        HeaderValue::try_from(text).expect("a name and digits are a header")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(folder: &tempfile::TempDir, name: &str) -> Token {
        Token::load_or_make(&folder.path().join(name)).expect("a token")
    }

    #[test]
    fn it_outlives_the_daemon_and_ends_with_the_token() {
        let folder = tempfile::tempdir().expect("a folder");
        let ours = token(&folder, "one");
        let cookie = Cookie::new(&ours, 7777);
        let said = |cookie: &Cookie| format!("{}={}", cookie.name, cookie.value);
        assert!(cookie.is_in(&said(&Cookie::new(&token(&folder, "one"), 7777))), "after a restart");
        assert!(!cookie.is_in(&said(&Cookie::new(&token(&folder, "two"), 7777))), "of another token");
        assert!(!cookie.is_in(&said(&Cookie::new(&ours, 7778))), "of another daemon");
        assert!(!cookie.to_set().to_str().expect("text").contains(ours.reveal()));
        assert_eq!(format!("{cookie:?}"), "throughline-7777");
    }

    #[test]
    fn it_is_found_among_others_and_whole_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let cookie = Cookie::new(&token(&folder, "one"), 7777);
        let value = cookie.value.clone();
        assert!(cookie.is_in(&format!("a=b; throughline-7777=planted; throughline-7777={value}; c")));
        for wrong in [
            String::new(),
            "throughline-7777".to_owned(),
            "throughline-7777=".to_owned(),
            format!("throughline-7777={}", &value[1..]),
            format!("throughline-7777={value}0"),
            format!("Throughline-7777={value}"),
            format!("other={value}"),
        ] {
            assert!(!cookie.is_in(&wrong), "{wrong}");
        }
    }
}
