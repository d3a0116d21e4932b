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
fn words_are_cut_into_the_longest_pieces() {
    check("Unaffable embeddings", "una ##ffa ##ble em ##bed ##ding ##s");
}
