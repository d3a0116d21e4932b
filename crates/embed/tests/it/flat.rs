//! The scan: what is found, in which order, and what happens to rows that come and go.

use embed::flat::{Flat, Hit, encode};
use embed::{EmbedError, Kernel};
use proptest::prelude::*;

use crate::{Dice, cosine};

fn rows(hits: &[Hit]) -> Vec<u32> {
    hits.iter().map(|hit| hit.row).collect()
}

fn filled(dims: usize, count: usize, dice: &mut Dice) -> (Flat, Vec<Vec<f32>>) {
    let vectors: Vec<Vec<f32>> = (0..count).map(|_| dice.vector(dims)).collect();
    let mut flat = Flat::new(dims);
    flat.reserve(count);
    for (row, vector) in vectors.iter().enumerate() {
        assert_eq!(flat.push(vector).unwrap(), row as u32);
    }
    (flat, vectors)
}

#[test]
fn the_best_rows_come_first_with_their_cosines() {
    let mut dice = Dice(7);
    let (flat, vectors) = filled(384, 1000, &mut dice);
    let query = dice.vector(384);
    let hits = flat.search(&query, 10, None).unwrap();
    assert_eq!(hits.len(), 10);
    assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
    for hit in &hits {
        assert!((hit.score - cosine(&query, &vectors[hit.row as usize])).abs() < 2e-3);
    }
    let mut exact: Vec<f32> = vectors.iter().map(|vector| cosine(&query, vector)).collect();
    exact.sort_by(|a, b| b.total_cmp(a));
    assert!((hits[0].score - exact[0]).abs() < 2e-3 && (hits[9].score - exact[9]).abs() < 2e-3);
}

#[test]
fn every_kernel_gives_the_same_hits() {
    for dims in [1, 63, 64, 128, 384, 1000] {
        let mut dice = Dice(dims as u64 + 1);
        let (mut flat, _) = filled(dims, 600, &mut dice);
        let query = dice.vector(dims);
        let expected = flat.search(&query, 50, None).unwrap();
        for kernel in Kernel::available() {
            flat = flat.with_kernel(kernel);
            assert_eq!(flat.search(&query, 50, None).unwrap(), expected, "{} at {dims}", kernel.name());
        }
    }
}

#[test]
fn a_filter_hides_rows_and_is_asked_only_about_candidates() {
    let mut dice = Dice(3);
    let (flat, _) = filled(128, 5000, &mut dice);
    let query = dice.vector(128);
    let all = rows(&flat.search(&query, 5000, None).unwrap());
    let asked = std::cell::Cell::new(0);
    let even = |row: u32| {
        asked.set(asked.get() + 1);
        row.is_multiple_of(2)
    };
    let found = rows(&flat.search(&query, 10, Some(&even)).unwrap());
    let expected: Vec<u32> = all.into_iter().filter(|row| row % 2 == 0).take(10).collect();
    assert_eq!(found, expected);
    assert!(asked.get() < 500, "{}", asked.get());
}

#[test]
fn a_removed_row_is_gone_and_its_number_is_used_again() {
    let mut dice = Dice(5);
    let (mut flat, vectors) = filled(64, 3, &mut dice);
    assert!(flat.remove(1));
    assert!(!flat.remove(1) && !flat.remove(9));
    assert_eq!(flat.len(), 2);
    assert!(flat.vector(1).is_none());
    let found = rows(&flat.search(&vectors[1], 10, None).unwrap());
    assert_eq!(found.len(), 2);
    assert!(!found.contains(&1));
    assert_eq!(flat.push(&vectors[1]).unwrap(), 1);
    assert_eq!(flat.search(&vectors[1], 1, None).unwrap()[0].row, 1);
}

#[test]
fn a_replaced_row_is_found_by_its_new_vector() {
    let mut dice = Dice(11);
    let (mut flat, _) = filled(384, 100, &mut dice);
    let vector = dice.vector(384);
    assert!(flat.replace(42, &vector).unwrap());
    assert!(!flat.replace(100, &vector).unwrap());
    assert_eq!(flat.search(&vector, 1, None).unwrap()[0].row, 42);
    assert!(cosine(&flat.vector(42).unwrap(), &vector) > 0.999);
}

#[test]
fn a_vector_of_another_model_is_refused() {
    let mut flat = Flat::new(384);
    let wrong = |outcome: Result<(), EmbedError>| {
        assert!(matches!(outcome, Err(EmbedError::Dims { expected: 384, .. })));
    };
    wrong(flat.push(&[1.0; 128]).map(|_| ()));
    wrong(flat.push_encoded(&encode(&[1.0; 128])).map(|_| ()));
    wrong(flat.push_encoded(&[]).map(|_| ()));
    wrong(flat.search(&[1.0; 385], 1, None).map(|_| ()));
    assert!(flat.is_empty());
}

#[test]
fn equal_rows_come_in_their_order_and_zeros_score_nothing() {
    let mut flat = Flat::new(4);
    for _ in 0..5 {
        flat.push(&[0.5; 4]).unwrap();
    }
    flat.push(&[0.0; 4]).unwrap();
    let hits = flat.search(&[0.5; 4], 3, None).unwrap();
    assert_eq!(rows(&hits), [0, 1, 2]);
    let all = flat.search(&[0.5; 4], 99, None).unwrap();
    assert_eq!(all.len(), 6);
    assert_eq!(all[5], Hit { row: 5, score: 0.0 });
    assert!(flat.search(&[0.5; 4], 0, None).unwrap().is_empty());
    assert!(Flat::new(4).search(&[0.5; 4], 3, None).unwrap().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_numbers_panic(
        vectors in prop::collection::vec(prop::collection::vec(any::<f32>(), 5), 1..20),
        query in prop::collection::vec(any::<f32>(), 5),
    ) {
        let mut flat = Flat::new(5);
        for vector in &vectors {
            flat.push(vector).unwrap();
        }
        prop_assert!(flat.search(&query, 3, None).unwrap().len() <= 3);
    }
}
