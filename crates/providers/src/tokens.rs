//! How many tokens a text is, about. An estimate and never a tokenizer: the vocabularies of the models differ and
//! the largest of them would outweigh the binary; a budget needs the size, not the sum.

/// Measured on prose; thousandths of a token per byte would be finer than the estimate is.
const PROSE_BYTES_PER_TOKEN: f64 = 4.2;
/// Measured on code, JSON and command output, where signs are tokens of their own.
const CODE_BYTES_PER_TOKEN: f64 = 3.2;

/// A text with more signs than this per hundred bytes is read as code. Prose has two to four (commas, periods,
/// apostrophes); JSON, paths and source have ten and more.
const SIGNS_PER_HUNDRED: usize = 7;

pub fn estimate(text: &str) -> u64 {
    let signs = text.bytes().filter(u8::is_ascii_punctuation).count();
    let is_code = signs * 100 > text.len() * SIGNS_PER_HUNDRED;
    let per_token = if is_code { CODE_BYTES_PER_TOKEN } else { PROSE_BYTES_PER_TOKEN };
    (text.len() as f64 / per_token).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_and_code_are_told_apart() {
        let prose =
            "The token is refreshed before it expires, because the gateway drops late requests silently.";
        let code =
            r#"if let Some(token) = self.cache.get(&key) { return Ok(token.clone()); } // {"a":[1,2]}"#;
        assert_eq!(estimate(prose), (prose.len() as f64 / 4.2).ceil() as u64);
        assert_eq!(estimate(code), (code.len() as f64 / 3.2).ceil() as u64);
        assert_eq!(estimate(""), 0);
    }
}
