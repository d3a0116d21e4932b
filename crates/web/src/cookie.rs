//! What a browser holds once a person has opened a link, in two halves. The cookie, which the browser keeps in a file and
//! sends by itself, opens the page's own files and nothing else. The page's key, which the page fetches once and holds in
//! its tab, opens the rest together with it. So who copies a browser's cookies has nothing, and both halves end some hours
//! after the page was closed.
//!
//! Both are keyed hashes of the token: an open page goes on after the daemon has restarted and ends when the token file is
//! replaced; and neither is the token, so who reads one cannot write it into a client's settings.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hmac::{Hmac, KeyInit, Mac};
use http::HeaderValue;
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::token::{Token, TokenError, hex, random};

/// What is hashed with the token as key. Another text makes every cookie and every key another one.
const COOKIE: &[u8] = b"throughline viewer cookie 2";
const KEY: &[u8] = b"throughline page key 2";
/// A cookie holds so long, in seconds; a page that asks something has it renewed. A closed page is forgotten after an
/// afternoon.
const LIFE: u64 = 4 * 60 * 60;
/// It is renewed when this much of its life is over: not with every answer.
const RENEWED_AFTER: u64 = 10 * 60;
/// However often it is renewed: a page that stays open for longer is opened again with `throughline view`.
const LONGEST: u64 = 7 * 24 * 60 * 60;
/// A clock that is set back by less is no reason to lock a page.
const AHEAD: u64 = 5 * 60;
/// A page that was opened fetches its key at once; a slow browser, in seconds.
const FETCH_WITHIN: Duration = Duration::from_mins(1);
/// Nobody opens so many at the same time. One more, and the oldest makes way.
const MAX_UNFETCHED: usize = 16;

pub(crate) struct Cookies {
    token: Token,
    port: u16,
    /// Visits whose key was not fetched yet. It is handed out once.
    unfetched: Mutex<Vec<(String, Instant)>>,
}

/// One opened link, as its cookie tells it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Visit {
    /// Unix seconds.
    began: u64,
    until: u64,
    name: String,
}

/// Never shown by accident.
impl std::fmt::Debug for Cookies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name())
    }
}

impl std::fmt::Debug for Visit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Visit")
    }
}

impl Cookies {
    pub(crate) fn new(token: Token, port: u16) -> Self {
        Self { token, port, unfetched: Mutex::default() }
    }

    /// Browsers keep cookies by host and not by port: each daemon has a name of its own.
    fn name(&self) -> String {
        format!("throughline-{}", self.port)
    }

    /// A link was opened. Its page may fetch its key, once and soon.
    pub(crate) fn begin(&self) -> Result<Visit, TokenError> {
        let (now, name) = (seconds(), random()?);
        let visit = Visit { began: now, until: now + LIFE, name };
        let mut unfetched = self.unfetched.lock().unwrap_or_else(PoisonError::into_inner);
        if unfetched.len() >= MAX_UNFETCHED {
            unfetched.remove(0);
        }
        unfetched.push((visit.name.clone(), Instant::now()));
        Ok(visit)
    }

    /// The page's own half, which is said once: a second one who asks comes with a cookie that is not theirs.
    pub(crate) fn fetch_key(&self, visit: &Visit, now: Instant) -> Option<String> {
        let mut unfetched = self.unfetched.lock().unwrap_or_else(PoisonError::into_inner);
        unfetched.retain(|(_, made)| now.saturating_duration_since(*made) < FETCH_WITHIN);
        let at = unfetched.iter().position(|(name, _)| *name == visit.name)?;
        unfetched.remove(at);
        Some(self.key(visit))
    }

    /// Whether this is the key of the page that this visit opened.
    pub(crate) fn is_key(&self, visit: &Visit, said: &str) -> bool {
        self.key(visit).as_bytes().ct_eq(said.as_bytes()).into()
    }

    /// The visit among those that a `Cookie` header says. Another program on this host may have set one of the same name
    /// for another path, and it may stand first.
    pub(crate) fn find(&self, header: &str) -> Option<Visit> {
        self.find_at(header, seconds())
    }

    fn find_at(&self, header: &str, now: u64) -> Option<Visit> {
        let name = self.name();
        let pairs = header.split(';').filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(|(said, _)| *said == name).find_map(|(_, value)| self.read(value, now))
    }

    fn read(&self, value: &str, now: u64) -> Option<Visit> {
        let mut parts = value.split('.');
        let (began, until, name, hash) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let visit = Visit { began: began.parse().ok()?, until: until.parse().ok()?, name: name.to_owned() };
        let is_ours: bool = self.value(&visit).as_bytes().ct_eq(value.as_bytes()).into();
        let holds = now < visit.until && visit.began <= now + AHEAD && hash.len() == 64;
        (is_ours && holds).then_some(visit)
    }

    /// What to set instead, where it is time.
    pub(crate) fn renewed(&self, visit: &Visit) -> Option<HeaderValue> {
        self.renewed_at(visit, seconds())
    }

    fn renewed_at(&self, visit: &Visit, now: u64) -> Option<HeaderValue> {
        let until = (now + LIFE).min(visit.began + LONGEST);
        (until >= visit.until + RENEWED_AFTER).then(|| self.to_set(&Visit { until, ..visit.clone() }))
    }

