//! A heading is a section that reaches to the next heading of its level or a higher one, whatever the grammar nests.

use std::ops::Range;

use crate::extract::Found;

/// By the node kind of its sign: `atx_h2_marker` is of the second level.
pub(crate) fn level(kind: &str) -> Option<u8> {
    kind.chars().find_map(|c| c.to_digit(10)).and_then(|level| u8::try_from(level).ok())
}

impl Found<'_> {
    /// Where it stands in the text, all that belongs to it.
    pub(crate) fn range(&self) -> Range<usize> {
        self.node.start_byte()..self.end.unwrap_or_else(|| self.node.end_byte())
    }
}

/// Of definitions in the order of the text.
pub(crate) fn stretch(definitions: &mut [Found<'_>], end: usize) {
    let mut open: Vec<(u8, usize)> = Vec::new();
    for at in 0..definitions.len() {
        let Some(level) = definitions[at].level else { continue };
        let start = definitions[at].node.start_byte();
        while let Some((_, before)) = open.pop_if(|(above, _)| *above >= level) {
            definitions[before].end = Some(start);
        }
        open.push((level, at));
    }
    for (_, at) in open {
        definitions[at].end = Some(end);
    }
}
