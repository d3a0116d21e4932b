//! What the person does who runs the team's database: make the schema, invite, remove, say who sees which project. All of
//! it with a URL of their own; no member's machine ever holds those rights.

use std::fmt;

use model::Millis;
use postgres::error::SqlState;
use postgres::{Client, Transaction};
use postgres_protocol::password::scram_sha_256;
use store::shared::{SharedError, SharedProject};

use crate::connect;
use crate::error::sort;
use crate::options::{Options, refused};
use crate::schema::{self, MEMBER, OWNER, VERSION};
use crate::{Team, unsigned};

/// `throughline_<team>_<user>` is a role's name, and those end at 63 characters.
const MAX_NAME: usize = 20;
/// Bytes of a password: as hard to guess as the keys that protect it on its way.
const PASSWORD_BYTES: usize = 24;

/// How a team begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Init {
    /// Small letters and digits, at most 20: it is part of roles' names.
    pub team: String,
    /// A project that a member tells of first is seen by the whole team; otherwise by that member, until it is shared.
    pub open: bool,
    /// How many parts the large tables have; counts when the schema is made, and stays.
    pub partitions: u32,
}

impl Init {
    /// A question to every project asks each of them, and a graph of a quarter of the memories costs hardly less than one of
    /// all; a question to one project passes over what lies beside it, and a graph is built the faster the smaller it is.
    pub const PARTITIONS: u32 = 4;

    pub fn new(team: &str) -> Self {
        Self { team: team.to_owned(), open: true, partitions: Self::PARTITIONS }
    }
}

/// What `init` found and made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ready {
    pub team: String,
    /// The schema's version before and now.
    pub was: u32,
    pub is: u32,
    /// The version of pgvector, where it is there: without it search goes by words alone.
    pub vectors: Option<String>,
    pub server: String,
}

/// What a new member needs. Said once, to the person who invites; nothing keeps the password.
#[derive(Clone, PartialEq, Eq)]
pub struct Invitation {
    pub user: String,
    pub role: String,
    /// Without the password.
    pub url: String,
    pub password: String,
}

impl fmt::Debug for Invitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invitation").field("role", &self.role).finish_non_exhaustive()
    }
}

/// What a member sees of a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    pub server: String,
    pub version: u32,
    pub vectors: Option<String>,
    pub team: String,
    pub user: String,
    /// With how many machines they have told from.
    pub members: Vec<(String, u64)>,
    /// When something of this member's was last applied.
    pub told_at: Option<Millis>,
    pub projects: Vec<ProjectStatus>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectStatus {
    pub project: SharedProject,
    /// Seen by the whole team.
    pub open: bool,
    pub memories: u64,
}

/// Makes or updates the schema, and the team if it is new. May be repeated.
pub fn init(options: &Options, wanted: &Init) -> Result<Ready, SharedError> {
    /// More parts than this cost every question more than they save any.
    const MOST_PARTITIONS: u32 = 1024;
    let team = name("team", &wanted.team)?;
    if !(1..=MOST_PARTITIONS).contains(&wanted.partitions) {
        return Err(refused("a table has 1 to 1024 partitions", "choose another number"));
    }
    let mut client = connect::open(options)?;
    let migrated = schema::migrate(&mut client, wanted.partitions)?;
    as_owner(&mut client, |work| {
        work.execute(
            "INSERT INTO throughline.teams (name, open) VALUES ($1, $2)
             ON CONFLICT (name) DO UPDATE SET open = EXCLUDED.open",
            &[&team, &wanted.open],
        )?;
        Ok(Ok(()))
    })?;
    Ok(Ready {
        team: team.to_owned(),
        was: migrated.was,
        is: VERSION,
        vectors: migrated.vectors,
        server: migrated.server,
    })
}

