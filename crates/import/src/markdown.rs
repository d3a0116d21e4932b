//! The little of Markdown that notes need: where a heading stands and where code begins. Knows no files.

/// Sections of one note; a longer one is generated, and its rest stays together.
const MAX_SECTIONS: usize = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Section<'a> {
    /// `None` for what stands before the first.
    pub(crate) heading: Option<&'a str>,
    pub(crate) text: &'a str,
}

/// The first heading of the first level.
pub(crate) fn title(text: &str) -> Option<&str> {
    lines(text).find_map(|(_, line)| heading(line, "# "))
}

/// Cut before each heading of the second level. Sections without a word of their own are left out.
pub(crate) fn sections(text: &str) -> Vec<Section<'_>> {
    let mut starts: Vec<(usize, Option<&str>)> = vec![(0, None)];
    for (at, line) in lines(text) {
        if let Some(heading) = heading(line, "## ")
            && starts.len() < MAX_SECTIONS
        {
            starts.push((at, Some(heading)));
        }
    }
    let ends: Vec<usize> = starts.iter().skip(1).map(|(at, _)| *at).chain([text.len()]).collect();
    starts
        .into_iter()
        .zip(ends)
        .map(|((start, heading), end)| Section { heading, text: text[start..end].trim() })
        .filter(|section| section.text.lines().any(is_said))
        .collect()
}

/// Whether a line says anything beside being a heading.
fn is_said(line: &str) -> bool {
    let line = line.trim();
    !line.starts_with('#') && line.chars().any(char::is_alphanumeric)
}

fn heading<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let text = line.strip_prefix(mark)?.trim().trim_end_matches('#').trim();
    (!text.is_empty()).then_some(text)
}

/// Lines outside of fenced code, with the places where they begin.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    let mut fence: Option<char> = None;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let mark = line.trim_start();
        let fenced =
            ['`', '~'].into_iter().find(|sign| mark.chars().take(3).filter(|c| c == sign).count() == 3);
        match (fence, fenced) {
            (None, Some(sign)) => fence = Some(sign),
            (Some(open), Some(sign)) if open == sign => fence = None,
            (None, None) => return Some((start, line.trim_end())),
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_begin_at_headings_and_not_in_code() {
        let text = "# Title\nintro\n\n## One ##\na\n```sh\n## not a heading\n```\n### deeper\nb\n## Empty\n\n## Two\nc";
        assert_eq!(title(text), Some("Title"));
        let found = sections(text);
        assert_eq!(found.iter().map(|s| s.heading).collect::<Vec<_>>(), [None, Some("One"), Some("Two")]);
        assert!(found[1].text.contains("## not a heading") && found[1].text.ends_with('b'));
        assert_eq!(found[0].text, "# Title\nintro");
        assert_eq!(sections(""), []);
        assert_eq!(title("```\n# no\n```"), None);
        assert_eq!(sections(&"## a\nb\n".repeat(10_000)).len(), MAX_SECTIONS - 1);
    }
}
