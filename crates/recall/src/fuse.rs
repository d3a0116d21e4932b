//! Two rankings become one by blended scores. Words are compared within a question (its best match is 1), nearness as
//! it is: a cosine says by itself how sure it is. Ranks are not used: they give the weaker side the same voice.

use crate::query::Looks;
use crate::reading::Look;

/// One memory that either side found.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Candidate {
    /// BM25; 0 where no word of the question occurs.
    pub lexical: f32,
    /// `None`: it has no vector (yet), or one of another model.
    pub cosine: Option<f32>,
}

/// How much each side counts for one question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Voices {
    pub words: f32,
    pub nearness: f32,
}

/// What a second look adds at most: for the very words of the question, and for words that are alike. Measured on
/// halves of three sets, where every half gains by both.
const EXACT: f32 = 0.12;
const ALIKE: f32 = 0.16;

/// The worth of a second look, added to the blended score, by the share of programs among the best candidates: a
/// long program has something like any word.
pub fn second(look: Look, code: f32) -> f32 {
    EXACT * look.exact + ALIKE * (1.0 - code.clamp(0.0, 1.0)) * look.alike
}

/// A score and its two sides, as they were added.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Blended {
    pub score: f32,
    pub lexical: f32,
    pub dense: f32,
}

/// The share of nearness in prose, in code, and where the question itself is made of names. Words and nearness are
/// worth about the same on commits and dialogue; on functions asked for in plain words how often a word occurs says
/// nothing, and whether it does is told by a second look.
const PROSE: f32 = 0.55;
const CODE: f32 = 0.98;
const NAMES: f32 = 0.35;

/// How much nearness counts, by the form of the question and the share of programs among the best candidates.
pub fn dense_share(looks: Looks, code: f32) -> f32 {
    match looks {
        Looks::Identifiers => NAMES,
        Looks::Prose | Looks::Code => PROSE + (CODE - PROSE) * code.clamp(0.0, 1.0),
    }
}

/// A best match that holds this share of the question's words speaks for itself. One that holds fewer is the best of
/// bad ones, and its words count for less: a question in other words than the memory's is answered by nearness.
const COVERED: f32 = 0.5;

/// How far words can be trusted, by the share of the question's words that the best matches hold.
pub fn trust(coverage: f32) -> f32 {
    (coverage / COVERED).clamp(0.0, 1.0)
}

/// The share of nearness and the trust in words while only a part of what might answer has vectors: with none of them
/// words alone answer, and nearness comes in as they are made. Otherwise what has a vector would be lifted above what
/// answers better and waits for its own.
pub fn as_far_as_read(share: f32, trust: f32, read: f32) -> (f32, f32) {
    let read = read.clamp(0.0, 1.0);
    (share * read, 1.0 - (1.0 - trust) * read)
}

/// How much each side counts, with nearness counting for `share` and words as far as they have `trust`. A side that
/// found nothing leaves it all to the other.
pub fn voices(candidates: &[Candidate], share: f32, trust: f32) -> Voices {
    let words = candidates.iter().any(|candidate| candidate.lexical > 0.0);
    let nearness = candidates.iter().any(|candidate| candidate.cosine.is_some());
    match (words, nearness) {
        (_, false) => Voices { words: 1.0, nearness: 0.0 },
        (false, true) => Voices { words: 0.0, nearness: 1.0 },
        (true, true) => Voices { words: (1.0 - share) * trust, nearness: share },
    }
}

