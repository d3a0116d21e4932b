//! Telling: a batch of one outbox in one transaction, its position with it. Nothing here waits for more than the server;
//! whoever calls has decided what may leave the machine.

use std::collections::BTreeSet;

use postgres::types::ToSql;
use store::shared::{Author, Change, SharedError};

use crate::error::{is_about_rights, is_worth_repeating, sort};
use crate::fold::{Folded, project_of};
use crate::half::{HalfVector, pack};
use crate::options::refused;
use crate::prepared::Work;
use crate::rows::{clean, signed, unsigned};
use crate::{Team, search};

/// Two that stood in each other's way stand there again only by chance.
const ATTEMPTS: usize = 4;
/// Beside a project's number in advisory locks: whoever forgets there is alone.
const FORGETTING: i32 = 7_498_003;

/// Row-level security checks what is proposed, so what is proposed bears our own number.
const MEMORIES: &str = "
    WITH told AS (SELECT * FROM unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
            $9::integer[], $10::bytea[], $11::integer[], $12::bytea[], $13::text[], $14::text[])
        AS t(project, id, changed_at, hits, prevented, last_applied_at, words, digest, model, vectors, body, terms))
    INSERT INTO throughline.memories AS m (project, id, author, changed_at, hits, prevented, last_applied_at, words, digest,
        model, vectors, body, terms)
    SELECT project, id, $1, changed_at, hits, prevented, last_applied_at, words, digest, model, vectors, body,
        terms::tsvector FROM told t
    WHERE NOT EXISTS (SELECT FROM throughline.forgotten f WHERE f.project = t.project AND f.id = t.id)
    ORDER BY project, id
    ON CONFLICT (project, id) DO UPDATE SET author = EXCLUDED.author, changed_at = EXCLUDED.changed_at,
        hits = greatest(m.hits, EXCLUDED.hits), prevented = greatest(m.prevented, EXCLUDED.prevented),
        last_applied_at = greatest(m.last_applied_at, EXCLUDED.last_applied_at),
        words = EXCLUDED.words, digest = EXCLUDED.digest, body = EXCLUDED.body, terms = EXCLUDED.terms,
        model = CASE WHEN EXCLUDED.vectors IS NULL AND m.digest = EXCLUDED.digest THEN m.model ELSE EXCLUDED.model END,
        vectors = CASE WHEN EXCLUDED.vectors IS NULL AND m.digest = EXCLUDED.digest THEN m.vectors
            ELSE EXCLUDED.vectors END
    WHERE (EXCLUDED.changed_at, $2::text COLLATE \"C\") >=
        (m.changed_at, (SELECT a.machine COLLATE \"C\" FROM throughline.authors a WHERE a.id = m.author))
    RETURNING project, id, vectors IS NULL";

const SESSIONS: &str = "
    INSERT INTO throughline.sessions AS s (project, author, id, seen_at, ended_at, body)
    SELECT t.project, $1, t.id, t.seen_at, t.ended_at, t.body
    FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[]) AS t(project, id, seen_at, ended_at, body)
    ON CONFLICT (project, author, id) DO UPDATE
        SET seen_at = EXCLUDED.seen_at, ended_at = EXCLUDED.ended_at, body = EXCLUDED.body
    WHERE EXCLUDED.seen_at >= s.seen_at";

const EMPTIED: &str = "
    UPDATE throughline.claims c SET released = true FROM unnest($2::bigint[], $3::text[]) AS t(project, session)
    WHERE c.project = t.project AND c.author = $1 AND c.session = t.session AND NOT c.released";

const RELEASED: &str = "
    UPDATE throughline.claims c SET released = true
    FROM unnest($2::bigint[], $3::text[], $4::text[]) AS t(project, session, path)
    WHERE c.project = t.project AND c.author = $1 AND c.key = md5(t.session || '/' || t.path)::uuid AND NOT c.released";

const CLAIMS: &str = "
    INSERT INTO throughline.claims AS c (project, author, session, path, last_at, released, body)
    SELECT t.project, $1, t.session, t.path, t.last_at, false, t.body
    FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[]) AS t(project, session, path, last_at, body)
    ON CONFLICT (project, author, key) DO UPDATE
        SET last_at = EXCLUDED.last_at, released = false, body = EXCLUDED.body
    WHERE EXCLUDED.last_at >= c.last_at";

const MESSAGES: &str = "
    INSERT INTO throughline.messages (project, id, sender, author, to_session, at, delivered_at, body)
    SELECT t.project, t.id, $1, $1, t.to_session, t.at, t.delivered_at, t.body
    FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[])
        AS t(project, id, to_session, at, delivered_at, body)
    ON CONFLICT (project, id) DO NOTHING";

