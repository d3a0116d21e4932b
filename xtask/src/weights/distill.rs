//! Teaches the static model: one row per word piece, such that the mean of a sentence's rows points where MiniLM's
//! vector of the sentence points. Starts from MiniLM's vector of each piece alone, weighted down where the piece is
//! common, in the principal space of the teacher; then ridge regression by conjugate gradients. No random numbers and
//! no functions whose last bit depends on the platform.

use embed::{MiniLm, Place};

/// Numbers per row. When it was measured on code, 256 doubled the file for 0.015 of MRR.
pub(super) const DIMS: usize = 128;
const TEACHER: usize = 384;
/// Sentences nobody learns from, to say how well it was learned.
const HELD_OUT: usize = 500;
/// A piece that makes up this share of all text counts half.
const COMMON: f64 = 2e-4;
/// How hard a row is held to where it began; a piece seen a few times hardly moves. Less fits the sentences better and
/// finds less in texts of other kinds.
const HOLD: f32 = 0.5;
const STEPS: usize = 30;
/// Sentences encoded at once, between two lines of progress.
const BATCH: usize = 2000;

pub(super) struct Distilled {
    /// `DIMS` numbers per piece.
    pub(super) rows: Vec<f32>,
    /// Mean cosine to the teacher on sentences held out, before and after the regression.
    pub(super) before: f64,
    pub(super) after: f64,
}

pub(super) fn distill(teacher: &MiniLm, sentences: &[String]) -> Distilled {
    let pieces = teacher.vocabulary().len();
    let texts: Vec<Vec<u32>> = sentences.iter().map(|sentence| teacher.pieces(sentence)).collect();
    let targets = encode(teacher, &texts, "sentences");
    let empty = teacher.pieces("");
    let words: Vec<Vec<u32>> = (0..pieces as u32).map(|piece| vec![empty[0], piece, empty[1]]).collect();
    let alone = encode(teacher, &words, "pieces");

    let basis = principal(&targets);
    let mut targets = project(&targets, &basis);
    let mut rows = project(&alone, &basis);
    let texts: Vec<&[u32]> = texts.iter().map(|text| &text[1..text.len() - 1]).collect();
    center(&mut targets);
    weigh(&mut rows, &texts, teacher);
    let (held, learned) = texts.split_at(HELD_OUT);
    let (held_targets, learned_targets) = targets.split_at(HELD_OUT * DIMS);
    let before = agreement(&rows, held, held_targets);
    fit(&mut rows, learned, learned_targets);
    let after = agreement(&rows, held, held_targets);
    for piece in 0..pieces {
        if teacher.vocabulary().piece(piece as u32).is_none_or(|(place, _)| place == Place::Nowhere) {
            rows[piece * DIMS..][..DIMS].fill(0.0);
        }
    }
    Distilled { rows, before, after }
}

fn encode(teacher: &MiniLm, texts: &[Vec<u32>], what: &str) -> Vec<f32> {
    let count = texts.len();
    let mut vectors = Vec::with_capacity(count * TEACHER);
    for batch in texts.chunks(BATCH) {
        vectors.extend(teacher.encode(batch.to_vec()).into_iter().flatten());
        eprint!("\rteacher: {} of {count} {what}  ", vectors.len() / TEACHER);
    }
    eprintln!();
    vectors
}

/// The directions in which the teacher's vectors differ most, widest first: rows of `TEACHER` numbers.
fn principal(vectors: &[f32]) -> Vec<f32> {
    let mut matrix = vec![0.0_f64; TEACHER * TEACHER];
    for vector in vectors.chunks_exact(TEACHER) {
        for (row, &left) in vector.iter().enumerate() {
            for (sum, &right) in matrix[row * TEACHER..][..TEACHER].iter_mut().zip(vector) {
                *sum += f64::from(left) * f64::from(right);
            }
        }
    }
    let (values, directions) = eigen(matrix);
    let mut order: Vec<usize> = (0..TEACHER).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    order
        .into_iter()
        .take(DIMS)
        .flat_map(|at| directions[at * TEACHER..][..TEACHER].iter().map(|&number| number as f32))
        .collect()
}

/// Values and directions (as rows) of a symmetric matrix, by Jacobi's rotations.
fn eigen(mut matrix: Vec<f64>) -> (Vec<f64>, Vec<f64>) {
    const N: usize = TEACHER;
    /// It has converged long before.
    const SWEEPS: usize = 12;
    let mut directions = vec![0.0; N * N];
    (0..N).for_each(|at| directions[at * N + at] = 1.0);
    let scale: f64 = (0..N).map(|at| matrix[at * N + at]).sum();
    for _ in 0..SWEEPS {
        for p in 0..N {
            for q in p + 1..N {
                let off = matrix[p * N + q];
                if off.abs() <= 1e-14 * scale {
                    continue;
                }
                let theta = (matrix[q * N + q] - matrix[p * N + p]) / (2.0 * off);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                // Rows first, then columns; the directions turn with the rows.
                rotate_rows(&mut matrix, p, q, c, s);
                rotate_rows(&mut directions, p, q, c, s);
                for row in matrix.chunks_exact_mut(N) {
                    let (left, right) = (row[p], row[q]);
                    row[p] = c * left - s * right;
                    row[q] = s * left + c * right;
                }
            }
        }
    }
    ((0..N).map(|at| matrix[at * N + at]).collect(), directions)
}

fn rotate_rows(matrix: &mut [f64], p: usize, q: usize, c: f64, s: f64) {
    let (upper, lower) = matrix.split_at_mut(q * TEACHER);
    let (upper, lower) = (&mut upper[p * TEACHER..][..TEACHER], &mut lower[..TEACHER]);
    for (upper, lower) in upper.iter_mut().zip(lower) {
        let (left, right) = (*upper, *lower);
        *upper = c * left - s * right;
        *lower = s * left + c * right;
    }
}