/// Scores for candidates in any order.
pub fn blend(candidates: &[Candidate], voices: Voices) -> Vec<Blended> {
    let best_words = candidates.iter().map(|c| c.lexical).fold(0.0_f32, f32::max);
    let best_near = candidates.iter().filter_map(|c| c.cosine).max_by(f32::total_cmp);
    candidates
        .iter()
        .map(|candidate| {
            let words = if best_words > 0.0 { candidate.lexical / best_words } else { 0.0 };
            // Without a vector it is as near as its words say, measured by the nearest of the others.
            let near = candidate.cosine.unwrap_or_else(|| words * best_near.unwrap_or(0.0));
            let (lexical, dense) = (voices.words * words, voices.nearness * near.max(0.0));
            Blended { score: lexical + dense, lexical, dense }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prose(lexical: f32, cosine: Option<f32>) -> Candidate {
        Candidate { lexical, cosine }
    }

    fn scores(candidates: &[Candidate]) -> Vec<f32> {
        mixed(candidates, dense_share(Looks::Prose, 0.0), 1.0).iter().map(|blended| blended.score).collect()
    }

    fn mixed(candidates: &[Candidate], share: f32, trust: f32) -> Vec<Blended> {
        blend(candidates, voices(candidates, share, trust))
    }

    #[test]
    fn either_side_alone_still_ranks() {
        assert!(scores(&[]).is_empty());
        let words = scores(&[prose(2.0, None), prose(4.0, None)]);
        assert!((words[1] - 1.0).abs() < 1e-6 && (words[0] - 0.5).abs() < 1e-6);
        let near = scores(&[prose(0.0, Some(0.2)), prose(0.0, Some(0.7))]);
        assert!((near[1] - 0.7).abs() < 1e-6 && near[0] < near[1]);
    }

    #[test]
    fn what_both_sides_found_is_ahead_of_what_one_found() {
        let both = scores(&[prose(8.0, Some(0.5)), prose(10.0, Some(0.0)), prose(0.0, Some(0.6))]);
        assert!(both[0] > both[1] && both[0] > both[2]);
    }

    #[test]
    fn a_question_in_other_words_is_answered_by_nearness() {
        let candidates = [prose(4.0, Some(0.2)), prose(0.0, Some(0.6))];
        let ahead = |coverage| {
            let blended = mixed(&candidates, PROSE, trust(coverage));
            blended[0].score > blended[1].score
        };
        assert!(ahead(0.8) && !ahead(0.1));
    }

    #[test]
    fn a_second_look_is_worth_less_than_either_side() {
        let look = |exact, alike| Look { exact, alike };
        assert!(second(look(1.0, 0.0), 0.0) > 0.0 && second(look(0.0, 1.0), 0.0) > 0.0);
        assert!(second(look(1.0, 1.0), 0.0) < PROSE.min(1.0 - PROSE));
        assert!(second(look(0.0, 1.0), 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_memory_without_a_vector_keeps_its_place_among_those_with_one() {
        let found = scores(&[prose(10.0, None), prose(5.0, Some(0.6)), prose(5.0, None)]);
        assert!(found[0] > found[1] && found[1] > found[2]);
    }

    #[test]
    fn nearness_comes_in_as_far_as_vectors_are_made() {
        let is = |read, share: f32, trust: f32| {
            let found = as_far_as_read(0.55, 0.2, read);
            (found.0 - share).abs() < 1e-6 && (found.1 - trust).abs() < 1e-6
        };
        assert!(is(0.0, 0.0, 1.0) && is(1.0, 0.55, 0.2) && is(7.0, 0.55, 0.2));
        // The best by its words waits for its vector; another, near by chance, has one.
        let candidates = [prose(10.0, None), prose(7.0, Some(0.6)), prose(0.0, Some(0.65))];
        let ahead = |read| {
            let (share, trust) = as_far_as_read(PROSE, 0.4, read);
            let blended = mixed(&candidates, share, trust);
            blended[0].score > blended[1].score && blended[1].score > blended[2].score
        };
        assert!(ahead(0.1) && ahead(0.5));
    }

    #[test]
    fn code_is_found_by_meaning_and_names_by_their_letters() {
        let candidates = [prose(10.0, Some(0.1)), prose(3.0, Some(0.5))];
        let blended = mixed(&candidates, dense_share(Looks::Prose, 1.0), 1.0);
        assert!(blended[1].score > blended[0].score);
        let blended = mixed(&candidates, dense_share(Looks::Identifiers, 1.0), 1.0);
        assert!(blended[0].score > blended[1].score);
    }
}
