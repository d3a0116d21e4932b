//! Keeps a text under the agent's limit and says how much was left out. An agent counts as its own language does:
//! in UTF-16 units, the way JavaScript measures a string, or in bytes. Never fewer than there are characters.

/// Room for `… (N more characters left out)` and its line break, for any N a machine can hold.
const NOTICE: usize = 60;

/// How much room a character takes.
type Size = fn(char) -> usize;

/// `texts` joined by blank lines, at most `limit` UTF-16 units. Whole texts as long as they fit; the first
/// that does not is cut at a line boundary, and keeps its last line where that closes a tag, because a
/// fence left open would swallow what follows.
pub(crate) fn join(texts: &[&str], limit: usize) -> String {
    join_sized(texts, limit, char::len_utf16)
}

/// The same with at most `limit` bytes.
pub(crate) fn join_bytes(texts: &[&str], limit: usize) -> String {
    join_sized(texts, limit, char::len_utf8)
}

fn join_sized(texts: &[&str], limit: usize, size: Size) -> String {
    let room_of = |text: &str| text.chars().map(size).sum::<usize>();
    let whole = texts.join(SEPARATOR);
    if room_of(&whole) <= limit {
        return whole;
    }
    let mut kept = String::new();
    let mut room = limit.saturating_sub(NOTICE);
    for text in texts {
        let separator = if kept.is_empty() { "" } else { SEPARATOR };
        let needed = room_of(separator) + room_of(text);
        if needed <= room {
            room -= needed;
            kept.extend([separator, text]);
            continue;
        }
        if let Some(part) = cut(text, room.saturating_sub(room_of(separator)), size) {
            kept.extend([separator, &part]);
        }
        break;
    }
    let left_out = whole.chars().count().saturating_sub(kept.chars().count());
    if !kept.is_empty() {
        kept.push('\n');
    }
    kept + &format!("… ({left_out} more characters left out)")
}

const SEPARATOR: &str = "\n\n";

/// The first lines of `text` that fit into `room`, and its closing tag. A single long line is cut inside.
fn cut(text: &str, room: usize, size: Size) -> Option<String> {
    let closing = text
        .rsplit_once('\n')
        .map(|(_, last)| last)
        .filter(|last| last.starts_with("</") && last.ends_with('>'));
    let closing_room = closing.map_or(0, |last| last.chars().map(size).sum::<usize>() + 1);
    let end = prefix_of(text, room.checked_sub(closing_room)?, size);
    let end = match text[..end].rfind('\n') {
        Some(line_end) => line_end,
        // The first line is an opening tag when the last one closes it: half a tag says nothing.
        None if closing.is_some() => return None,
        None => end,
    };
    let body = &text[..end];
    (!body.is_empty()).then(|| match closing {
        Some(last) => format!("{body}\n{last}"),
        None => body.to_owned(),
    })
}

/// The longest prefix that fits, in bytes.
fn prefix_of(text: &str, room: usize, size: Size) -> usize {
    let mut used = 0;
    text.char_indices()
        .find(|(_, c)| {
            used += size(*c);
            used > room
        })
        .map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> usize {
        text.chars().map(char::len_utf16).sum()
    }

    #[test]
    fn an_agent_that_counts_bytes_gets_no_more_of_them() {
        let cut = join_bytes(&[&"é".repeat(6_000)], 10_000);
        assert!(cut.len() <= 10_000 && cut.len() > 9_900, "{}", cut.len());
        assert_eq!(join_bytes(&[&"é".repeat(5_000)], 10_000), "é".repeat(5_000));
    }

    #[test]
    fn a_text_that_fits_is_left_alone() {
        assert_eq!(join(&["a", "b"], 4), "a\n\nb");
        assert_eq!(join(&[&"é".repeat(100)], 100), "é".repeat(100));
    }

    #[test]
    fn a_cut_ends_with_a_whole_line_and_the_truth() {
        let line = "0123456789\n";
        let text = line.repeat(20);
        let cut = join(&[&text], 110);
        assert_eq!(cut, format!("{}… (177 more characters left out)", line.repeat(4)));
        assert_eq!(cut.lines().take(4).map(str::len).sum::<usize>() + 3 + 177, text.len());
    }

    #[test]
    fn a_cut_note_keeps_its_closing_tag_and_later_ones_are_counted() {
        let first = "<note id=\"1\">\nshort\n</note id=\"1\">";
        let second = format!("<note id=\"2\">\n{}</note id=\"2\">", "a line of text\n".repeat(30));
        let cut = join(&[first, &second, "never seen"], 200);
        assert!(cut.starts_with(first), "{cut}");
        assert_eq!(cut.matches("</note id=\"2\">").count(), 1, "{cut}");
        assert!(cut.ends_with(" more characters left out)"), "{cut}");
        assert!(!cut.contains("never seen"));
        assert!(units(&cut) <= 200, "{cut}");
    }

    #[test]
    fn characters_outside_the_first_plane_count_twice() {
        let cut = join(&[&"😀".repeat(6_000)], 10_000);
        assert!(units(&cut) <= 10_000);
        assert!(cut.ends_with("😀\n… (1030 more characters left out)"), "{}", &cut[cut.len() - 60..]);
    }
}
