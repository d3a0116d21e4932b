//! What stands in a source file and must not stand in ours: facts are kept on disk, and a signature may hold a token. By the
//! shipped rules alone: where a person adds words of their own, the file they stand in is theirs to see.

use std::sync::OnceLock;

use code::Facts;
use redact::{Redactor, Settings};

/// No secret is shorter, and few names are longer.
const LEAST_NAME: usize = 16;

/// Masks secrets in all texts of a file's facts.
pub(super) fn mask(facts: &mut Facts) {
    for symbol in &mut facts.symbols {
        masked(&mut symbol.signature);
        if let Some(doc) = &mut symbol.doc {
            masked(doc);
        }
    }
    // Names of code are words; what a script or a table calls a name may be anything.
    for name in &mut facts.names {
        if name.len() >= LEAST_NAME && name.bytes().any(|byte| byte.is_ascii_digit()) {
            masked(name);
        }
    }
}

fn masked(text: &mut Box<str>) {
    static REDACTOR: OnceLock<Redactor> = OnceLock::new();
    let redactor = REDACTOR.get_or_init(|| {
        Redactor::new(Settings::default()).expect("the shipped rules are tried by their own tests")
    });
    let redacted = redactor.bytes(text.as_bytes());
    if !redacted.findings.is_empty() {
        *text = String::from_utf8_lossy(&redacted.bytes).into();
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_secret_of_a_source_file_is_in_its_facts() {
        let token = ["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        for (language, text) in [
            (
                "python",
                format!("TOKEN = \"{token}\"\n\ndef f(key=\"{token}\"):\n    \"\"\"Uses {token}.\"\"\"\n"),
            ),
            ("bash", format!("export GITHUB_TOKEN={token}\n{token}() {{ :; }}\n")),
            ("yaml", format!("token: {token}\n{token}: x\n")),
            ("rust", format!("const TOKEN: &str = \"{token}\";\n")),
        ] {
            let language = code::languages::by_name(language).unwrap();
            let facts = crate::reading::facts(language, &text).unwrap();
            let told = format!("{facts:?}");
            assert!(!told.contains(&token), "{told}");
            assert!(!facts.symbols.is_empty());
        }
    }
}
