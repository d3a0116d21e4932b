//! Output for people and scripts: rows, times, JSON lines. What was asked for goes to stdout, remarks go to stderr.

use std::io::{self, Write};

use jiff::tz::TimeZone;
use model::Millis;
use serde::Serialize;

/// One JSON value on one line.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, value).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(())
}

pub(crate) fn text(text: &str) -> anyhow::Result<()> {
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

pub(crate) fn line(text: &str) -> anyhow::Result<()> {
    writeln!(io::stdout().lock(), "{text}")?;
    Ok(())
}

/// A remark beside the answer: a script that reads stdout does not see it. Nobody is left to tell when it fails.
pub(crate) fn remark(text: &str) {
    let _ = io::stderr().lock().write_all(format!("{text}\n").as_bytes());
}

pub(crate) fn bold(text: &str, color: bool) -> String {
    if color { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
}

pub(crate) fn dim(text: &str, color: bool) -> String {
    if color { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// Several lines of a stranger's text, set in by so many columns.
pub(crate) fn block(text: &str, indent: usize) -> String {
    let clean = engine::sanitize(text);
    let lines =
        clean.trim_end().lines().map(|line| format!("{:indent$}{line}", "").trim_end().to_owned() + "\n");
    lines.collect()
}

/// `1 memory`, `2 memories`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// In the person's own time zone, to the second.
pub(crate) fn time(at: Millis) -> String {
    let stamp = i64::try_from(at).ok().and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    stamp.map_or_else(
        || "-".to_owned(),
        |stamp| stamp.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
    )
}

/// Columns padded to their widest cell; the last is left as it is.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>], color: bool) -> anyhow::Result<()> {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].len()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut out = String::new();
    let heads: Vec<String> = head.iter().map(|&cell| cell.to_owned()).collect();
    for (at, row) in std::iter::once(&heads).chain(rows).enumerate() {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        let line = cells.join("  ");
        let line = line.trim_end();
        if at == 0 {
            out.push_str(&bold(line, color));
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    text(&out)
}

/// A stranger's text on one line, without what could move the cursor.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let clean = engine::sanitize(text).replace(['\n', '\t'], " ");
    match clean.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &clean[..end]),
        None => clean,
    }
}

pub(crate) fn bytes(count: u64) -> String {
    match count {
        0..1024 => format!("{count} B"),
        1024..1_048_576 => format!("{:.1} KB", count as f64 / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MB", count as f64 / 1_048_576.0),
        _ => format!("{:.2} GB", count as f64 / 1_073_741_824.0),
    }
}