    /// No script can read it, no other site's page can send it, and it goes with the browser's window.
    pub(crate) fn to_set(&self, visit: &Visit) -> HeaderValue {
        let text = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.name(), self.value(visit));
        HeaderValue::try_from(text).expect("a name, digits and dots are a header")
    }

    fn value(&self, visit: &Visit) -> String {
        let said = format!("{}.{}.{}", visit.began, visit.until, visit.name);
        let hash = self.hash(COOKIE, &said);
        format!("{said}.{hash}")
    }

    /// The same for as long as the page is open, however often its cookie is renewed.
    fn key(&self, visit: &Visit) -> String {
        self.hash(KEY, &format!("{}.{}", visit.began, visit.name))
    }

    fn hash(&self, meaning: &[u8], said: &str) -> String {
        let mut hash = <Hmac<Sha256> as KeyInit>::new_from_slice(self.token.reveal().as_bytes())
            .expect("a key may have any length");
        hash.update(meaning);
        hash.update(&self.port.to_be_bytes());
        hash.update(said.as_bytes());
        hex(&hash.finalize().into_bytes())
    }
}

fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cookies(folder: &tempfile::TempDir, name: &str, port: u16) -> Cookies {
        Cookies::new(Token::load_or_make(&folder.path().join(name)).expect("a token"), port)
    }

    fn said(cookies: &Cookies, visit: &Visit) -> String {
        format!("{}={}", cookies.name(), cookies.value(visit))
    }

    #[test]
    fn it_outlives_the_daemon_and_ends_with_the_token() {
        let folder = tempfile::tempdir().expect("a folder");
        let ours = cookies(&folder, "one", 7777);
        let visit = ours.begin().expect("a visit");
        let (header, key) = (said(&ours, &visit), ours.key(&visit));
        let restarted = cookies(&folder, "one", 7777);
        assert_eq!(restarted.find(&header), Some(visit.clone()), "after a restart");
        assert!(restarted.is_key(&visit, &key));
        assert_eq!(cookies(&folder, "two", 7777).find(&header), None, "of another token");
        assert!(!cookies(&folder, "two", 7777).is_key(&visit, &key));
        let other = cookies(&folder, "one", 7778);
        assert_eq!(other.find(&header.replace("7777", "7778")), None, "of another daemon");
        assert!(!ours.to_set(&visit).to_str().expect("text").contains(ours.token.reveal()));
        assert_eq!((format!("{ours:?}"), format!("{visit:?}")), ("throughline-7777".into(), "Visit".into()));
    }

    #[test]
    fn it_is_found_among_others_and_whole_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let ours = cookies(&folder, "one", 7777);
        let visit = ours.begin().expect("a visit");
        let value = ours.value(&visit);
        let planted = format!("a=b; throughline-7777=planted; throughline-7777={value}; c");
        assert_eq!(ours.find(&planted), Some(visit.clone()));
        let longer = Visit { until: visit.until + 1, ..visit.clone() };
        let forged = ours.value(&visit).replace(&visit.until.to_string(), &longer.until.to_string());
        for wrong in [
            String::new(),
            "throughline-7777".to_owned(),
            "throughline-7777=".to_owned(),
            "throughline-7777=...".to_owned(),
            format!("throughline-7777={}", &value[1..]),
            format!("throughline-7777={value}0"),
            format!("throughline-7777={value}."),
            format!("throughline-7777={forged}"),
            format!("throughline-7777={}", ours.key(&visit)),
            format!("Throughline-7777={value}"),
            format!("other={value}"),
        ] {
            assert_eq!(ours.find(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn it_ends_some_hours_after_the_page_and_some_days_after_the_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let ours = cookies(&folder, "one", 7777);
        let visit = ours.begin().expect("a visit");
        let (header, began) = (said(&ours, &visit), visit.began);
        assert!(ours.find_at(&header, began + LIFE - 1).is_some());
        assert_eq!(ours.find_at(&header, began + LIFE), None, "nobody looked for so long");
        assert_eq!(ours.find_at(&header, began - AHEAD - 1), None, "of the future");
        assert_eq!(ours.renewed_at(&visit, began + RENEWED_AFTER - 1), None, "not with every answer");
        // A page that is never closed.
        let (mut visit, mut now) = (visit, began);
        while let Some(set) = ours.renewed_at(&visit, now + RENEWED_AFTER) {
            now += RENEWED_AFTER;
            let set = set.to_str().expect("text").split(';').next().expect("a pair").to_owned();
            visit = ours.find_at(&set, now).expect("it holds");
            assert!(visit.until <= began + LONGEST);
        }
        assert_eq!(ours.find_at(&said(&ours, &visit), began + LONGEST), None, "it ends all the same");
        assert!(now >= began + LONGEST - LIFE - RENEWED_AFTER, "and not much sooner");
    }

    #[test]
    fn the_key_is_handed_out_once_and_soon_and_belongs_to_its_visit() {
        let folder = tempfile::tempdir().expect("a folder");
        let ours = cookies(&folder, "one", 7777);
        let (one, other, late) = (ours.begin().unwrap(), ours.begin().unwrap(), ours.begin().unwrap());
        let now = Instant::now();
        let key = ours.fetch_key(&one, now).expect("the first who asks");
        assert_eq!(ours.fetch_key(&one, now), None, "the second");
        assert!(ours.is_key(&one, &key) && !ours.is_key(&other, &key));
        assert!(
            !ours.is_key(&one, "") && !ours.is_key(&one, &key[1..]) && !ours.is_key(&one, &ours.value(&one))
        );
        assert_eq!(ours.fetch_key(&late, now + FETCH_WITHIN), None, "late");
        let restarted = cookies(&folder, "one", 7777);
        assert_eq!(restarted.fetch_key(&other, now), None, "a daemon that did not open it");
        let many: Vec<Visit> = (0..=MAX_UNFETCHED).map(|_| ours.begin().unwrap()).collect();
        assert_eq!(ours.fetch_key(&many[0], Instant::now()), None, "of too many the oldest makes way");
    }
}
