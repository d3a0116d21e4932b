-- Patterns of agents: who has which part in what, and what came of it.

CREATE TABLE patterns (
    -- The session, the kind and the name; a later one of the same name has a number behind it.
    id       TEXT PRIMARY KEY NOT NULL,
    session  TEXT NOT NULL,
    kind     TEXT NOT NULL,
    name     TEXT NOT NULL,
    at       INTEGER NOT NULL,
    ended_at INTEGER,
    -- JSON; what it means is decided elsewhere.
    state    TEXT NOT NULL
) WITHOUT ROWID, STRICT;

CREATE INDEX patterns_of_session ON patterns (session, at);
CREATE INDEX patterns_by_at ON patterns (at);

-- A call of the tool that starts agents. Which agent it started is guessed at first, and certain when the call answers.
CREATE TABLE agent_calls (
    session     TEXT NOT NULL,
    call        TEXT NOT NULL,
    at          INTEGER NOT NULL,
    -- The agent that called; none is the main one.
    caller      TEXT,
    agent_kind  TEXT NOT NULL,
    about       TEXT,
    pattern     TEXT,
    agent       TEXT,
    certain     INTEGER NOT NULL DEFAULT 0,
    -- Nothing is expected of it any more.
    over        INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (session, call)
) WITHOUT ROWID, STRICT;

CREATE INDEX agent_calls_by_agent ON agent_calls (session, agent) WHERE agent IS NOT NULL;

CREATE TABLE subagents (
    session    TEXT NOT NULL,
    id         TEXT NOT NULL,
    kind       TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    -- 'out', 'done' or 'failed'.
    state      TEXT NOT NULL,
    -- Of its answer as much as is handed over, or why there is none.
    result     TEXT,
    -- It will not be asked once more.
    final      INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (session, id)
) WITHOUT ROWID, STRICT;

CREATE INDEX subagents_by_start ON subagents (started_at);
