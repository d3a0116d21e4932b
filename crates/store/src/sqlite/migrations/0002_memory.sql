-- What is kept to be found again. The old table held incidents alone; they are derived anew with the
-- rest, because the cursor goes back to the beginning of the journal.

DROP TABLE memories;

-- `n` is dense and grows, which full text and vectors want; `id` is what people and agents say.
CREATE TABLE memories (
    n               INTEGER PRIMARY KEY AUTOINCREMENT,
    id              INTEGER NOT NULL UNIQUE,
    kind            TEXT NOT NULL,
    at              INTEGER NOT NULL,
    title           TEXT NOT NULL,
    subtitle        TEXT,
    text            TEXT NOT NULL,
    -- Lists are JSON arrays; NULL is the empty one.
    facts           TEXT,
    concepts        TEXT,
    files_read      TEXT,
    files_modified  TEXT,
    tools           TEXT,
    session         TEXT,
    workspace       TEXT,
    project         TEXT,
    project_key     TEXT,
    branch          TEXT,
    external_id     TEXT,
    urgency         INTEGER NOT NULL DEFAULT 0,
    critical        INTEGER NOT NULL DEFAULT 0,
    pinned          INTEGER NOT NULL DEFAULT 0,
    written_by      TEXT NOT NULL,
    evidence        TEXT,
    place           TEXT,
    raw_tokens      INTEGER NOT NULL DEFAULT 0,
    -- What reading it costs a model.
    tokens          INTEGER NOT NULL DEFAULT 0,
    -- The journal's entry it was derived from: what retention has dropped there is kept through a rebuild.
    seq             INTEGER NOT NULL DEFAULT 0,
    -- Equal for texts that say the same in the same words.
    fingerprint     INTEGER NOT NULL DEFAULT 0,
    repeats         INTEGER NOT NULL DEFAULT 0,
    hits            INTEGER NOT NULL DEFAULT 0,
    prevented       INTEGER NOT NULL DEFAULT 0,
    last_applied_at INTEGER,
    superseded_by   INTEGER
);

CREATE INDEX memories_by_at ON memories (at);
CREATE INDEX memories_by_session ON memories (session, at);
CREATE INDEX memories_by_project ON memories (project, at);
CREATE INDEX memories_by_project_key ON memories (project_key, at);
CREATE INDEX memories_by_fingerprint ON memories (fingerprint);
CREATE INDEX memories_by_external_id ON memories (external_id) WHERE external_id IS NOT NULL;

CREATE TABLE memory_files (
    path     TEXT NOT NULL,
    n        INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    PRIMARY KEY (path, n)
) WITHOUT ROWID;

CREATE INDEX memory_files_by_n ON memory_files (n);

-- When a session's own hooks were first heard; what is older came from its transcript.
ALTER TABLE sessions ADD COLUMN heard_at INTEGER;

-- A project is known by where its repository lies; clones are joined by the first commit they share.
CREATE TABLE projects (
    key          TEXT PRIMARY KEY NOT NULL,
    name         TEXT NOT NULL,
    first_commit TEXT
) WITHOUT ROWID;

CREATE INDEX projects_by_first_commit ON projects (first_commit);

-- A turn in five answers, beside the memory that holds them as text.
CREATE TABLE summaries (
    id           INTEGER PRIMARY KEY NOT NULL,
    session      TEXT NOT NULL,
    at           INTEGER NOT NULL,
    request      TEXT NOT NULL,
    investigated TEXT,
    learned      TEXT,
    completed    TEXT,
    next_steps   TEXT
);

CREATE INDEX summaries_by_session ON summaries (session, at);

-- Ids a person wanted gone: deriving them again must not bring them back.
CREATE TABLE forgotten (
    id INTEGER PRIMARY KEY NOT NULL
) WITHOUT ROWID;

-- What is left of the events of a turn until it is distilled.
CREATE TABLE steps (
    seq      INTEGER PRIMARY KEY NOT NULL,
    session  TEXT NOT NULL,
    subagent TEXT,
    at       INTEGER NOT NULL,
    step     TEXT NOT NULL
);

CREATE INDEX steps_by_session ON steps (session, seq);

-- Carried from one turn of a session to the next.
CREATE TABLE session_states (
    session TEXT NOT NULL,
    name    TEXT NOT NULL,
    state   TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (session, name)
) WITHOUT ROWID;

-- Turns as the journal has them, for a distiller that comes later than the first.
CREATE TABLE turns (
    last_seq  INTEGER PRIMARY KEY NOT NULL,
    first_seq INTEGER NOT NULL,
    session   TEXT NOT NULL,
    at        INTEGER NOT NULL,
    prompt    TEXT,
    calls     INTEGER NOT NULL,
    -- `waiting`, `done` or why it was given up.
    model     TEXT NOT NULL DEFAULT 'waiting',
    attempts  INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX turns_waiting ON turns (model, last_seq);

DELETE FROM meta WHERE key = 'cursor';
