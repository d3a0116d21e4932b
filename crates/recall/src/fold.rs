//! Letters as they are compared: lower case, without their marks. Not a Unicode library: the Latin blocks people
//! type without marks, and nothing that would change what a word means in another script.

/// The plain letters of U+00C0 to U+017F, a dot where the letter stays as it is.
const LATIN: &str = "aaaaaa.ceeeeiiiidnooooo.ouuuuy..aaaaaa.ceeeeiiiidnooooo.ouuuuy.y\
aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii..jjkkkllllllllllnnnnnnn..oooooo..rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/// Adds the folded letter to `into`.
pub(crate) fn push(letter: char, into: &mut String) {
    match letter {
        'a'..='z' | '0'..='9' => into.push(letter),
        'A'..='Z' => into.push(letter.to_ascii_lowercase()),
        'ß' => into.push_str("ss"),
        'æ' | 'Æ' => into.push_str("ae"),
        'œ' | 'Œ' => into.push_str("oe"),
        // Marks that stand for themselves: what was composed from them is the letter before.
        '\u{300}'..='\u{36f}' => {}
        '\u{c0}'..='\u{17f}' => {
            let plain = LATIN.as_bytes().get(letter as usize - 0xc0).copied().unwrap_or(b'.');
            if plain == b'.' { into.extend(letter.to_lowercase()) } else { into.push(plain as char) }
        }
        _ => into.extend(letter.to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(text: &str) -> String {
        let mut folded = String::new();
        text.chars().for_each(|letter| push(letter, &mut folded));
        folded
    }

    #[test]
    fn letters_are_compared_without_case_and_marks() {
        assert_eq!(LATIN.len(), 0x180 - 0xc0);
        assert_eq!(fold("Crème BRÛLÉE"), "creme brulee");
        assert_eq!(fold("Ångström Žižek Łódź Straße"), "angstrom zizek lodz strasse");
        assert_eq!(fold("e\u{301}te\u{301}"), "ete");
        assert_eq!(fold("Привет ΑΒΓ 東京"), "привет αβγ 東京");
    }
}
