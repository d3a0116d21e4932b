//! Globs, as people know them from a shell and from `.gitignore`: `*` and `?` stay within a folder, `**` does not,
//! `{a,b}` is either, `[a-z]` a sign. Made into linear-time patterns.

use regex_automata::meta::Regex;

use super::RuleError;
use super::matching::{MAX_PATTERN, pattern};

/// A path. Without a slash it is a file's name, in whatever folder.
pub(super) fn path(glob: &str) -> Result<Regex, RuleError> {
    let begin = if glob.contains('/') { "" } else { "(?:.*/)?" };
    compiled(begin, glob, "[^/]")
}

/// Names of tools: `Bash`, `mcp__*`.
pub(super) fn words(globs: &[String]) -> Result<Vec<Regex>, RuleError> {
    let named = |error: RuleError| RuleError(format!("`tools`: {error}"));
    globs.iter().map(|glob| compiled("", glob, ".").map_err(named)).collect()
}

fn compiled(begin: &str, glob: &str, sign: &str) -> Result<Regex, RuleError> {
    if glob.is_empty() || glob.len() > MAX_PATTERN {
        return Err(RuleError(format!("a glob has 1 to {MAX_PATTERN} bytes")));
    }
    let mut out = format!("(?s)^{begin}");
    let mut rest = glob;
    let mut braces = 0_u32;
    while let Some(first) = rest.chars().next() {
        let mut taken = first.len_utf8();
        match first {
            '*' if rest.starts_with("**/") => {
                out.push_str("(?:.*/)?");
                taken = 3;
            }
            '*' if rest.starts_with("**") => {
                out.push_str(".*");
                taken = 2;
            }
            '*' => out.push_str(&format!("{sign}*")),
            '?' => out.push_str(sign),
            '{' => {
                braces += 1;
                out.push_str("(?:");
            }
            '}' if braces > 0 => {
                braces -= 1;
                out.push(')');
            }
            ',' if braces > 0 => out.push('|'),
            '[' => match rest[1..].find(']').filter(|end| *end > 0) {
                Some(end) => {
                    out.push_str(&class(&rest[1..=end]));
                    taken = end + 2;
                }
                None => out.push_str(r"\["),
            },
            '\\' => {
                let escaped = rest[1..].chars().next().unwrap_or('\\');
                out.push_str(&literal(escaped));
                taken = (1 + escaped.len_utf8()).min(rest.len());
            }
            plain => out.push_str(&literal(plain)),
        }
        rest = &rest[taken..];
    }
    if braces > 0 {
        return Err(RuleError("a brace is not closed".to_owned()));
    }
    out.push('$');
    pattern(&out)
}

/// The inside of brackets; what means something to a pattern and nothing to a glob is itself.
fn class(inside: &str) -> String {
    let (not, signs) = match inside.strip_prefix(['!', '^']) {
        Some(signs) if !signs.is_empty() => ("^", signs),
        _ => ("", inside),
    };
    let signs: String = signs.chars().map(|c| if c == '-' { c.to_string() } else { literal(c) }).collect();
    format!("[{not}{signs}]")
}

fn literal(sign: char) -> String {
    if sign.is_ascii_punctuation() { format!("\\{sign}") } else { sign.to_string() }
}
