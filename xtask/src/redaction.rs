//! `cargo xtask redaction`: how much of what should be gone is gone, and how much of the rest is left alone.
//!
//! It reports and never judges: floors are asserted by tests. The held-out and the fresh part print totals only, so
//! that nobody can tune to them; `--misses` writes the development part, and of the fresh part no text is even kept.

use crate::corpus::clean::{self, File};
use crate::corpus::{Case, Split, envelopes, negatives, random::Random, score, secrets};
use anyhow::{Context as _, Result, bail};
use redact::{Redactor, Settings};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Rows of the tables of worst kinds.
const WORST: usize = 15;
/// CPU time of one speed measure; long beside the clock's grain.
const MEASURE_SECONDS: f64 = 1.5;
/// Documents of the speed measure are about as large as a file an agent reads.
const DOCUMENT: usize = 24 << 10;

struct Options {
    seed: u64,
    json: bool,
    misses: Option<PathBuf>,
    clean: Vec<PathBuf>,
}

/// Hits and misses under one heading.
#[derive(Default, Clone, Copy)]
struct Tally {
    good: usize,
    all: usize,
}

impl Tally {
    fn add(&mut self, good: usize, all: usize) {
        self.good += good;
        self.all += all;
    }

    fn share(self) -> f64 {
        if self.all == 0 { 1.0 } else { self.good as f64 / self.all as f64 }
    }

    fn cell(self) -> String {
        if self.all == 0 {
            String::new()
        } else {
            format!("{:.4} {:>5}/{:<5}", self.share(), self.good, self.all)
        }
    }
}

/// What one split showed. `by_*` count values gone; `touched` counts negatives left alone.
#[derive(Default)]
struct Outcome {
    values: Tally,
    agent: Tally,
    by_group: BTreeMap<&'static str, Tally>,
    by_view: BTreeMap<&'static str, Tally>,
    by_kind: BTreeMap<&'static str, Tally>,
    untouched: Tally,
    by_negative: BTreeMap<&'static str, Tally>,
    placeholders: Tally,
    /// A second pass changes nothing.
    stable: Tally,
    /// Envelopes stay JSON, plain texts keep their lines.
    whole: Tally,
    misses: String,
}

struct Clean {
    directory: PathBuf,
    megabytes: f64,
    marks: usize,
}

pub(crate) fn main(arguments: &[String]) -> Result<()> {
    let options = parse(arguments)?;
    let redactor =
        Redactor::new(Settings::default()).context("the default settings hold no rule that could fail")?;
    let outcomes = Split::ALL.map(|split| judge(&redactor, options.seed, split));
    let mut misses = outcomes[0].misses.clone();
    let mut cleans = Vec::new();
    let mut sample = Vec::new();
    for directory in &options.clean {
        let files = clean::files(directory);
        cleans.push(mark(&redactor, directory, &files, &mut misses));
        sample.extend(files.into_iter().step_by(7));
    }
    let speeds = speeds(&redactor, &sample, options.seed);
    if let Some(path) = &options.misses {
        std::fs::write(path, &misses).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let report = if options.json {
        as_json(&options, &outcomes, &cleans, speeds)
    } else {
        as_text(&options, &outcomes, &cleans, speeds)
    };
    print!("{report}");
    Ok(())
}

fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options { seed: 1, json: false, misses: None, clean: Vec::new() };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--seed" => options.seed = value()?.parse().context("--seed takes a number")?,
            "--json" => options.json = true,
            "--misses" => options.misses = Some(PathBuf::from(value()?)),
            "--clean" => options.clean.push(PathBuf::from(value()?)),
            other => bail!(
                "usage: cargo xtask redaction [--seed N] [--json] [--misses FILE] [--clean DIR]…, not {other}"
            ),
        }
    }
    if options.clean.is_empty() {
        options.clean = clean::defaults();
    }
    Ok(options)
}

/// Redacts a case the way its text arrives; says what is left and how many marks were made.
fn redacted(redactor: &Redactor, case: &Case) -> (Vec<u8>, usize) {
    if case.envelope {
        let result = redactor.envelope(case.text.as_bytes());
        (result.json, result.findings.len())
    } else {
        let result = redactor.bytes(case.text.as_bytes());
        (result.bytes, result.findings.len())
    }
}

fn again(redactor: &Redactor, case: &Case, output: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(output).into_owned();
    redacted(redactor, &Case { text, ..case.clone() }).0
}

fn is_whole(case: &Case, output: &[u8]) -> bool {
    if case.envelope {
        return serde_json::from_slice::<serde_json::Value>(output).is_ok();
    }
    let lines = |text: &[u8]| text.split(|byte| *byte == b'\n').count();
    lines(case.text.as_bytes()) == lines(output)
}

