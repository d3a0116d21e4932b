-- The derived tables of the spine. Everything here can be dropped and rebuilt from the journal,
-- so the tables point at each other by value and not by constraint: rows arrive in journal order,
-- and retention may have taken what they point at.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE workspaces (
    key           TEXT PRIMARY KEY NOT NULL,
    root          TEXT NOT NULL,
    project       TEXT,
    first_seen_at INTEGER NOT NULL,
    last_seen_at  INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE sessions (
    id           TEXT PRIMARY KEY NOT NULL,
    agent        TEXT NOT NULL,
    workspace    TEXT,
    project      TEXT,
    branch       TEXT,
    cwd          TEXT,
    source       TEXT,
    model        TEXT,
    started_at   INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    ended_at     INTEGER,
    end_reason   TEXT,
    prompts      INTEGER NOT NULL DEFAULT 0,
    events       INTEGER NOT NULL DEFAULT 0,
    tools        INTEGER NOT NULL DEFAULT 0,
    attended     INTEGER,
    pid          INTEGER,
    transcript   TEXT
) WITHOUT ROWID;

CREATE INDEX sessions_by_last_seen ON sessions (last_seen_at);
CREATE INDEX sessions_by_workspace ON sessions (workspace, last_seen_at);

CREATE TABLE prompts (
    id      BLOB PRIMARY KEY NOT NULL,
    session TEXT NOT NULL,
    number  INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    text    TEXT NOT NULL,
    UNIQUE (session, number)
);

-- The envelope stays in the journal: (segment, offset) says where.
CREATE TABLE events (
    seq      INTEGER PRIMARY KEY NOT NULL,
    id       BLOB NOT NULL UNIQUE,
    at       INTEGER NOT NULL,
    agent    TEXT NOT NULL,
    session  TEXT NOT NULL,
    kind     TEXT NOT NULL,
    tool     TEXT,
    subagent TEXT,
    bytes    INTEGER NOT NULL,
    segment  INTEGER NOT NULL,
    "offset" INTEGER NOT NULL
);

CREATE INDEX events_by_session ON events (session, seq);

CREATE TABLE memories (
    id        BLOB PRIMARY KEY NOT NULL,
    at        INTEGER NOT NULL,
    kind      TEXT NOT NULL,
    urgency   TEXT NOT NULL,
    title     TEXT NOT NULL,
    text      TEXT NOT NULL,
    keywords  TEXT NOT NULL,
    session   TEXT,
    workspace TEXT
);

CREATE INDEX memories_by_workspace ON memories (workspace, at);

-- How often each kind of secret was masked on a day (days since 1970). Counts alone.
CREATE TABLE redactions (
    day   INTEGER NOT NULL,
    kind  TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (day, kind)
) WITHOUT ROWID;
