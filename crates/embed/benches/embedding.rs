//! What the models and the scan cost on this machine, per kernel, beside what they are compared to in the same run:
//! the kernel without vector instructions, and a plain read of the bytes that are scanned.
//!
//! `cargo bench -p throughline-embed --bench embedding [-- quick]`: a line for each thing that was measured, its
//! name and its times in nanoseconds. `cargo xtask bench embedding` reads it and judges.
#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use embed::flat::Flat;
use embed::{Embedder, Kernel, MiniLm, StaticModel};

/// Rounds at most, and the time after which a contestant is measured no more.
const ROUNDS: usize = 100;
const LEAST_ROUNDS: usize = 3;
const PATIENCE: Duration = Duration::from_secs(2);
const QUICK_PATIENCE: Duration = Duration::from_millis(500);
/// A question, a memory, and the longest piece that is read at once.
const PIECES: [usize; 3] = [20, 60, 256];
/// Memories that are given to the model at once in the background.
const TOGETHER: usize = 16;
/// Rows that fit into no cache, and rows of a large store that may.
const ROWS: [usize; 2] = [100_000, 1_000_000];
const DIMS: usize = 384;

struct Contestant<'a> {
    name: String,
    run: Box<dyn FnMut() + 'a>,
    nanoseconds: Vec<u128>,
}

impl<'a> Contestant<'a> {
    fn new(name: String, run: impl FnMut() + 'a) -> Self {
        Self { name, run: Box::new(run), nanoseconds: Vec::new() }
    }
}

fn main() {
    let patience = if std::env::args().any(|word| word == "quick") { QUICK_PATIENCE } else { PATIENCE };
    let models: Vec<(Kernel, MiniLm)> = Kernel::available()
        .into_iter()
        .map(|kernel| {
            let weights = (weights_minilm_a::WEIGHTS.into(), weights_minilm_b::WEIGHTS.into());
            let model = MiniLm::from_bytes(&weights.0, &weights.1).expect("the carried weights");
            (kernel, model.with_kernel(kernel))
        })
        .collect();
    for pieces in PIECES {
        // The model puts one piece before the text and one behind it.
        let text = text(pieces - 2);
        let field = models.iter().map(|(kernel, model)| {
            assert_eq!(model.pieces(&text).len(), pieces, "every word here is one piece");
            let text = text.as_str();
            let run = move || drop(black_box(model.embed(&[text])));
            Contestant::new(format!("{pieces} pieces, {}", kernel.name()), run)
        });
        race(field.collect(), patience);
    }
    let memory = text(PIECES[1] - 2);
    // Nobody waits for the scalar kernel here: it takes seconds, and the larger model is not used with it alone.
    let field = models.iter().filter(|(kernel, _)| kernel.name() != "scalar").map(|(kernel, model)| {
        let texts = [memory.as_str(); TOGETHER];
        let run = move || drop(black_box(model.embed(&texts)));
        Contestant::new(format!("{TOGETHER} x {} pieces together, {}", PIECES[1], kernel.name()), run)
    });
    race(field.collect(), patience);
    let model = StaticModel::builtin();
    let texts = PIECES.map(text);
    let field = PIECES.iter().zip(&texts).map(|(words, text)| {
        let run = move || drop(black_box(model.embed(&[text])));
        Contestant::new(format!("{words} words, static model"), run)
    });
    race(field.collect(), patience);
    for rows in ROWS {
        scan(rows, patience);
    }
}

/// Every contestant once per round, so that a busy moment falls on all of them; who has used up the patience leaves
/// earlier, so that the slowest does not decide how often the fastest is measured.
fn race(mut field: Vec<Contestant<'_>>, patience: Duration) {
    // The first reads pages and grows buffers.
    for contestant in &mut field {
        (contestant.run)();
    }
    for round in 0..ROUNDS {
        for contestant in &mut field {
            let spent: u128 = contestant.nanoseconds.iter().sum();
            if round < LEAST_ROUNDS || spent < patience.as_nanos() {
                let start = Instant::now();
                (contestant.run)();
                contestant.nanoseconds.push(start.elapsed().as_nanos());
            }
        }
    }
    for contestant in field {
        let times: Vec<String> = contestant.nanoseconds.iter().map(u128::to_string).collect();
        println!("{}\t{}", contestant.name, times.join(" "));
    }
}

fn text(words: usize) -> String {
    const WORDS: &str =
        "the session cache kept a reference to an old connection so every new request hit a closed door";
    WORDS.split(' ').cycle().take(words).collect::<Vec<_>>().join(" ")
}

fn scan(rows: usize, patience: Duration) {
    let mut state = 88_172_645_463_325_252_u64;
    let mut flat = Flat::new(DIMS);
    flat.reserve(rows);
    let mut row = vec![0_u8; DIMS + 4];
    row[..4].copy_from_slice(&0.001_f32.to_le_bytes());
    for _ in 0..rows {
        for bytes in row[4..].chunks_exact_mut(8) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            bytes.copy_from_slice(&state.to_le_bytes());
        }
        flat.push_encoded(&row).expect("a row of these dims");
    }
    let query: Vec<f32> = (0..DIMS).map(|at| ((at * 37 % 101) as f32 - 50.0) / 1000.0).collect();
    let words = vec![1_u64; rows * DIMS / 8];
    let read = Contestant::new(format!("read of {rows} rows"), || {
        black_box(words.iter().fold(0_u64, |sum, word| sum.wrapping_add(*word)));
    });
    let scan =
        Contestant::new(format!("scan of {rows} rows"), || drop(black_box(flat.search(&query, 10, None))));
    race(vec![read, scan], patience);
}
