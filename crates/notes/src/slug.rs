//! A file's name from a title: readable, safe in every file system and shell, never a path.

/// A name in a listing; file systems end at 255 bytes, and endings come behind it.
const MAX_BYTES: usize = 60;
/// Names with a meaning of their own in such folders.
const TAKEN: &[&str] = &["readme", "memory", "index", "con", "nul", "prn", "aux"];

/// Letters and digits of any script in small letters, with single dashes between the words.
pub fn slug(title: &str) -> String {
    let mut out = String::new();
    for word in title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let word: String =
            word.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect();
        let room = MAX_BYTES.saturating_sub(out.len() + usize::from(!out.is_empty()));
        if word.len() > room && !out.is_empty() {
            break;
        }
        if !out.is_empty() {
            out.push('-');
        }
        out.push_str(&word[..word.floor_char_boundary(room)]);
    }
    if out.is_empty() || TAKEN.contains(&out.as_str()) {
        out = ["note", &out].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_a_name_and_never_a_path() {
        for (title, name) in [
            ("We deploy on Tuesdays only!", "we-deploy-on-tuesdays-only"),
            ("../../etc/passwd", "etc-passwd"),
            ("ÜBER die Brücke", "über-die-brücke"),
            ("漢字 test", "漢字-test"),
            ("", "note"),
            ("...", "note"),
            ("README", "note-readme"),
            (".hidden\0\n", "hidden"),
        ] {
            assert_eq!(slug(title), name);
        }
        let long = slug(&"word ".repeat(100));
        assert!(long.len() <= MAX_BYTES && long.ends_with("word"), "{long}");
        assert!(slug(&"ä".repeat(500)).len() <= MAX_BYTES);
    }
}