/// A role for one person, with a password made here: the server gets only what it needs to check it. Inviting again
/// gives a new password.
pub fn invite(options: &Options, team: &str, user: &str) -> Result<Invitation, SharedError> {
    let (team, user) = (name("team", team)?, name("user", user)?);
    let role = format!("throughline_{team}_{user}");
    let password = password()?;
    let verifier = scram_sha_256(password.as_bytes());
    let mut client = connect::open(options)?;
    let known = as_owner(&mut client, |work| {
        let Some(row) = work.query_opt("SELECT id FROM throughline.teams WHERE name = $1", &[&team])? else {
            return Ok(Err(no_team(team)));
        };
        let id: i32 = row.get(0);
        // Also one who was removed, and whose role could not be dropped.
        let known = work.query_opt(
            "SELECT FROM throughline.members WHERE role = $1::text::name OR team = $2 AND name = $3",
            &[&role, &id, &user],
        )?;
        Ok(Ok((id, known.is_some())))
    })?;
    let (id, known) = known;
    let mut work = client.transaction().map_err(|error| sort(&error))?;
    let mut make = || {
        let there = work.query_opt("SELECT FROM pg_roles WHERE rolname = $1", &[&role])?.is_some();
        if there && !known {
            // Somebody else's: its password is not ours to change.
            return Ok(Err(refused(
                &format!("the role {role} exists already and is no member"),
                "choose another name, or drop that role if it is nobody's",
            )));
        }
        let verb = if there { "ALTER" } else { "CREATE" };
        // A name of letters, digits and `_`, and a verifier of base64: nothing in them ends a quotation.
        work.batch_execute(&format!(
            "{verb} ROLE {role} LOGIN INHERIT NOCREATEDB NOCREATEROLE PASSWORD '{verifier}'; GRANT {MEMBER} TO {role}"
        ))?;
        work.batch_execute(&format!("SET LOCAL ROLE {OWNER}"))?;
        work.execute(
            "INSERT INTO throughline.members (team, name, role) VALUES ($1, $2, $3::text::name)
             ON CONFLICT (team, name) DO UPDATE SET role = EXCLUDED.role",
            &[&id, &user, &role],
        )?;
        Ok::<_, postgres::Error>(Ok(()))
    };
    make().map_err(|error| sort(&error))??;
    work.commit().map_err(|error| sort(&error))?;
    Ok(Invitation { user: user.to_owned(), url: url_for(&options.url, &role), role, password })
}

/// Takes a person's role away, and ends what they were at. What they have told stays, under their name.
pub fn remove(options: &Options, team: &str, user: &str) -> Result<(), SharedError> {
    let (team, user) = (name("team", team)?, name("user", user)?);
    let role = format!("throughline_{team}_{user}");
    let mut client = connect::open(options)?;
    as_owner(&mut client, |work| {
        // Whoever has no role is no member, also with a connection that is still open.
        let gone = work.query_opt(
            "UPDATE throughline.members SET role = ('removed_' || id)::name WHERE role = $1::text::name
             RETURNING id, team",
            &[&role],
        )?;
        let Some(gone) = gone else { return Ok(Err(no_member(user, team))) };
        let (member, number): (i32, i32) = (gone.get(0), gone.get(1));
        end_work(work, member)?;
        work.execute("DELETE FROM throughline.seats WHERE member = $1", &[&member])?;
        // Whoever listens takes it in at once; nobody's own number is 0.
        work.execute("SELECT pg_notify('throughline_' || $1, '0')", &[&number.to_string()])?;
        Ok(Ok(()))
    })?;
    // A role that has made something of its own elsewhere cannot be dropped; it can be shut.
    if client.batch_execute(&format!("DROP ROLE IF EXISTS {role}")).is_err() {
        client
            .batch_execute(&format!("ALTER ROLE {role} NOLOGIN; REVOKE {MEMBER} FROM {role}"))
            .map_err(|error| sort(&error))?;
    }
    Ok(())
}

