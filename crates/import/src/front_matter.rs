//! The block between two lines of dashes at the head of a note, as other tools write it. Read by `notes`, which reads
//! our own files; here are the two ways its values are meant.

use notes::Front;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FrontMatter(Front);

/// What the block says, and the text after it.
pub(crate) fn split(text: &str) -> (FrontMatter, &str) {
    let front = Front::parse(text);
    let body = front.body(text);
    (FrontMatter(front), body)
}

impl FrontMatter {
    /// The value at the top level; else in a nested block (`metadata:`), where some tools put everything.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.0.text(key)
    }

    /// A list, or a single value as a list of one.
    pub(crate) fn list(&self, key: &str) -> Vec<&str> {
        self.0.list(key)
    }

    pub(crate) fn is_true(&self, key: &str) -> bool {
        self.text(key).is_some_and(|text| matches!(text.to_lowercase().as_str(), "true" | "yes" | "on" | "1"))
    }

    /// Zero when it is missing, negative or no number.
    pub(crate) fn count(&self, key: &str) -> u64 {
        let number =
            self.text(key).and_then(|text| text.parse::<f64>().ok()).filter(|number| number.is_finite());
        number.unwrap_or(0.0).max(0.0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_switches_are_read_forgivingly_and_what_is_no_block_is_text() {
        let text = "---\nhits: 48\nprevented: -3\nname: x\ncritical: Yes\n---\n# Body\n";
        let (front, body) = split(text);
        assert_eq!(body, "# Body\n");
        assert_eq!((front.count("hits"), front.count("prevented"), front.count("name")), (48, 0, 0));
        assert!(front.is_true("critical") && !front.is_true("evergreen"));
        for text in ["", "---", "text\n---\n", "--- \nno end"] {
            assert_eq!(split(text).1, text);
        }
    }
}
