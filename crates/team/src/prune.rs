//! Taking out what is over, a little at a time, by whoever comes by. The database's own rule decides what is old enough;
//! here it is only asked for.

use model::Millis;

use crate::Team;
use crate::rows::signed;

/// Rows of one table in one go: milliseconds, and nobody waits for a lock.
const AT_ONCE: i64 = 500;
/// Beside a team's number in advisory locks: one at a time will do.
const PRUNING: i32 = 7_498_004;
/// Tables, and when a row of each was last touched.
const TABLES: &[(&str, &str)] =
    &[("sessions", "seen_at"), ("claims", "last_at"), ("messages", "at"), ("patterns", "at")];

impl Team {
    pub(crate) fn take_out(&mut self, before: Millis) -> Result<u64, postgres::Error> {
        let mut work = self.client.transaction()?;
        let is_alone: bool =
            work.query_one("SELECT pg_try_advisory_xact_lock($1, $2)", &[&PRUNING, &self.number])?.get(0);
        if !is_alone {
            return Ok(0);
        }
        let mut gone = 0;
        for (table, moment) in TABLES {
            let sql = format!(
                "DELETE FROM throughline.{table} WHERE ctid = ANY (ARRAY(
                     SELECT ctid FROM throughline.{table} WHERE {moment} < least($1, throughline.kept_since())
                     ORDER BY {moment} LIMIT $2))"
            );
            gone += work.execute(&sql, &[&signed(before), &AT_ONCE])?;
        }
        work.commit()?;
        Ok(gone)
    }
}
