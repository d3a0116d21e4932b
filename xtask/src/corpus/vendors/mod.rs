//! Published credential formats, as data: (kind, names it is kept under, grammar).
//!
//! `EVIDENT` formats can be told by their own letters wherever they stand; `NAMED` ones are opaque, and only the
//! name beside them says what they are. Publishable identifiers (`pk_live_`, account numbers) are not listed.

mod commerce;
mod developer;
mod intelligence;
mod opaque;
mod platform;

pub(crate) type Format = (&'static str, &'static str, &'static str);

pub(crate) fn evident() -> impl Iterator<Item = &'static Format> {
    developer::EVIDENT.iter().chain(platform::EVIDENT).chain(commerce::EVIDENT).chain(intelligence::EVIDENT)
}

pub(crate) fn named() -> impl Iterator<Item = &'static Format> {
    opaque::NAMED.iter().chain(opaque::HOUSE)
}
