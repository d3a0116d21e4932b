-- What got past a failure, so that the next one of its kind is answered beside the error.

-- `id` is the event that failed; `fix` the JSON of what failed and what then worked.
CREATE TABLE fixes (
    id       INTEGER PRIMARY KEY NOT NULL,
    session  TEXT NOT NULL,
    -- The project's key, or its name where it has none.
    home     TEXT NOT NULL,
    at       INTEGER NOT NULL,
    -- The events that show it: what failed, what passed.
    failed   BLOB NOT NULL,
    resolved BLOB NOT NULL,
    fix      TEXT NOT NULL
);

CREATE INDEX fixes_by_session ON fixes (session);
CREATE INDEX fixes_by_home ON fixes (home, at);

-- By what a failure is known again: a line of its output, or a rule that was broken.
CREATE TABLE fix_keys (
    key INTEGER NOT NULL,
    fix INTEGER NOT NULL,
    PRIMARY KEY (key, fix)
) WITHOUT ROWID;

CREATE INDEX fix_keys_by_fix ON fix_keys (fix);

-- Files that were read or written, by the last part of their path: where the one is that was meant by a wrong path.
CREATE TABLE seen_files (
    home    TEXT NOT NULL,
    -- In lower case.
    name    TEXT NOT NULL,
    -- From the workspace's root.
    path    TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (home, name, path)
) WITHOUT ROWID;
