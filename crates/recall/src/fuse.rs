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
    /// Whether its text is a program.
    pub code: bool,
}

/// A score and its two sides, as they were added.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Blended {
    pub score: f32,
    pub lexical: f32,
    pub dense: f32,
}

/// The share of nearness in prose, in code, and where the question itself is made of names.
const PROSE: f32 = 0.5;
const CODE: f32 = 0.8;
const NAMES: f32 = 0.35;
/// Candidates of either side whose kind decides what is being searched.
const JUDGED: usize = 20;

/// Scores for candidates in any order.
pub fn blend(candidates: &[Candidate], looks: Looks) -> Vec<Blended> {
    let best_words = candidates.iter().map(|c| c.lexical).fold(0.0_f32, f32::max);
    let best_near = candidates
        .iter()
        .filter_map(|c| c.cosine)
        .fold(None, |best: Option<f32>, cosine| Some(best.map_or(cosine, |best| best.max(cosine))));
    let share = match (best_words > 0.0, best_near) {
        (_, None) => 0.0,
        (false, _) => 1.0,
        _ => dense_share(candidates, looks),
    };
    candidates
        .iter()
        .map(|candidate| {
            let words = if best_words > 0.0 { candidate.lexical / best_words } else { 0.0 };
            // Without a vector it is as near as its words say, measured by the nearest of the others.
            let near = candidate.cosine.unwrap_or_else(|| words * best_near.unwrap_or(0.0));
            let (lexical, dense) = ((1.0 - share) * words, share * near.max(0.0));
            Blended { score: lexical + dense, lexical, dense }
        })
        .collect()
}

/// How much nearness counts, by what the best candidates of both sides are.
fn dense_share(candidates: &[Candidate], looks: Looks) -> f32 {
    if looks == Looks::Identifiers {
        return NAMES;
    }
    let code = code_share(candidates, |c| c.lexical).max(code_share(candidates, |c| c.cosine.unwrap_or(0.0)));
    PROSE + (CODE - PROSE) * code
}

fn code_share(candidates: &[Candidate], by: impl Fn(&Candidate) -> f32) -> f32 {
    let mut order: Vec<&Candidate> = candidates.iter().collect();
    order.sort_by(|a, b| by(b).total_cmp(&by(a)));
    order.truncate(JUDGED);
    order.iter().filter(|c| c.code).count() as f32 / order.len().max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prose(lexical: f32, cosine: Option<f32>) -> Candidate {
        Candidate { lexical, cosine, code: false }
    }

    fn scores(candidates: &[Candidate]) -> Vec<f32> {
        blend(candidates, Looks::Prose).into_iter().map(|blended| blended.score).collect()
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
    fn a_memory_without_a_vector_keeps_its_place_among_those_with_one() {
        let found = scores(&[prose(10.0, None), prose(5.0, Some(0.6)), prose(5.0, None)]);
        assert!(found[0] > found[1] && found[1] > found[2]);
    }

    #[test]
    fn code_is_found_by_meaning_and_names_by_their_letters() {
        let code = |lexical, cosine| Candidate { lexical, cosine: Some(cosine), code: true };
        let (by_words, by_meaning) = (code(10.0, 0.1), code(3.0, 0.5));
        let blended = blend(&[by_words, by_meaning], Looks::Prose);
        assert!(blended[1].score > blended[0].score);
        let blended = blend(&[by_words, by_meaning], Looks::Identifiers);
        assert!(blended[0].score > blended[1].score);
    }
}