fn judge(redactor: &Redactor, seed: u64, split: Split) -> Outcome {
    let mut outcome = Outcome::default();
    for case in secrets(seed, split) {
        let (output, _) = redacted(redactor, &case);
        outcome.stable.add(usize::from(again(redactor, &case, &output) == output), 1);
        outcome.whole.add(usize::from(is_whole(&case, &output)), 1);
        let left = score::surviving(&case, &output);
        let (gone, all) = (case.values.len() - left.len(), case.values.len());
        outcome.values.add(gone, all);
        if case.agent {
            outcome.agent.add(gone, all);
        }
        outcome.by_group.entry(case.group).or_default().add(gone, all);
        if split == Split::Fresh {
            // Views, kinds and texts of the fresh part would tell where to look.
            continue;
        }
        outcome.by_view.entry(case.view).or_default().add(gone, all);
        outcome.by_kind.entry(case.kind).or_default().add(gone, all);
        for value in left {
            let _ = writeln!(
                outcome.misses,
                "MISS kind={} group={} view={}\n  value: {:?}\n  text:  {:?}\n  out:   {:?}",
                case.kind,
                case.group,
                case.view,
                value.text,
                case.text,
                String::from_utf8_lossy(&output)
            );
        }
    }
    for case in negatives::all(seed, split) {
        let (output, marks) = redacted(redactor, &case);
        let alone = usize::from(marks == 0 && (case.envelope || output == case.text.as_bytes()));
        outcome.untouched.add(alone, 1);
        outcome.by_negative.entry(case.kind).or_default().add(alone, 1);
        if matches!(case.kind, "placeholder" | "reference" | "empty") {
            outcome.placeholders.add(alone, 1);
        }
        if alone == 0 && split != Split::Fresh {
            let output = String::from_utf8_lossy(&output);
            let _ = writeln!(
                outcome.misses,
                "TOUCHED kind={} view={}\n  text:  {:?}\n  out:   {output:?}",
                case.kind, case.view, case.text
            );
        }
    }
    outcome
}

/// Counts marks in clean files and lists the lines they fell on.
fn mark(redactor: &Redactor, directory: &std::path::Path, files: &[File], misses: &mut String) -> Clean {
    let mut clean = Clean { directory: directory.to_owned(), megabytes: 0.0, marks: 0 };
    for file in files {
        clean.megabytes += file.text.len() as f64 / 1e6;
        let result = redactor.bytes(&file.text);
        if result.findings.is_empty() {
            continue;
        }
        clean.marks += result.findings.len();
        let output = String::from_utf8_lossy(&result.bytes).into_owned();
        for line in output.lines().filter(|line| line.contains("[REDACTED:")).take(4) {
            let line: String = line.chars().take(240).collect();
            let _ = writeln!(misses, "CLEAN {}\n  out:   {line:?}", file.path.display());
        }
    }
    clean
}

/// MB per CPU-second on mixed tool output: as plain text and as envelopes.
fn speeds(redactor: &Redactor, sample: &[File], seed: u64) -> [f64; 2] {
    let mut random = Random::new(seed, "speed");
    let mut documents: Vec<Vec<u8>> = Vec::new();
    let cases = secrets(seed, Split::Development);
    for (turn, file) in sample.iter().enumerate() {
        let text = String::from_utf8_lossy(&file.text[..file.text.len().min(DOCUMENT)]);
        // One secret in five documents: sessions are mostly code.
        let planted = if turn % 5 == 0 { cases[random.below(cases.len())].text.as_str() } else { "" };
        documents.push(format!("{text}\n{planted}").into_bytes());
    }
    let wrapped: Vec<Vec<u8>> = documents
        .iter()
        .map(|text| envelopes::read_result(&String::from_utf8_lossy(text), &mut random).into_bytes())
        .collect();
    let plain = rate(&documents, |text| redactor.bytes(text).findings.len());
    let envelope = rate(&wrapped, |text| redactor.envelope(text).findings.len());
    [plain, envelope]
}

fn rate(documents: &[Vec<u8>], mut work: impl FnMut(&[u8]) -> usize) -> f64 {
    if documents.is_empty() {
        return 0.0;
    }
    let mut sum = 0;
    for text in documents.iter().take(200) {
        sum += work(text);
    }
    let (start, mut bytes) = (cpu_seconds(), 0usize);
    while cpu_seconds() - start < MEASURE_SECONDS {
        for text in documents {
            sum += work(text);
            bytes += text.len();
        }
    }
    std::hint::black_box(sum);
    bytes as f64 / 1e6 / (cpu_seconds() - start)
}

/// CPU time of this process; wall time where the system does not tell.
fn cpu_seconds() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told =
        told.and_then(|line| line.split_whitespace().next().and_then(|field| field.parse::<f64>().ok()));
    told.map_or_else(
        || START.get_or_init(Instant::now).elapsed().as_secs_f64(),
        |nanoseconds| nanoseconds / 1e9,
    )
}

