//! Identities are types, so that two of them cannot be swapped.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One hook call, named by the client that made it. A UUIDv7, so that ids sort by the time they were minted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId([u8; 16]);

impl EventId {
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// A UUIDv7 from a time and ten random bytes.
    pub fn mint(at: crate::Millis, random: [u8; 10]) -> Self {
        let mut bytes = [0; 16];
        bytes[..6].copy_from_slice(&at.to_be_bytes()[2..]);
        bytes[6..].copy_from_slice(&random);
        bytes[6] = (bytes[6] & 0x0f) | 0x70;
        bytes[8] = (bytes[8] & 0x3f) | 0x80;
        Self(bytes)
    }

    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// When the client minted it, if it did so as we do.
    pub fn minted_at(&self) -> crate::Millis {
        let mut time = [0; 8];
        time[2..].copy_from_slice(&self.0[..6]);
        u64::from_be_bytes(time)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, byte) in self.0.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAnId;

impl FromStr for EventId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let mut bytes = [0; 16];
        let mut digits = text.bytes().filter(|byte| *byte != b'-');
        for slot in &mut bytes {
            let (Some(high), Some(low)) = (digits.next(), digits.next()) else { return Err(NotAnId) };
            let (Some(high), Some(low)) = ((high as char).to_digit(16), (low as char).to_digit(16)) else {
                return Err(NotAnId);
            };
            *slot = (high << 4 | low) as u8;
        }
        if digits.next().is_some() { Err(NotAnId) } else { Ok(Self(bytes)) }
    }
}

impl Serialize for EventId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EventId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| serde::de::Error::custom("not the id of an event"))
    }
}

/// The agent's own session id, whatever it looks like. Never a path: it is a stranger's text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(String);

impl SessionId {
    /// Agents send UUIDs; this is room for ten of them.
    pub const MAX_CHARS: usize = 400;
    /// Events that name no session are kept under this one.
    pub const UNKNOWN: &'static str = "unknown";

    pub fn new(text: &str) -> Self {
        if text.is_empty() {
            return Self(Self::UNKNOWN.to_owned());
        }
        match text.char_indices().nth(Self::MAX_CHARS) {
            Some((end, _)) => Self(text[..end].to_owned()),
            None => Self(text.to_owned()),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// SHA-256 of the real path of a git top level (else of the working directory), in hex.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WorkspaceKey(String);

impl WorkspaceKey {
    pub fn from_hex(hex: String) -> Self {
        Self(hex)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_id_reads_back_and_knows_its_time() {
        let id = EventId::mint(1_763_244_000_123, [0xff; 10]);
        assert_eq!(id.minted_at(), 1_763_244_000_123);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(&id.to_string()[14..15], "7");
        assert_eq!("not an id".parse::<EventId>(), Err(NotAnId));
    }

    #[test]
    fn a_hostile_session_id_is_bounded_and_an_empty_one_has_a_name() {
        assert_eq!(SessionId::new(&"é".repeat(9000)).as_str().chars().count(), SessionId::MAX_CHARS);
        assert_eq!(SessionId::new("").as_str(), SessionId::UNKNOWN);
    }
}