const DELIVERED: &str = "
    UPDATE throughline.messages m SET delivered_at = t.delivered_at, author = $1
    FROM unnest($2::bigint[], $3::text[], $4::bigint[]) AS t(project, id, delivered_at)
    WHERE m.project = t.project AND m.id = t.id AND m.delivered_at IS NULL AND t.delivered_at IS NOT NULL";

const PATTERNS: &str = "
    INSERT INTO throughline.patterns (project, author, id, at, body)
    SELECT t.project, $1, t.id, t.at, t.body
    FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[]) AS t(project, id, at, body)
    ON CONFLICT (project, author, id) DO UPDATE SET at = EXCLUDED.at, body = EXCLUDED.body";

impl Team {
    pub(crate) fn position(&mut self, by: &Author, outbox: &str) -> Result<u64, SharedError> {
        let author = self.author(by)?;
        let row = self
            .client
            .query_opt(
                "SELECT position FROM throughline.outboxes WHERE author = $1 AND name = $2",
                &[&author, &clean(outbox)],
            )
            .map_err(|error| sort(&error))?;
        Ok(row.map_or(0, |row| unsigned(row.get(0))))
    }

    pub(crate) fn tell(
        &mut self,
        by: &Author,
        outbox: &str,
        changes: &[(u64, Change)],
    ) -> Result<usize, SharedError> {
        let author = self.author(by)?;
        let mut attempt = 1;
        loop {
            match self.attempt(author, by, outbox, changes) {
                Ok(told) => return Ok(told),
                Err(error) if attempt < ATTEMPTS && is_worth_repeating(&error) => attempt += 1,
                // Somebody may have changed who sees which project since it was looked up.
                Err(error) if attempt < ATTEMPTS && is_about_rights(&error) && !self.projects.is_empty() => {
                    self.projects.clear();
                    attempt += 1;
                }
                Err(error) => return Err(sort(&error)),
            }
        }
    }

    /// Our own number on this machine. Who we are is the database's word; a name that is not ours is refused here, with
    /// a reason, before it would be there.
    fn author(&mut self, by: &Author) -> Result<i32, SharedError> {
        if by.user != self.me.user {
            let says = format!("this connection is {}'s, not {}'s", self.me.user, by.user);
            return Err(refused(&says, "run `throughline daemon restart`"));
        }
        if let Some(known) = self.authors.get(&by.machine) {
            return Ok(*known);
        }
        let row = self
            .client
            .query_one("SELECT throughline.my_author($1)", &[&clean(&by.machine)])
            .map_err(|error| sort(&error))?;
        let author = row.get(0);
        self.authors.insert(by.machine.clone(), author);
        Ok(author)
    }

    fn attempt(
        &mut self,
        author: i32,
        by: &Author,
        outbox: &str,
        changes: &[(u64, Change)],
    ) -> Result<usize, postgres::Error> {
        self.find_projects(changes)?;
        let channel = format!("throughline_{}", self.number);
        let mut work = Work { transaction: self.client.transaction()?, prepared: &mut self.prepared };
        // Locks the outbox's row: a second connection of the same machine waits here, and then sees what was applied.
        let row = work.query_one(
            "INSERT INTO throughline.outboxes AS o (author, name, position) VALUES ($1, $2, 0)
             ON CONFLICT (author, name) DO UPDATE SET at = now() RETURNING position",
            &[&author, &clean(outbox)],
        )?;
        let position = unsigned(row.get(0));
        let mut due: Vec<&(u64, Change)> = changes.iter().filter(|(at, _)| *at > position).collect();
        due.sort_by_key(|(at, _)| *at);
        let Some((last, _)) = due.last() else {
            work.transaction.commit()?;
            return Ok(0);
        };
        let mut folded = Folded::default();
        let mut touched = BTreeSet::new();
        for (_, change) in &due {
            // What is not ours to tell is passed over: one project that was closed to us must not hold up the others.
            if let Some(Some(project)) = self.projects.get(project_of(change)) {
                folded.add(*project, change);
                touched.insert(*project);
            }
        }
        let forgets_in = folded.forgets_in();
        for project in &touched {
            let lock = if forgets_in.contains(project) {
                "SELECT pg_advisory_xact_lock($1, $2)"
            } else {
                "SELECT pg_advisory_xact_lock_shared($1, $2)"
            };
            work.execute(lock, &[&FORGETTING, &((*project & 0x7fff_ffff) as i32)])?;
        }
        write(&mut work, author, &by.machine, &folded)?;
        work.execute(
            "UPDATE throughline.outboxes SET position = $3, at = now() WHERE author = $1 AND name = $2",
            &[&author, &clean(outbox), &signed(*last)],
        )?;
        let touched: Vec<i64> = touched.into_iter().collect();
        work.execute(
            "SELECT pg_notify($1, project || ' ' || $2::integer) FROM unnest($3::bigint[]) AS project",
            &[&channel, &author, &touched],
        )?;
        work.transaction.commit()?;
        Ok(due.len())
    }

