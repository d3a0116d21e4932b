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

CREATE INDEX verdicts_by_session ON verdicts (session, at);

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

CREATE INDEX injections_by_at ON injections (at);
CREATE INDEX prompts_by_at ON prompts (at);
CREATE INDEX summaries_by_at ON summaries (at);