/// Sessions end, files are given back, and words that nobody heard yet are nobody's any more.
fn end_work(work: &mut Transaction<'_>, member: i32) -> Result<(), postgres::Error> {
    const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    let theirs = "author IN (SELECT id FROM throughline.authors WHERE member = $1)";
    let ended = format!("jsonb_set(body::jsonb, '{{ended_at}}', to_jsonb({NOW}))::text");
    work.execute(
        &format!(
            "UPDATE throughline.sessions SET ended_at = {NOW}, body = {ended} WHERE ended_at IS NULL AND {theirs}"
        ),
        &[&member],
    )?;
    work.execute(
        &format!("UPDATE throughline.claims SET released = true WHERE NOT released AND {theirs}"),
        &[&member],
    )?;
    work.execute(
        "DELETE FROM throughline.messages WHERE delivered_at IS NULL
            AND sender IN (SELECT id FROM throughline.authors WHERE member = $1)",
        &[&member],
    )?;
    Ok(())
}

/// Who sees a project: everybody (`None`), or these members and nobody else.
pub fn share(
    options: &Options,
    team: &str,
    project: &SharedProject,
    with: Option<&[String]>,
) -> Result<(), SharedError> {
    let called = name("team", team)?;
    let mut client = connect::open(options)?;
    as_owner(&mut client, |work| {
        let row = work.query_opt(
            "INSERT INTO throughline.projects (team, key, open)
             SELECT id, $2, $3 FROM throughline.teams WHERE name = $1
             ON CONFLICT (team, key) DO UPDATE SET open = EXCLUDED.open RETURNING id, team",
            &[&called, &project.0, &with.is_none()],
        )?;
        let Some(row) = row else { return Ok(Err(no_team(called))) };
        let (id, team): (i64, i32) = (row.get(0), row.get(1));
        work.execute("DELETE FROM throughline.seats WHERE project = $1", &[&id])?;
        for user in with.unwrap_or_default() {
            let seated = work.execute(
                "INSERT INTO throughline.seats (project, member)
                 SELECT $1, id FROM throughline.members WHERE team = $2 AND name = $3",
                &[&id, &team, user],
            )?;
            if seated == 0 {
                return Ok(Err(no_member(user, called)));
            }
        }
        Ok(Ok(()))
    })
}

/// As the member of this connection sees it.
pub fn status(team: &mut Team) -> Result<Status, SharedError> {
    let (_, server) = schema::server(&mut team.client)?;
    team.status(server).map_err(|error| sort(&error))
}

impl Team {
    fn status(&mut self, server: String) -> Result<Status, postgres::Error> {
        let client = &mut self.client;
        let vectors = client
            .query_opt("SELECT extversion FROM pg_extension WHERE extname = 'vector'", &[])?
            .map(|row| row.get(0));
        let version: i32 = client.query_one("SELECT version FROM throughline.house", &[])?.get(0);
        let members = client.query(
            // Whoever was removed has no role to log in with; the name stays on what they have told.
            "SELECT m.name, count(a.id) FROM throughline.members m LEFT JOIN throughline.authors a ON a.member = m.id
             WHERE EXISTS (SELECT FROM pg_catalog.pg_roles r
                WHERE r.rolname = 'throughline_' || $1 || '_' || m.name AND r.rolcanlogin)
             GROUP BY m.name ORDER BY m.name",
            &[&self.me.team],
        )?;
        let told: Option<i64> = client
            .query_one("SELECT (extract(epoch FROM max(at)) * 1000)::bigint FROM throughline.outboxes", &[])?
            .get(0);
        let projects = client.query(
            "SELECT p.key, p.open, (SELECT count(*) FROM throughline.memories m WHERE m.project = p.id)
             FROM throughline.projects p ORDER BY p.key",
            &[],
        )?;
        Ok(Status {
            server,
            version: version as u32,
            vectors,
            team: self.me.team.clone(),
            user: self.me.user.clone(),
            members: members.iter().map(|row| (row.get(0), unsigned(row.get(1)))).collect(),
            told_at: told.map(unsigned),
            projects: projects
                .iter()
                .map(|row| ProjectStatus {
                    project: SharedProject(row.get(0)),
                    open: row.get(1),
                    memories: unsigned(row.get(2)),
                })
                .collect(),
        })
    }
}