    /// Numbers of projects that are told of for the first time on this connection.
    fn find_projects(&mut self, changes: &[(u64, Change)]) -> Result<(), postgres::Error> {
        for (_, change) in changes {
            let project = project_of(change);
            // One that was closed to us may have been opened.
            if !matches!(self.projects.get(project), Some(Some(_))) {
                let row =
                    self.client.query_one("SELECT throughline.my_project($1)", &[&clean(&project.0)])?;
                self.projects.insert(project.clone(), row.get(0));
            }
        }
        Ok(())
    }
}

fn write(work: &mut Work<'_>, author: i32, machine: &str, folded: &Folded) -> Result<(), postgres::Error> {
    if !folded.forgotten.is_empty() {
        let (projects, ids): (Vec<i64>, Vec<i64>) = folded.forgotten.iter().copied().unzip();
        work.execute(
            "INSERT INTO throughline.forgotten (project, id, author)
             SELECT t.project, t.id, $1 FROM unnest($2::bigint[], $3::bigint[]) AS t(project, id)
             ON CONFLICT (project, id) DO NOTHING",
            &[&author, &projects, &ids],
        )?;
    }
    memories(work, author, machine, folded)?;
    if !folded.sessions.is_empty() {
        let keys: Keys<'_> = folded.sessions.keys().map(|(project, id)| (*project, id.as_str())).unzip();
        let seen: Vec<i64> = folded.sessions.values().map(|told| signed(told.seen_at)).collect();
        let ended: Vec<Option<i64>> =
            folded.sessions.values().map(|told| told.ended_at.map(signed)).collect();
        let bodies: Vec<String> = folded.sessions.values().map(body).collect();
        work.execute(SESSIONS, &[&author, &keys.0, &keys.1, &seen, &ended, &bodies])?;
    }
    if !folded.emptied.is_empty() {
        let keys: Keys<'_> = folded.emptied.iter().map(|(project, id)| (*project, id.as_str())).unzip();
        work.execute(EMPTIED, &[&author, &keys.0, &keys.1])?;
    }
    claims(work, author, folded)?;
    if !folded.messages.is_empty() {
        let keys: Keys<'_> = folded.messages.keys().map(|(project, id)| (*project, id.as_str())).unzip();
        let to: Vec<String> = folded.messages.values().map(|told| clean(told.to.as_str())).collect();
        let at: Vec<i64> = folded.messages.values().map(|told| signed(told.at)).collect();
        let delivered: Vec<Option<i64>> =
            folded.messages.values().map(|told| told.delivered_at.map(signed)).collect();
        let bodies: Vec<String> = folded.messages.values().map(body).collect();
        work.execute(MESSAGES, &[&author, &keys.0, &keys.1, &to, &at, &delivered, &bodies])?;
        if delivered.iter().any(Option::is_some) {
            work.execute(DELIVERED, &[&author, &keys.0, &keys.1, &delivered])?;
        }
    }
    if !folded.patterns.is_empty() {
        let keys: Keys<'_> = folded.patterns.keys().map(|(project, id)| (*project, id.as_str())).unzip();
        let at: Vec<i64> = folded.patterns.values().map(|told| signed(told.at)).collect();
        let bodies: Vec<String> = folded.patterns.values().map(body).collect();
        work.execute(PATTERNS, &[&author, &keys.0, &keys.1, &at, &bodies])?;
    }
    Ok(())
}

/// Projects, and a name within each.
type Keys<'a> = (Vec<i64>, Vec<&'a str>);

fn body<T: serde::Serialize>(told: &T) -> String {
    serde_json::to_string(told).unwrap_or_default()
}