fn project(vectors: &[f32], basis: &[f32]) -> Vec<f32> {
    let dot =
        |vector: &[f32], direction: &[f32]| vector.iter().zip(direction).map(|(a, b)| a * b).sum::<f32>();
    vectors
        .chunks_exact(TEACHER)
        .flat_map(|vector| basis.chunks_exact(TEACHER).map(move |direction| dot(vector, direction)))
        .collect()
}

/// Takes the mean from all vectors: what every sentence has in common tells none from another.
fn center(vectors: &mut [f32]) {
    let count = (vectors.len() / DIMS) as f64;
    let ones = vec![1.0; vectors.len()];
    let mean: Vec<f32> = per_dim_sum(vectors, &ones).iter().map(|sum| (sum / count) as f32).collect();
    for vector in vectors.chunks_exact_mut(DIMS) {
        vector.iter_mut().zip(&mean).for_each(|(value, mean)| *value -= mean);
    }
}

/// Common pieces say little about a sentence; those the sentences lack count in full. What a piece has in common
/// with all others, because it stands alone, is taken away first.
fn weigh(rows: &mut [f32], texts: &[&[u32]], teacher: &MiniLm) {
    center(rows);
    let mut counts = vec![0.0_f64; teacher.vocabulary().len()];
    texts.iter().flat_map(|text| text.iter()).for_each(|&piece| counts[piece as usize] += 1.0);
    let all: f64 = counts.iter().sum();
    for (row, count) in rows.chunks_exact_mut(DIMS).zip(counts) {
        let weight = (COMMON / (COMMON + count / all)) as f32;
        for value in row {
            *value *= weight;
        }
    }
}

/// The mean of each text's rows.
fn means(rows: &[f32], texts: &[&[u32]]) -> Vec<f32> {
    let mut means = vec![0.0_f32; texts.len() * DIMS];
    for (text, mean) in texts.iter().zip(means.chunks_exact_mut(DIMS)) {
        let share = 1.0 / text.len().max(1) as f32;
        for &piece in *text {
            for (sum, value) in mean.iter_mut().zip(&rows[piece as usize * DIMS..][..DIMS]) {
                *sum += value * share;
            }
        }
    }
    means
}

/// What each piece gets back from the texts it stands in: the transpose of [`means`].
fn returns(means: &[f32], texts: &[&[u32]], pieces: usize) -> Vec<f32> {
    let mut rows = vec![0.0_f32; pieces * DIMS];
    for (text, mean) in texts.iter().zip(means.chunks_exact(DIMS)) {
        let share = 1.0 / text.len().max(1) as f32;
        for &piece in *text {
            for (sum, value) in rows[piece as usize * DIMS..][..DIMS].iter_mut().zip(mean) {
                *sum += value * share;
            }
        }
    }
    rows
}

/// Conjugate gradients on every dimension at once; they share the matrix and nothing else.
fn fit(rows: &mut [f32], texts: &[&[u32]], targets: &[f32]) {
    let pieces = rows.len() / DIMS;
    // The beginning at the length that suits the targets best.
    let start = means(rows, texts);
    let scale =
        per_dim_sum(&start, targets).iter().sum::<f64>() / per_dim_sum(&start, &start).iter().sum::<f64>();
    for value in &mut *rows {
        *value *= scale as f32;
    }
    let missing: Vec<f32> =
        targets.iter().zip(&start).map(|(target, mean)| target - mean * scale as f32).collect();
    let mut residual = returns(&missing, texts, pieces);
    let mut direction = residual.clone();
    let mut energy = per_dim_sum(&residual, &residual);
    for _ in 0..STEPS {
        let mut image = returns(&means(&direction, texts), texts, pieces);
        image.iter_mut().zip(&direction).for_each(|(image, value)| *image += HOLD * value);
        let curve = per_dim_sum(&direction, &image);
        let step: Vec<f32> = ratio(&energy, &curve);
        for at in 0..rows.len() {
            rows[at] += step[at % DIMS] * direction[at];
            residual[at] -= step[at % DIMS] * image[at];
        }
        let next = per_dim_sum(&residual, &residual);
        let turn = ratio(&next, &energy);
        for at in 0..rows.len() {
            direction[at] = residual[at] + turn[at % DIMS] * direction[at];
        }
        energy = next;
    }
}

fn per_dim_sum(left: &[f32], right: &[f32]) -> Vec<f64> {
    let mut sums = vec![0.0; DIMS];
    for (left, right) in left.chunks_exact(DIMS).zip(right.chunks_exact(DIMS)) {
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
            *sum += f64::from(*left) * f64::from(*right);
        }
    }
    sums
}

fn ratio(above: &[f64], below: &[f64]) -> Vec<f32> {
    let divide = |(above, below): (&f64, &f64)| if *below > 0.0 { (above / below) as f32 } else { 0.0 };
    above.iter().zip(below).map(divide).collect()
}

/// The mean cosine between the means of rows and the targets.
fn agreement(rows: &[f32], texts: &[&[u32]], targets: &[f32]) -> f64 {
    let means = means(rows, texts);
    let pairs = means.chunks_exact(DIMS).zip(targets.chunks_exact(DIMS));
    let cosine = |(mean, target): (&[f32], &[f32])| {
        let dot =
            |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        dot(mean, target) / (dot(mean, mean) * dot(target, target)).sqrt().max(f64::MIN_POSITIVE)
    };
    pairs.map(cosine).sum::<f64>() / texts.len() as f64
}
