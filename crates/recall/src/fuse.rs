//! Two rankings become one by blended scores. Words are compared within a question (its best match is 1), nearness as
//! it is: a cosine says by itself how sure it is. Ranks are not used: they give the weaker side the same voice.

use crate::query::Looks;

/// One memory that either side found.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Candidate {
    /// BM25; 0 where no word of the question occurs.
    pub lexical: f32,
    /// `None`: it has no vector (yet), or one of another model.
    pub cosine: Option<f32>,
}

/// A score and its two sides, as they were added.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Blended {
    pub score: f32,
    pub lexical: f32,
    pub dense: f32,
}

/// The share of nearness in prose, in code, and where the question itself is made of names. Words and nearness are
/// worth the same on commits and dialogue; on functions asked for in plain words more than a tenth of words loses.
const PROSE: f32 = 0.5;
const CODE: f32 = 0.91;
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

/// Scores for candidates in any order, with nearness counting for `share` and words as far as they have `trust`.
pub fn blend(candidates: &[Candidate], share: f32, trust: f32) -> Vec<Blended> {
    let best_words = candidates.iter().map(|c| c.lexical).fold(0.0_f32, f32::max);
    let best_near = candidates.iter().filter_map(|c| c.cosine).max_by(f32::total_cmp);
    let (share, trust) = match (best_words > 0.0, best_near) {
        (_, None) => (0.0, 1.0),
        (false, _) => (1.0, 1.0),
        _ => (share, trust),
    };
    candidates
        .iter()
        .map(|candidate| {
            let words = if best_words > 0.0 { candidate.lexical / best_words } else { 0.0 };
            // Without a vector it is as near as its words say, measured by the nearest of the others.
            let near = candidate.cosine.unwrap_or_else(|| words * best_near.unwrap_or(0.0));
            let (lexical, dense) = ((1.0 - share) * trust * words, share * near.max(0.0));
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
        blend(candidates, dense_share(Looks::Prose, 0.0), 1.0)
            .into_iter()
            .map(|blended| blended.score)
            .collect()
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
            let blended = blend(&candidates, PROSE, trust(coverage));
            blended[0].score > blended[1].score
        };
        assert!(ahead(0.8) && !ahead(0.1));
    }

    #[test]
    fn a_memory_without_a_vector_keeps_its_place_among_those_with_one() {
        let found = scores(&[prose(10.0, None), prose(5.0, Some(0.6)), prose(5.0, None)]);
        assert!(found[0] > found[1] && found[1] > found[2]);
    }

    #[test]
    fn code_is_found_by_meaning_and_names_by_their_letters() {
        let candidates = [prose(10.0, Some(0.1)), prose(3.0, Some(0.5))];
        let blended = blend(&candidates, dense_share(Looks::Prose, 1.0), 1.0);
        assert!(blended[1].score > blended[0].score);
        let blended = blend(&candidates, dense_share(Looks::Identifiers, 1.0), 1.0);
        assert!(blended[0].score > blended[1].score);
    }
}