fn as_text(options: &Options, outcomes: &[Outcome; 3], cleans: &[Clean], speeds: [f64; 2]) -> String {
    let [dev, held, fresh] = outcomes;
    let title = format!("redaction, seed {}", options.seed);
    let mut out = format!("{title:<30}{:>18}{:>26}{:>22}\n", "dev", "held-out", "fresh");
    let mut row = |name: &str, pick: &dyn Fn(&Outcome) -> Tally| {
        let [dev, held, fresh] = [dev, held, fresh].map(|outcome| pick(outcome).cell());
        let _ = writeln!(out, "  {name:<28}{dev:>24}{held:>24}{fresh:>24}");
    };
    row("values gone", &|outcome| outcome.values);
    row("  in agent shapes", &|outcome| outcome.agent);
    row("negatives untouched", &|outcome| outcome.untouched);
    row("  placeholders", &|outcome| outcome.placeholders);
    row("second pass changes nothing", &|outcome| outcome.stable);
    row("JSON and line counts kept", &|outcome| outcome.whole);
    for (title, pick) in [
        ("by place", (|outcome| &outcome.by_group) as fn(&Outcome) -> &BTreeMap<&'static str, Tally>),
        ("by view", |outcome| &outcome.by_view),
    ] {
        row(title, &|_| Tally::default());
        let mut names: Vec<&str> =
            outcomes.iter().flat_map(|outcome| pick(outcome).keys().copied()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            row(&format!("  {name}"), &|outcome| pick(outcome).get(name).copied().unwrap_or_default());
        }
    }
    for (title, pick) in [
        ("worst kinds", (|outcome| &outcome.by_kind) as fn(&Outcome) -> &BTreeMap<&'static str, Tally>),
        ("worst negatives", |outcome| &outcome.by_negative),
    ] {
        // The names of the other parts' kinds stay unseen: a list of them would be an invitation.
        let _ = writeln!(out, "{title}, dev: {}", worst(pick(dev)));
    }
    for clean in cleans {
        let _ = writeln!(
            out,
            "clean code: {:.3} marks per MB ({} in {:.1} MB) {}",
            clean.marks as f64 / clean.megabytes.max(1e-6),
            clean.marks,
            clean.megabytes,
            place(&clean.directory)
        );
    }
    let _ = writeln!(out, "speed: {:.0} MB per CPU-second plain, {:.0} in envelopes", speeds[0], speeds[1]);
    out
}

/// The last two names of a directory: reports are kept, and no page should tell where a machine keeps its files.
fn place(directory: &std::path::Path) -> String {
    let names: Vec<_> = directory.iter().map(|name| name.to_string_lossy()).collect();
    names[names.len().saturating_sub(2)..].join("/")
}

fn worst(table: &BTreeMap<&'static str, Tally>) -> String {
    let mut rows: Vec<_> = table.iter().filter(|(_, tally)| tally.good < tally.all).collect();
    rows.sort_by(|left, right| left.1.share().total_cmp(&right.1.share()));
    let rows: Vec<_> =
        rows.iter().take(WORST).map(|(name, tally)| format!("{name} {}/{}", tally.good, tally.all)).collect();
    if rows.is_empty() { "none".into() } else { rows.join(", ") }
}

fn as_json(options: &Options, outcomes: &[Outcome; 3], cleans: &[Clean], speeds: [f64; 2]) -> String {
    let split = |outcome: &Outcome| {
        format!(
            "{{\"values\":{},\"gone\":{:.5},\"gone_agent\":{:.5},\"negatives\":{},\"touched\":{:.5},\"placeholders_touched\":{:.5}}}",
            outcome.values.all,
            outcome.values.share(),
            outcome.agent.share(),
            outcome.untouched.all,
            1.0 - outcome.untouched.share(),
            1.0 - outcome.placeholders.share()
        )
    };
    let (marks, megabytes) =
        cleans.iter().fold((0, 0.0), |sum, clean| (sum.0 + clean.marks, sum.1 + clean.megabytes));
    format!(
        "{{\"seed\":{},\"dev\":{},\"held_out\":{},\"fresh\":{},\"clean_megabytes\":{megabytes:.1},\"marks_per_megabyte\":{:.4},\"plain_mb_per_cpu_second\":{:.1},\"envelope_mb_per_cpu_second\":{:.1}}}\n",
        options.seed,
        split(&outcomes[0]),
        split(&outcomes[1]),
        split(&outcomes[2]),
        f64::from(u32::try_from(marks).unwrap_or(u32::MAX)) / megabytes.max(1e-6),
        speeds[0],
        speeds[1]
    )
}