/// One transaction with the rights of whoever owns the tables. What is refused inside leaves nothing behind.
fn as_owner<T>(
    client: &mut Client,
    act: impl FnOnce(&mut Transaction<'_>) -> Result<Result<T, SharedError>, postgres::Error>,
) -> Result<T, SharedError> {
    let mut work = client.transaction().map_err(|error| sort(&error))?;
    work.batch_execute(&format!("SET LOCAL ROLE {OWNER}")).map_err(|error| unready(&error))?;
    let done = act(&mut work).map_err(|error| unready(&error))??;
    work.commit().map_err(|error| sort(&error))?;
    Ok(done)
}

/// What it means that there is no owner, or no table of theirs.
fn unready(error: &postgres::Error) -> SharedError {
    // Roles are the server's, tables this database's: one may be there without the other.
    let missing = [SqlState::INVALID_PARAMETER_VALUE, SqlState::UNDEFINED_OBJECT, SqlState::UNDEFINED_TABLE];
    match error.code() {
        Some(code) if missing.contains(code) || *code == SqlState::INVALID_SCHEMA_NAME => {
            refused("there is no team in this database yet", "run `throughline team init` first")
        }
        Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => refused(
            "this role may not act for the team's owner",
            "use the URL that `throughline team init` was run with",
        ),
        _ => sort(error),
    }
}

fn no_team(team: &str) -> SharedError {
    refused(&format!("there is no team {team}"), "`throughline team init URL --team NAME` makes one")
}

fn no_member(user: &str, team: &str) -> SharedError {
    refused(&format!("{user} is no member of {team}"), "`throughline team status` lists the members")
}

/// Parts of a role's name: nothing in them needs quotation.
fn name<'a>(what: &str, text: &'a str) -> Result<&'a str, SharedError> {
    // Only one of the two may hold the sign between them, or two pairs would make one role.
    let fits =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || (byte == b'_' && what == "user");
    if text.is_empty() || text.len() > MAX_NAME || !text.bytes().all(fits) {
        let says = format!(
            "a {what}'s name is 1 to {MAX_NAME} small letters and digits, not \"{}\"",
            text.escape_default()
        );
        return Err(refused(&says, "choose another: it becomes a part of a role's name"));
    }
    Ok(text)
}

fn password() -> Result<String, SharedError> {
    const LETTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    let mut bytes = [0; PASSWORD_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| SharedError::Unreachable(error.to_string()))?;
    Ok(bytes.iter().map(|byte| LETTERS[usize::from(byte & 63)] as char).collect())
}

/// The administrator's URL with another user, and without a password.
fn url_for(url: &str, role: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
    // A password may hold anything but a slash: what ends the authority is the last `@` before the first slash.
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let host = rest[..end].rfind('@').map_or(rest, |at| &rest[at + 1..]);
    format!("{scheme}://{role}@{host}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_names_the_role_and_not_the_administrators_password() {
        let url = "postgres://root:s3cr@t@db.example.com:5432/team?sslmode=verify-full";
        assert_eq!(
            url_for(url, "throughline_core_ann"),
            "postgres://throughline_core_ann@db.example.com:5432/team?sslmode=verify-full"
        );
        assert_eq!(url_for("postgres://db/team", "r"), "postgres://r@db/team");
    }

    #[test]
    fn a_name_that_would_need_quotation_is_none() {
        for bad in ["", "a b", "a\"; DROP ROLE x", "Ann", "a-b", "ünal", "aaaaaaaaaaaaaaaaaaaaa"] {
            assert!(name("user", bad).is_err(), "{bad}");
        }
        assert_eq!(name("user", "ann_2").unwrap(), "ann_2");
    }
}