fn claims(work: &mut Work<'_>, author: i32, folded: &Folded) -> Result<(), postgres::Error> {
    let held = folded.claims.iter().filter_map(|(key, claim)| Some((key, claim.as_ref()?)));
    let released = folded.claims.iter().filter(|(_, claim)| claim.is_none()).map(|(key, _)| key);
    let (mut projects, mut sessions, mut paths) = (Vec::new(), Vec::new(), Vec::new());
    for (project, session, path) in released {
        projects.push(*project);
        sessions.push(session.as_str());
        paths.push(path.as_str());
    }
    if !projects.is_empty() {
        work.execute(RELEASED, &[&author, &projects, &sessions, &paths])?;
    }
    let (mut projects, mut sessions, mut paths) = (Vec::new(), Vec::new(), Vec::new());
    let (mut last, mut bodies) = (Vec::new(), Vec::new());
    for ((project, session, path), claim) in held {
        projects.push(*project);
        sessions.push(session.as_str());
        paths.push(path.as_str());
        last.push(signed(claim.last_at));
        bodies.push(body(claim));
    }
    if !projects.is_empty() {
        work.execute(CLAIMS, &[&author, &projects, &sessions, &paths, &last, &bodies])?;
    }
    Ok(())
}

fn memories(work: &mut Work<'_>, author: i32, machine: &str, folded: &Folded) -> Result<(), postgres::Error> {
    if folded.memories.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = folded.memories.values().collect();
    let models = search::models(work, &rows)?;
    let model = |row: &&crate::rows::MemoryRow| {
        let (name, parts) = row.vectors.as_ref()?;
        models.get(&(name.clone(), parts[0].len())).copied().flatten()
    };
    let number =
        |of: fn(&crate::rows::MemoryRow) -> i64| rows.iter().map(|row| of(row)).collect::<Vec<i64>>();
    let projects = number(|row| row.project);
    let ids = number(|row| row.id);
    let changed = number(|row| signed(row.changed_at));
    let hits = number(|row| signed(row.hits));
    let prevented = number(|row| signed(row.prevented));
    let applied: Vec<Option<i64>> = rows.iter().map(|row| row.last_applied_at.map(signed)).collect();
    let words: Vec<i32> = rows.iter().map(|row| row.terms.words).collect();
    let digests: Vec<&[u8]> = rows.iter().map(|row| row.digest.as_slice()).collect();
    let numbers: Vec<Option<i32>> = rows.iter().map(model).map(|model| model.map(|model| model.id)).collect();
    let packed: Vec<Option<Vec<u8>>> =
        rows.iter().map(|row| model(row).and(row.vectors.as_ref()).map(|(_, parts)| pack(parts))).collect();
    let bodies: Vec<&str> = rows.iter().map(|row| row.body.as_str()).collect();
    let terms: Vec<&str> = rows.iter().map(|row| row.terms.vector.as_str()).collect();
    search::sample(work, &rows)?;
    let machine = clean(machine);
    let arguments: [&(dyn ToSql + Sync); 14] = [
        &author, &machine, &projects, &ids, &changed, &hits, &prevented, &applied, &words, &digests,
        &numbers, &packed, &bodies, &terms,
    ];
    let written = work.query(MEMORIES, &arguments)?;
    // What has another text has no vectors any more; what brought some has those.
    let (mut stale, mut fresh) = (BTreeSet::new(), BTreeSet::new());
    for row in &written {
        let key: (i64, i64) = (row.get(0), row.get(1));
        let told = &folded.memories[&key];
        if row.get(2) {
            stale.insert(key);
        } else if told.vectors.is_some() {
            fresh.insert(key);
        }
    }
    let outdated: Keyed = stale.union(&fresh).copied().unzip();
    for table in search::indexed(work)? {
        work.execute(
            &format!(
                "DELETE FROM throughline.vectors_{table} v USING unnest($1::bigint[], $2::bigint[]) AS t(project, id)
                 WHERE v.project = t.project AND v.id = t.id"
            ),
            &[&outdated.0, &outdated.1],
        )?;
        let (mut projects, mut ids, mut parts, mut vectors) = (vec![], vec![], vec![], vec![]);
        for row in rows.iter().filter(|row| fresh.contains(&(row.project, row.id))) {
            let Some(of) = model(row).filter(|of| of.id == table) else { continue };
            debug_assert!(of.indexed, "a table is there");
            for (part, vector) in row.vectors.iter().flat_map(|(_, parts)| parts).enumerate() {
                projects.push(row.project);
                ids.push(row.id);
                parts.push(part as i16);
                vectors.push(HalfVector(vector.clone()));
            }
        }
        if !ids.is_empty() {
            let home = search::vector_schema(work)?;
            work.execute(
                &format!(
                    "INSERT INTO throughline.vectors_{table} (project, id, part, embedding)
                     SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::smallint[], $4::\"{home}\".halfvec[])"
                ),
                &[&projects, &ids, &parts, &vectors],
            )?;
        }
    }
    Ok(())
}

type Keyed = (Vec<i64>, Vec<i64>);
