//! Memory files as text: Markdown with a block of front matter that people write by hand, keep in git and change as
//! they like. Reads forgivingly, writes so that only what changed changes. Knows no disk and no clock; it is no YAML
//! parser and will not become one.

mod front;
mod note;
mod page;
mod scalar;
mod slug;
mod time;

pub use front::Front;
pub use note::{Note, read};
pub use page::{Change, rewrite, write};
pub use slug::slug;
pub use time::same_day;

/// A slip in a file that costs a field and not the file. Says what, and where a person finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slip {
    /// Counted from 1.
    pub line: usize,
    pub what: String,
}
