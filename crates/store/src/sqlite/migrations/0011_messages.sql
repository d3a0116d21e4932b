-- Words from one session, or from a person, to another session: said with its next event, once.
CREATE TABLE messages (
    id           TEXT PRIMARY KEY NOT NULL,
    recipient    TEXT NOT NULL,
    -- A session's id, or a person's name.
    sender       TEXT NOT NULL,
    at           INTEGER NOT NULL,
    text         TEXT NOT NULL,
    -- When it was said; until then it waits.
    delivered_at INTEGER
) WITHOUT ROWID, STRICT;

CREATE INDEX messages_waiting ON messages (recipient, at) WHERE delivered_at IS NULL;
CREATE INDEX messages_by_at ON messages (at);

-- A process is known by its id and its beginning: ids are used again.
ALTER TABLE sessions ADD COLUMN pid_began TEXT;
-- The same for all worktrees of one repository.
ALTER TABLE sessions ADD COLUMN project_key TEXT;
CREATE INDEX sessions_by_project_key ON sessions (project_key, last_seen_at);

-- Where in the file, as a list of first and last lines; how often it was edited (0: only wanted so far); and the file's
-- name in its repository, which its other worktrees share.
ALTER TABLE claims ADD COLUMN lines TEXT;
ALTER TABLE claims ADD COLUMN edits INTEGER NOT NULL DEFAULT 0;
ALTER TABLE claims ADD COLUMN work_tree TEXT;
ALTER TABLE claims ADD COLUMN project_key TEXT;
ALTER TABLE claims ADD COLUMN relative TEXT;
CREATE INDEX claims_of_project ON claims (project_key, relative);

-- When a session last had the content of a file before it, and what others did to it since. Kept as long as claims.
CREATE TABLE file_looks (
    path    TEXT NOT NULL,
    session TEXT NOT NULL,
    seq     INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (path, session)
) WITHOUT ROWID, STRICT;
CREATE INDEX file_looks_by_at ON file_looks (at);

CREATE TABLE file_changes (
    path    TEXT NOT NULL,
    seq     INTEGER NOT NULL,
    session TEXT NOT NULL,
    at      INTEGER NOT NULL,
    -- NULL: a command changed it, and nobody counted.
    added   INTEGER,
    removed INTEGER,
    PRIMARY KEY (path, seq)
) WITHOUT ROWID, STRICT;
CREATE INDEX file_changes_by_at ON file_changes (at);
