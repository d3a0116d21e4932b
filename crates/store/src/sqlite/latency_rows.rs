//! What hooks cost, by the hour. Counted by the daemon, which alone knows; here it is only added up and kept. A name
//! is `hook.` and an event, `advise.` or `learn.` and a behavior; nothing here depends on it.

use rusqlite::{Row, params};
use serde::Serialize;

use super::batch::number;
use super::read::unsigned;
use super::{Batch, Tables, sort};
use crate::StoreError;

/// A year and a month, so that a chart of a year is whole.
const KEPT_HOURS: u64 = 400 * 24;
/// Rows of one answer: every hour kept of five names, or a month of sixty.
const MAX_ROWS: u64 = 50_000;
/// The daemon counts with 26; a list that is longer is not ours.
const MAX_BUCKETS: usize = 64;
/// Names are words of ours; whatever is longer is not one.
const MAX_NAME: usize = 128;

/// How long something took in one hour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LatencyRow {
    /// Hours since 1970.
    pub hour: u64,
    pub name: String,
    pub count: u64,
    pub micros_total: u64,
    /// How many took less than 2^n microseconds, and not less than half of that. `model::quantile` reads it.
    pub buckets: Vec<u64>,
}

impl Tables {
    /// Of these hours, both included, whatever begins with this name; oldest first. Costs two seeks an hour that was
    /// worked in, however many other names there are.
    pub fn latencies(
        &self,
        since_hour: u64,
        until_hour: u64,
        name_prefix: &str,
    ) -> Result<Vec<LatencyRow>, StoreError> {
        let sql = "
            WITH RECURSIVE hours (hour) AS (
                SELECT MIN(hour) FROM latencies WHERE hour BETWEEN ?1 AND ?2
                UNION ALL
                SELECT (SELECT MIN(hour) FROM latencies WHERE hour > hours.hour AND hour <= ?2)
                FROM hours WHERE hours.hour IS NOT NULL
            )
            SELECT latencies.hour, name, count, micros_total, buckets
            FROM hours CROSS JOIN latencies ON latencies.hour = hours.hour AND name >= ?3 AND name < ?4
            ORDER BY latencies.hour, name LIMIT ?5";
        let values = params![
            number(since_hour),
            number(until_hour),
            name_prefix,
            format!("{name_prefix}\u{10ffff}"),
            number(MAX_ROWS)
        ];
        self.connection
            .prepare_cached(sql)
            .and_then(|mut statement| {
                statement.query_map(values, read)?.collect::<rusqlite::Result<Vec<LatencyRow>>>()
            })
            .map_err(|e| sort(&self.path, e))
    }
}

impl Batch<'_> {
    /// Adds to what is there. Not repeatable: whoever calls it forgets what was taken over.
    pub fn add_latency(
        &mut self,
        hour: u64,
        name: &str,
        count: u64,
        micros_total: u64,
        buckets: &[u64],
    ) -> Result<(), StoreError> {
        if name.len() > MAX_NAME || buckets.len() > MAX_BUCKETS || count == 0 {
            return Ok(());
        }
        let known = self.buckets_of(hour, name)?.unwrap_or_default();
        let sums: Vec<u64> = (0..buckets.len().max(known.len()))
            .map(|at| buckets.get(at).unwrap_or(&0).saturating_add(*known.get(at).unwrap_or(&0)))
            .collect();
        self.run(
            "INSERT INTO latencies (hour, name, count, micros_total, buckets) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (hour, name) DO UPDATE SET
                 count = count + excluded.count,
                 micros_total = micros_total + excluded.micros_total,
                 buckets = excluded.buckets",
            params![number(hour), name, number(count), number(micros_total), written(&sums)],
        )?;
        Ok(())
    }

    /// Lets hours go that no chart shows any more.
    pub fn prune_latencies(&mut self, now_hour: u64) -> Result<(), StoreError> {
        self.run("DELETE FROM latencies WHERE hour < ?1", [number(now_hour.saturating_sub(KEPT_HOURS))])?;
        Ok(())
    }

    fn buckets_of(&self, hour: u64, name: &str) -> Result<Option<Vec<u64>>, StoreError> {
        let found = self.rows(
            "SELECT buckets FROM latencies WHERE hour = ?1 AND name = ?2",
            params![number(hour), name],
            |row| row.get::<_, String>(0),
        )?;
        Ok(found.first().map(|text| bucket_list(text)))
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<LatencyRow> {
    Ok(LatencyRow {
        hour: unsigned(row, 0)?,
        name: row.get(1)?,
        count: unsigned(row, 2)?,
        micros_total: unsigned(row, 3)?,
        buckets: bucket_list(row.get_ref(4)?.as_str()?),
    })
}

fn written(buckets: &[u64]) -> String {
    let numbers: Vec<String> = buckets.iter().map(u64::to_string).collect();
    format!("[{}]", numbers.join(","))
}

/// Of a list that cannot be read nothing is known.
fn bucket_list(text: &str) -> Vec<u64> {
    let inner = text.trim().strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or_default();
    inner.split(',').take(MAX_BUCKETS).map_while(|one| one.trim().parse().ok()).collect()
}
