//! The text of a source file to facts: an outline, references, imports, what names stand for, flow. Knows no path, no
//! disk, no database and no other file; what a reference means across files is found out in `atlas`.
//!
//! A language is a folder below `languages/` and a line in [`languages::ALL`]; its queries say which nodes mean what,
//! and one engine reads them all.

mod assemble;
mod beside;
mod capture;
mod chain;
mod declarator;
mod docs;
mod extract;
pub mod facts;
pub mod flow;
mod headings;
mod language;
pub mod languages;
mod mend;
mod names;
mod nested;
mod place;
pub mod prints;
mod signature;
mod structure;
mod tokens;

pub use extract::{MAX_TEXT, facts, parse};
pub use facts::RETURNED;
pub use facts::{
    Binding, Chain, ChainId, Facts, Flags, Import, Kind, Name, Place, Reference, Role, Root, Span, Step,
    Symbol, SymbolId,
};
pub use language::{Language, Settings, Visibility};
