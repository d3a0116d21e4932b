//! Words that say nothing about what is looked for. Dropped from questions only: a text keeps all of its words,
//! and a question made of nothing else keeps them too.

/// Sorted, folded, before stemming; with what is left of contractions.
const STOP: &[&str] = &[
    "a", "about", "above", "after", "again", "ago", "all", "also", "am", "an", "and", "any", "are", "aren",
    "as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can",
    "could", "couldn", "did", "didn", "do", "does", "doesn", "doing", "don", "down", "during", "each", "few",
    "for", "from", "further", "get", "got", "had", "has", "have", "having", "he", "her", "here", "hers",
    "him", "his", "how", "i", "if", "in", "into", "is", "isn", "it", "its", "itself", "just", "many", "me",
    "more", "most", "much", "my", "myself", "no", "nor", "not", "now", "of", "off", "on", "once", "only",
    "or", "other", "our", "ours", "out", "over", "own", "same", "she", "should", "shouldn", "so", "some",
    "such", "than", "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "this",
    "those", "through", "to", "too", "under", "until", "up", "us", "very", "was", "wasn", "we", "were",
    "what", "when", "where", "which", "while", "who", "whom", "why", "will", "with", "won", "would",
    "wouldn", "you", "your", "yours",
];

pub(crate) fn is_stop(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_knows_its_words() {
        assert!(STOP.is_sorted());
        assert!(is_stop("the") && is_stop("yours") && !is_stop("error"));
    }
}
