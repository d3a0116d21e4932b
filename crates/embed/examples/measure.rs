//! What the models and the scan cost on this machine, per kernel, with what they are compared to in the same run.
//! `cargo run --release -p throughline-embed --example measure`. Judges nothing.
#![expect(clippy::print_stdout, reason = "a person reads it")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use embed::flat::Flat;
use embed::{Embedder, Kernel, MiniLm, StaticModel};

/// Rounds at most, and the time after which no further one starts.
const ROUNDS: usize = 31;
const PATIENCE: Duration = Duration::from_secs(1);

fn main() {
    let words = "the session cache kept a reference to an old connection so every retry hit a closed socket ";
    let text = |pieces: usize| words.split(' ').cycle().take(pieces).collect::<Vec<_>>().join(" ");
    println!("| kernel | 20 pieces | 60 pieces | 256 pieces | 16 x 20 together, each |");
    println!("|---|---|---|---|---|");
    for kernel in Kernel::available() {
        let model = MiniLm::from_bytes(&weights_minilm_a::WEIGHTS.into(), &weights_minilm_b::WEIGHTS.into())
            .expect("the carried weights")
            .with_kernel(kernel);
        let one = |pieces: usize| {
            let text = text(pieces - 2);
            assert_eq!(model.pieces(&text).len(), pieces);
            median(|| drop(black_box(model.embed(&[&text]))))
        };
        let short = text(18);
        let many = median(|| drop(black_box(model.embed(&[short.as_str(); 16])))) / 16;
        println!("| {} | {:.2?} | {:.2?} | {:.2?} | {many:.2?} |", kernel.name(), one(20), one(60), one(256));
    }
    let model = StaticModel::builtin();
    let (short, long) = (text(20), text(256));
    let cost = |text: &str| median(|| drop(black_box(model.embed(&[text]))));
    println!("\nstatic: 20 words {:.2?}, 256 words {:.2?}", cost(&short), cost(&long));

    println!("\n| rows x dims | kernel | scan | reading the same bytes | ratio |");
    println!("|---|---|---|---|---|");
    for rows in [100_000, 1_000_000] {
        scan(rows, 384);
    }
}

fn scan(rows: usize, dims: usize) {
    let mut state = 88_172_645_463_325_252_u64;
    let mut flat = Flat::new(dims);
    flat.reserve(rows);
    let mut row = vec![0_u8; dims + 4];
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
    let query: Vec<f32> = (0..dims).map(|at| ((at * 37 % 101) as f32 - 50.0) / 1000.0).collect();
    let bytes = vec![1_u64; rows * dims / 8];
    for kernel in Kernel::available() {
        flat = flat.with_kernel(kernel);
        let scan = median(|| drop(black_box(flat.search(&query, 10, None))));
        let read = median(|| {
            black_box(bytes.iter().fold(0_u64, |sum, word| sum.wrapping_add(*word)));
        });
        let ratio = scan.as_secs_f64() / read.as_secs_f64();
        println!("| {rows} x {dims} | {} | {scan:.2?} | {read:.2?} | {ratio:.2} |", kernel.name());
    }
}

fn median(mut run: impl FnMut()) -> Duration {
    let first = Instant::now();
    let mut times = Vec::new();
    while times.len() < ROUNDS && (times.len() < 3 || first.elapsed() < PATIENCE) {
        let start = Instant::now();
        run();
        times.push(start.elapsed());
    }
    times.sort_unstable();
    times[times.len() / 2]
}
