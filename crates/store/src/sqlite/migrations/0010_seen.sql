-- What people look at beside the work itself: what guards said, and what hooks cost.

-- A guard spoke. `seq` is the journal's entry that says it.
CREATE TABLE verdicts (
    seq      INTEGER PRIMARY KEY NOT NULL,
    session  TEXT NOT NULL,
    subagent TEXT,
    at       INTEGER NOT NULL,
    event    TEXT NOT NULL,
    tool     TEXT,
    behavior TEXT NOT NULL,
    -- 'deny', 'ask', 'allow' or 'hold'.
    verdict  TEXT NOT NULL,
    reason   TEXT NOT NULL
);

CREATE INDEX verdicts_by_session ON verdicts (session, seq);

-- How long a behavior or a hook took, by hours since 1970. Nothing else remembers it.
CREATE TABLE latencies (
    hour         INTEGER NOT NULL,
    name         TEXT NOT NULL,
    count        INTEGER NOT NULL,
    micros_total INTEGER NOT NULL,
    -- A JSON array: how many took less than 2^n microseconds, and not less than half of that.
    buckets      TEXT NOT NULL,
    PRIMARY KEY (hour, name)
) WITHOUT ROWID;

-- What a model was paid for distilling, by the journal's entry that says it.
CREATE TABLE distillations (
    seq    INTEGER PRIMARY KEY NOT NULL,
    at     INTEGER NOT NULL,
    tokens INTEGER NOT NULL
);

-- Charts count by time, from indexes alone.
CREATE INDEX events_by_at ON events (at);
CREATE INDEX injections_by_at ON injections (at, tokens);
CREATE INDEX injected_by_at ON injected (at, memory);
CREATE INDEX memories_by_time ON memories (at, kind);
CREATE INDEX memories_by_cost ON memories (id, raw_tokens);
CREATE INDEX prompts_by_at ON prompts (at);
CREATE INDEX summaries_by_at ON summaries (at);

-- Lists of sessions, and one session in the order of the journal.
CREATE INDEX sessions_by_project ON sessions (project, last_seen_at);
CREATE INDEX sessions_by_agent ON sessions (agent, last_seen_at);
CREATE INDEX injections_in_session ON injections (session, seq, number, tokens);
CREATE INDEX memories_in_session ON memories (session, seq);
CREATE INDEX memories_of_workspace ON memories (workspace, at, session);

-- Lists of memories: the newest of whatever is asked for, without a look at the rest. A home is the project's key, else
-- its name.
CREATE INDEX memories_at_home ON memories (COALESCE(project_key, project), at);
CREATE INDEX memories_by_name ON memories (project, project_key);
CREATE INDEX memories_by_kind ON memories (kind, at);
CREATE INDEX memories_by_branch ON memories (branch, at) WHERE branch IS NOT NULL;
CREATE INDEX memories_by_writer ON memories (written_by, at);
CREATE INDEX memories_pinned ON memories (at) WHERE pinned = 1;
CREATE INDEX memories_critical ON memories (at) WHERE critical = 1;
CREATE INDEX memories_used ON memories (hits + prevented) WHERE hits + prevented > 0;

-- The name of a file, without the folders before it: whoever asks says the end of a path.
CREATE INDEX memory_files_by_name ON memory_files (substr(path, length(rtrim(path, replace(path, '/', ''))) + 1));

CREATE TABLE memory_tools (
    tool TEXT NOT NULL,
    n    INTEGER NOT NULL,
    PRIMARY KEY (tool, n)
) WITHOUT ROWID;

CREATE TRIGGER memories_have_tools AFTER INSERT ON memories WHEN new.tools IS NOT NULL BEGIN
    INSERT OR IGNORE INTO memory_tools (tool, n) SELECT value, new.n FROM json_each(new.tools);
END;

CREATE TRIGGER memories_have_other_tools AFTER UPDATE OF tools ON memories BEGIN
    DELETE FROM memory_tools WHERE n = old.n AND tool IN (SELECT value FROM json_each(old.tools));
    INSERT OR IGNORE INTO memory_tools (tool, n) SELECT value, new.n FROM json_each(new.tools);
END;

CREATE TRIGGER memories_leave_their_tools AFTER DELETE ON memories WHEN old.tools IS NOT NULL BEGIN
    DELETE FROM memory_tools WHERE n = old.n AND tool IN (SELECT value FROM json_each(old.tools));
END;

INSERT OR IGNORE INTO memory_tools (tool, n) SELECT value, n FROM memories, json_each(memories.tools);

-- What became of one memory, and what was left last.
CREATE INDEX injected_by_memory ON injected (memory, at);
CREATE INDEX citations_by_memory ON citations (memory);
CREATE INDEX hand_offs_by_at ON hand_offs (at);
CREATE INDEX checkpoints_by_at ON checkpoints (at);

-- How many memories there are and what they stand for, without counting them: kept as they come and go. '' is no
-- project.
CREATE TABLE tallies (
    project    TEXT NOT NULL,
    kind       TEXT NOT NULL,
    memories   INTEGER NOT NULL,
    tokens     INTEGER NOT NULL,
    raw_tokens INTEGER NOT NULL,
    PRIMARY KEY (project, kind)
) WITHOUT ROWID;

INSERT INTO tallies (project, kind, memories, tokens, raw_tokens)
SELECT COALESCE(project, ''), kind, COUNT(*), SUM(tokens), SUM(raw_tokens) FROM memories GROUP BY 1, 2;

CREATE TRIGGER memories_are_counted AFTER INSERT ON memories BEGIN
    INSERT INTO tallies (project, kind, memories, tokens, raw_tokens)
    VALUES (COALESCE(new.project, ''), new.kind, 1, new.tokens, new.raw_tokens)
    ON CONFLICT DO UPDATE SET memories = memories + 1, tokens = tokens + new.tokens,
        raw_tokens = raw_tokens + new.raw_tokens;
END;

CREATE TRIGGER memories_are_counted_no_more AFTER DELETE ON memories BEGIN
    UPDATE tallies SET memories = memories - 1, tokens = tokens - old.tokens, raw_tokens = raw_tokens - old.raw_tokens
    WHERE project = COALESCE(old.project, '') AND kind = old.kind;
END;

CREATE TRIGGER memories_are_counted_elsewhere AFTER UPDATE OF project, kind, tokens, raw_tokens ON memories BEGIN
    UPDATE tallies SET memories = memories - 1, tokens = tokens - old.tokens, raw_tokens = raw_tokens - old.raw_tokens
    WHERE project = COALESCE(old.project, '') AND kind = old.kind;
    INSERT INTO tallies (project, kind, memories, tokens, raw_tokens)
    VALUES (COALESCE(new.project, ''), new.kind, 1, new.tokens, new.raw_tokens)
    ON CONFLICT DO UPDATE SET memories = memories + 1, tokens = tokens + new.tokens,
        raw_tokens = raw_tokens + new.raw_tokens;
END;
