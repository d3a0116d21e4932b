//! What the reference tokenizer (BERT uncased) makes of these texts, as its pieces are written.

use embed::{MiniLm, Place, Vocabulary};

fn check(text: &str, expected: &str) {
    let model = MiniLm::builtin();
    let pieces = model.pieces(text);
    let inner = &pieces[1..pieces.len() - 1];
    let shown: Vec<String> = inner.iter().map(|&piece| show(model.vocabulary(), piece)).collect();
    assert_eq!(shown.join(" "), expected, "{text:?}");
}

fn show(vocabulary: &Vocabulary, piece: u32) -> String {
    match vocabulary.piece(piece).unwrap() {
        (Place::Inside, text) => format!("##{text}"),
        (_, text) => text.to_owned(),
    }
}

#[test]
fn any_text_is_cut_as_the_reference_cuts_it() {
    let table = [
        ("Hello, World!", "hello , world !"),
        ("unaffable", "una ##ffa ##ble"),
        ("getUserById", "get ##user ##by ##id"),
        ("snake_case_name", "snake _ case _ name"),
        ("foo::bar->baz()", "foo : : bar - > ba ##z ( )"),
        ("E0502", "e ##0 ##50 ##2"),
        ("v2.14.3", "v ##2 . 14 . 3"),
        ("don't", "don ' t"),
        ("Café naïve", "cafe naive"),
        ("cafe\u{301}", "cafe"),
        ("İstanbul", "istanbul"),
        ("ß ẞ", "ß ß"),
        ("你好world", "[UNK] [UNK] world"),
        ("東京タワー", "東 京 タ ##ワ ##ー"),
        ("한국어", "ᄒ ##ᅡ ##ᆫ ##ᄀ ##ᅮ ##ᆨ ##ᄋ ##ᅥ"),
        ("a\u{200b}b", "ab"),
        ("a\u{ad}b", "ab"),
        ("a\u{0}b", "ab"),
        ("a\u{b}b", "ab"),
        ("a\u{a0}b", "a b"),
        ("a\u{2028}b", "a b"),
        ("a\u{3000}b", "a b"),
        ("a\u{fffd}b", "ab"),
        ("\u{202e}abc", "abc"),
        ("ﬁx", "ﬁ ##x"),
        ("ＡＢ", "[UNK]"),
        ("\u{1f680} go", "[UNK] go"),
        ("\u{1f469}\u{200d}\u{1f4bb}", "[UNK]"),
        ("\u{201c}q\u{201d}\u{2014}x", "\u{201c} q \u{201d} \u{2014} x"),
        ("a\u{300}\u{301}\u{302}b", "ab"),
        ("क\u{94d}ष", "क ##ष"),
        ("1/2 \u{bd}", "1 / 2 \u{bd}"),
        ("\u{2126}", "ω"),
        ("$5 + 3% ^ `x` ~", "$ 5 + 3 % ^ ` x ` ~"),
        ("\u{1100}\u{1161}", "ᄀ ##ᅡ"),
        ("\u{37e}", ";"),
        ("กำ", "[UNK]"),
        ("\u{e000}a", "a"),
        ("\u{378}a", "[UNK]"),
        ("#hashtag @user", "# hash ##tag @ user"),
        ("C++", "c + +"),
        ("ǅ", "[UNK]"),
        ("Σς", "σ ##ς"),
    ];
    for (text, expected) in table {
        check(text, expected);
    }
}

#[test]
fn a_word_of_more_than_a_hundred_characters_is_unknown() {
    assert_eq!(MiniLm::builtin().pieces(&"x".repeat(100)).len(), 52);
    check(&"x".repeat(101), "[UNK]");
    check(&format!("a {} b", "é".repeat(101)), "a [UNK] b");
}

#[test]
fn the_marks_of_a_model_are_text_when_a_person_writes_them() {
    check("[SEP] x [CLS]", "[ sep ] x [ cl ##s ]");
}
