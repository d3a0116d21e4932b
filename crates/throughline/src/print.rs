//! Output for people and scripts: rows, times, JSON lines. Writes to stdout and nowhere else.

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
        if at == 0 && color {
            out.push_str(&format!("\u{1b}[1m{line}\u{1b}[0m\n"));
        } else {
            out.push_str(line);
            out.push('\n');
        }
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
