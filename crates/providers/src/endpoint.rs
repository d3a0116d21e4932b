//! Where a provider is and what opens its door. The address comes from the person's own settings and is still
//! checked: a key never travels in the clear, a redirect is not followed, and no address of this machine's
//! network card or of a cloud's metadata is asked.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ureq::config::Config;
use ureq::http::{HeaderValue, Uri};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Proxy};

use crate::ProviderError;

/// A secret that opens a provider. It is a value of the caller's (who read it from the variable the settings
/// name); it is never stored, and shows itself to nobody.
#[derive(Clone)]
pub struct Key(String);

impl Key {
    /// `None` for what cannot be a key: empty, or no plain visible text.
    pub fn new(secret: &str) -> Option<Key> {
        let secret = secret.trim();
        let is_plain = !secret.is_empty() && secret.bytes().all(|byte| byte.is_ascii_graphic());
        is_plain.then(|| Key(secret.to_owned()))
    }

    /// `prefix` and the secret, marked so that nothing below us prints it either.
    pub(crate) fn header(&self, prefix: &str) -> HeaderValue {
        let mut value =
            HeaderValue::from_str(&format!("{prefix}{}", self.0)).expect("a key is visible ASCII");
        value.set_sensitive(true);
        value
    }

    /// A server may repeat our key in its complaint, and complaints are logged.
    pub(crate) fn blot_out(&self, text: &str) -> String {
        text.replace(&self.0, "[key]")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(hidden)")
    }
}

/// One provider's address with the connections to it.
#[derive(Clone)]
pub struct Endpoint {
    base: String,
    pub(crate) key: Option<Key>,
    pub(crate) agent: Agent,
}

impl Endpoint {
    /// `base` is what a dialect appends its paths to: `https://api.anthropic.com`, `https://api.openai.com/v1`,
    /// `http://127.0.0.1:11434`. A proxy is given or absent; the environment is not asked.
    pub fn new(base: &str, key: Option<Key>, proxy: Option<&str>) -> Result<Endpoint, ProviderError> {
        let base = base.trim().trim_end_matches('/');
        check(base, key.is_some())?;
        let proxy = proxy.map(Proxy::new).transpose();
        let proxy = proxy.map_err(|_| ProviderError::rejected("the proxy's address is not one"))?;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(proxy)
            .user_agent(concat!("throughline/", env!("CARGO_PKG_VERSION")))
            .build();
        let agent =
            Agent::with_parts(config, DefaultConnector::default(), Guarded(DefaultResolver::default()));
        Ok(Endpoint { base: base.to_owned(), key, agent })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("base", &self.base).field("key", &self.key).finish_non_exhaustive()
    }
}

fn check(base: &str, has_key: bool) -> Result<(), ProviderError> {
    let refuse = |why: &str| Err(ProviderError::rejected(format!("the address {why}")));
    let Ok(uri) = base.parse::<Uri>() else { return refuse("is not one") };
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return refuse("does not begin with http:// or https://");
    };
    if authority.as_str().contains('@') {
        return refuse("carries credentials; name the variable that holds the key instead");
    }
    if uri.query().is_some() {
        return refuse("has a query");
    }
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    let literal = host.parse::<IpAddr>().ok();
    if literal.is_some_and(is_off_limits) {
        return refuse("is one of the link or of a cloud's metadata");
    }
    let is_here = host == "localhost" || literal.is_some_and(|address| address.to_canonical().is_loopback());
    match scheme {
        "https" => Ok(()),
        "http" if is_here || !has_key => Ok(()),
        "http" => refuse("would carry the key in the clear; use https, or no key"),
        _ => refuse("does not begin with http:// or https://"),
    }
}

/// Addresses that answer with the machine's own credentials, whoever asks.
fn is_off_limits(address: IpAddr) -> bool {
    const METADATA_V4: Ipv4Addr = Ipv4Addr::new(100, 100, 100, 200);
    const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.is_link_local() || v4.is_unspecified() || v4 == METADATA_V4,
        IpAddr::V6(v6) => v6.is_unicast_link_local() || v6.is_unspecified() || v6 == METADATA_V6,
    }
}

/// A name may lead where an address may not.
#[derive(Debug)]
struct Guarded(DefaultResolver);

impl Resolver for Guarded {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.0.resolve(uri, config, timeout)?;
        let mut allowed = self.empty();
        for address in found.iter().filter(|address| !is_off_limits(address.ip())) {
            allowed.push(*address);
        }
        if allowed.is_empty() { Err(ureq::Error::HostNotFound) } else { Ok(allowed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opens(base: &str, key: Option<&str>) -> bool {
        Endpoint::new(base, key.and_then(Key::new), None).is_ok()
    }

    #[test]
    fn a_key_never_travels_in_the_clear() {
        assert!(opens("https://api.example.com/v1", Some("k")));
        assert!(opens("http://127.0.0.1:8080", Some("k")));
        assert!(opens("http://localhost:8080/v1/", Some("k")));
        assert!(opens("http://[::1]:8080", Some("k")));
        assert!(opens("http://192.168.1.7:11434", None));
        assert!(!opens("http://192.168.1.7:11434", Some("k")));
        assert!(!opens("http://api.example.com", Some("k")));
    }

    #[test]
    fn addresses_of_the_link_and_of_metadata_are_refused_by_literal() {
        for host in [
            "169.254.169.254",
            "[fe80::1]",
            "[fd00:ec2::254]",
            "100.100.100.200",
            "[::ffff:169.254.169.254]",
            "0.0.0.0",
        ] {
            assert!(!opens(&format!("http://{host}/latest"), None), "{host}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for base in
            ["", "ftp://x", "/v1", "api.example.com", "https://user:secret@example.com", "https://x/?k=v"]
        {
            assert!(!opens(base, None), "{base}");
        }
    }

    #[test]
    fn a_key_shows_itself_to_nobody() {
        let endpoint = Endpoint::new("https://x", Key::new(" sk-secret-1\n"), None).unwrap();
        assert!(!format!("{endpoint:?}").contains("secret"));
        let key = endpoint.key.unwrap();
        assert!(!format!("{key:?} {:?}", key.header("Bearer ")).contains("secret"));
        assert_eq!(key.blot_out("no such key: sk-secret-1!"), "no such key: [key]!");
        assert!(Key::new(" ").is_none() && Key::new("a\nb").is_none() && Key::new("ä").is_none());
    }
}
