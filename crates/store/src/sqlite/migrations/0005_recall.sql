-- What was put in front of agents, and what is left for the next one.

-- One note of one answer. `seq` is the journal's entry that says it.
CREATE TABLE injections (
    seq     INTEGER NOT NULL,
    number  INTEGER NOT NULL,
    session TEXT NOT NULL,
    subagent TEXT,
    at      INTEGER NOT NULL,
    event   TEXT NOT NULL,
    behavior TEXT NOT NULL,
    text    TEXT NOT NULL,
    tokens  INTEGER NOT NULL,
    -- A JSON array of its parts.
    items   TEXT,
    PRIMARY KEY (seq, number)
) WITHOUT ROWID;

CREATE INDEX injections_by_session ON injections (session, at);

-- The memories an agent has in front of it. `gone` when its context was compacted since.
CREATE TABLE injected (
    session  TEXT NOT NULL,
    subagent TEXT NOT NULL DEFAULT '',
    memory   INTEGER NOT NULL,
    seq      INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    gone     INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (session, subagent, memory)
) WITHOUT ROWID;

-- Memories an agent named in its own words after it was shown them.
CREATE TABLE citations (
    session   TEXT NOT NULL,
    memory    INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    prevented INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (session, memory)
) WITHOUT ROWID;

-- What is said once and never again.
CREATE TABLE marks (
    name TEXT PRIMARY KEY NOT NULL,
    at   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE hand_offs (
    session     TEXT PRIMARY KEY NOT NULL,
    at          INTEGER NOT NULL,
    workspace   TEXT,
    project     TEXT,
    project_key TEXT,
    branch      TEXT,
    hand_off    TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX hand_offs_by_workspace ON hand_offs (workspace, at);

CREATE TABLE outcomes (
    session TEXT PRIMARY KEY NOT NULL,
    outcome TEXT NOT NULL,
    -- 'person', or who inferred it.
    said_by TEXT NOT NULL,
    why     TEXT NOT NULL,
    at      INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE checkpoints (
    id         TEXT PRIMARY KEY NOT NULL,
    at         INTEGER NOT NULL,
    session    TEXT,
    root       TEXT NOT NULL,
    checkpoint TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX checkpoints_by_root ON checkpoints (root, at);
