-- What a team shares: what waits to be told, and what others have told.

-- Which projects of this machine are told to others, by their first commit: a copy of what the person has set, here so
-- that whoever writes a row need not know of teams. Empty: nothing below costs anything.
CREATE TABLE shared_projects (
    first_commit TEXT PRIMARY KEY NOT NULL
) WITHOUT ROWID;

-- A session knows its workspace; which project that is was known to memories alone.
ALTER TABLE workspaces ADD COLUMN project_key TEXT;

UPDATE workspaces SET project_key = (
    SELECT project_key FROM memories
    WHERE memories.workspace = workspaces.key AND project_key IS NOT NULL ORDER BY at DESC LIMIT 1);

-- Whose a memory is, and from which machine; NULL is this one's own.
ALTER TABLE memories ADD COLUMN author TEXT;
ALTER TABLE memories ADD COLUMN machine TEXT;
-- When its author last made it different; of others' alone.
ALTER TABLE memories ADD COLUMN changed_at INTEGER;

-- Whose words these are where they came from another machine, and as what its project is shared.
ALTER TABLE messages ADD COLUMN author TEXT;
ALTER TABLE messages ADD COLUMN project TEXT;

CREATE INDEX memories_by_author ON memories (author) WHERE author IS NOT NULL;

-- What has changed and is not told yet: names of rows, not their content. What changes again before it is told moves to
-- the end and is told once. What a name means is looked up when it is told: whatever is gone by then was given back.
CREATE TABLE outbox (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    -- 'memory', 'session', 'claim', 'message' or 'pattern'.
    kind     TEXT NOT NULL,
    key      TEXT NOT NULL,
    -- Its first commit: what is forgotten has no row that says it.
    project  TEXT NOT NULL,
    -- When it changed last: of two tellings of one thing the later counts.
    at       INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER)),
    UNIQUE (kind, key)
);

-- What the team's database does not take, whatever happens: the rest does not wait behind it.
CREATE TABLE outbox_aside (
    kind     TEXT NOT NULL,
    key      TEXT NOT NULL,
    project  TEXT NOT NULL,
    -- When it changed last, and when it was refused.
    at       INTEGER NOT NULL,
    aside_at INTEGER NOT NULL,
    -- What the database said.
    why      TEXT NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID, STRICT;

-- An outbox that was made anew is another one, and tells everything again.
INSERT INTO meta (key, value) VALUES ('outbox', lower(hex(randomblob(16))))
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

CREATE VIEW shared_keys AS
    SELECT projects.key AS key, projects.first_commit AS shared_as
    FROM projects JOIN shared_projects ON shared_projects.first_commit = projects.first_commit;

CREATE VIEW shared_sessions AS
    SELECT sessions.id AS id, workspaces.root AS root, shared_keys.shared_as AS shared_as
    FROM sessions JOIN workspaces ON workspaces.key = sessions.workspace
        JOIN shared_keys ON shared_keys.key = workspaces.project_key;

-- A statement's own way with conflicts would overrule a trigger's: nothing below relies on one where it matters.

CREATE TRIGGER memories_are_told AFTER INSERT ON memories
WHEN new.author IS NULL AND new.kind NOT IN ('prompt', 'chunk', 'incident', 'document')
    AND new.project_key IN (SELECT key FROM shared_keys) BEGIN
    DELETE FROM outbox WHERE kind = 'memory' AND key = CAST(new.id AS TEXT);
    INSERT INTO outbox (kind, key, project)
    SELECT 'memory', CAST(new.id AS TEXT), shared_as FROM shared_keys WHERE key = new.project_key;
END;

CREATE TRIGGER memories_are_told_again
AFTER UPDATE OF kind, at, title, subtitle, text, facts, concepts, files_read, files_modified, tools, project_key,
    urgency, critical, pinned, hits, prevented, last_applied_at, superseded_by ON memories
WHEN new.author IS NULL AND new.kind NOT IN ('prompt', 'chunk', 'incident', 'document')
    AND new.project_key IN (SELECT key FROM shared_keys) BEGIN
    DELETE FROM outbox WHERE kind = 'memory' AND key = CAST(new.id AS TEXT);
    INSERT INTO outbox (kind, key, project)
    SELECT 'memory', CAST(new.id AS TEXT), shared_as FROM shared_keys WHERE key = new.project_key;
END;

-- Vectors come later than the words. Told with them, and again only where the words were told already.
CREATE TRIGGER vectors_are_told AFTER INSERT ON vectors
WHEN new.part = 0 AND EXISTS (SELECT 1 FROM shared_projects) BEGIN
    INSERT INTO outbox (kind, key, project)
    SELECT 'memory', CAST(memories.id AS TEXT), shared_as FROM memories
        JOIN shared_keys ON shared_keys.key = memories.project_key
    WHERE memories.n = new.n AND memories.author IS NULL
        AND memories.kind NOT IN ('prompt', 'chunk', 'incident', 'document')
        AND NOT EXISTS (SELECT 1 FROM outbox WHERE kind = 'memory' AND key = CAST(memories.id AS TEXT));
END;

-- Before its row goes. What is somebody else's is forgotten here and nowhere else.
CREATE TRIGGER forgotten_is_told AFTER INSERT ON forgotten
WHEN EXISTS (SELECT 1 FROM shared_projects) BEGIN
    DELETE FROM outbox WHERE kind = 'memory' AND key = CAST(new.id AS TEXT);
    INSERT INTO outbox (kind, key, project)
    SELECT 'memory', CAST(new.id AS TEXT), shared_as FROM memories
        JOIN shared_keys ON shared_keys.key = memories.project_key
    WHERE (memories.id = new.id OR memories.n = (SELECT n FROM merged WHERE merged.id = new.id))
        AND (author IS NULL OR author = (SELECT value FROM meta WHERE meta.key = 'author'))
    LIMIT 1;
END;

CREATE TRIGGER sessions_are_told AFTER INSERT ON sessions
WHEN EXISTS (SELECT 1 FROM shared_projects) BEGIN
    DELETE FROM outbox WHERE kind = 'session' AND key = new.id;
    INSERT INTO outbox (kind, key, project)
    SELECT 'session', new.id, shared_as FROM shared_sessions WHERE id = new.id;
END;

-- A sign of life is told once a minute; anything else at once.
CREATE TRIGGER sessions_are_told_again AFTER UPDATE OF workspace, branch, ended_at, last_seen_at ON sessions
WHEN EXISTS (SELECT 1 FROM shared_projects)
    AND (new.last_seen_at / 60000 <> old.last_seen_at / 60000
        OR (new.workspace, new.branch, new.ended_at) IS NOT (old.workspace, old.branch, old.ended_at)) BEGIN
    DELETE FROM outbox WHERE kind = 'session' AND key = new.id;
    INSERT INTO outbox (kind, key, project)
    SELECT 'session', new.id, shared_as FROM shared_sessions WHERE id = new.id;
END;

-- A claim's name is its session and its path within the work tree, as a JSON array.
CREATE TRIGGER claims_are_told AFTER INSERT ON claims
WHEN EXISTS (SELECT 1 FROM shared_projects) BEGIN
    DELETE FROM outbox WHERE kind = 'claim' AND key = (
        SELECT json_array(id, substr(new.path, length(root) + 2)) FROM shared_sessions WHERE id = new.session);
    INSERT INTO outbox (kind, key, project)
    SELECT 'claim', json_array(id, substr(new.path, length(root) + 2)), shared_as FROM shared_sessions
    WHERE id = new.session AND substr(new.path, 1, length(root) + 1) = root || '/';
END;

-- A renewal is told once a minute; which lines it is about, at once.
CREATE TRIGGER claims_are_told_again AFTER UPDATE ON claims
WHEN EXISTS (SELECT 1 FROM shared_projects)
    AND (new.last_at / 60000 <> old.last_at / 60000 OR (new.note, new.lines) IS NOT (old.note, old.lines)) BEGIN
    DELETE FROM outbox WHERE kind = 'claim' AND key = (
        SELECT json_array(id, substr(new.path, length(root) + 2)) FROM shared_sessions WHERE id = new.session);
    INSERT INTO outbox (kind, key, project)
    SELECT 'claim', json_array(id, substr(new.path, length(root) + 2)), shared_as FROM shared_sessions
    WHERE id = new.session AND substr(new.path, 1, length(root) + 1) = root || '/';
END;

CREATE TRIGGER claims_are_given_back AFTER DELETE ON claims
WHEN EXISTS (SELECT 1 FROM shared_projects) BEGIN
    DELETE FROM outbox WHERE kind = 'claim' AND key = (
        SELECT json_array(id, substr(old.path, length(root) + 2)) FROM shared_sessions WHERE id = old.session);
    INSERT INTO outbox (kind, key, project)
    SELECT 'claim', json_array(id, substr(old.path, length(root) + 2)), shared_as FROM shared_sessions
    WHERE id = old.session AND substr(old.path, 1, length(root) + 1) = root || '/';
END;

-- Words for a session on another machine. What came from there is told once it was said.
CREATE TRIGGER messages_are_told AFTER INSERT ON messages
WHEN new.author IS NULL AND new.delivered_at IS NULL AND EXISTS (SELECT 1 FROM shared_projects) BEGIN
    INSERT INTO outbox (kind, key, project)
    SELECT 'message', new.id, project FROM team_sessions
    WHERE id = new.recipient AND project IN (SELECT first_commit FROM shared_projects)
        AND NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.id = new.recipient)
        AND NOT EXISTS (SELECT 1 FROM outbox WHERE kind = 'message' AND key = new.id);
END;

CREATE TRIGGER messages_are_delivered AFTER UPDATE OF delivered_at ON messages
WHEN new.author IS NOT NULL AND old.delivered_at IS NULL AND new.delivered_at IS NOT NULL
    AND new.project IN (SELECT first_commit FROM shared_projects) BEGIN
    DELETE FROM outbox WHERE kind = 'message' AND key = new.id;
    INSERT INTO outbox (kind, key, project) VALUES ('message', new.id, new.project);
END;

CREATE TRIGGER patterns_are_told AFTER INSERT ON patterns
WHEN EXISTS (SELECT 1 FROM shared_projects) BEGIN
    DELETE FROM outbox WHERE kind = 'pattern' AND key = new.id;
    INSERT INTO outbox (kind, key, project)
    SELECT 'pattern', new.id, shared_as FROM shared_sessions WHERE id = new.session;
END;

CREATE TRIGGER patterns_are_told_again AFTER UPDATE ON patterns
WHEN EXISTS (SELECT 1 FROM shared_projects) AND (new.state, new.ended_at) IS NOT (old.state, old.ended_at) BEGIN
    DELETE FROM outbox WHERE kind = 'pattern' AND key = new.id;
    INSERT INTO outbox (kind, key, project)
    SELECT 'pattern', new.id, shared_as FROM shared_sessions WHERE id = new.session;
END;

-- A project whose first commit becomes known, or that is shared from now on: all of it waits to be told.
CREATE TRIGGER projects_are_shared AFTER INSERT ON shared_projects BEGIN
    INSERT OR IGNORE INTO outbox (kind, key, project)
    SELECT 'memory', CAST(memories.id AS TEXT), new.first_commit FROM memories
        JOIN projects ON projects.key = memories.project_key
    WHERE projects.first_commit = new.first_commit AND author IS NULL
        AND kind NOT IN ('prompt', 'chunk', 'incident', 'document')
    ORDER BY n;
    INSERT OR IGNORE INTO outbox (kind, key, project)
    SELECT 'session', shared_sessions.id, shared_as FROM shared_sessions JOIN sessions USING (id)
    WHERE shared_as = new.first_commit AND ended_at IS NULL;
    INSERT OR IGNORE INTO outbox (kind, key, project)
    SELECT 'claim', json_array(session, substr(path, length(root) + 2)), shared_as
    FROM claims JOIN shared_sessions ON shared_sessions.id = claims.session
    WHERE shared_as = new.first_commit AND substr(path, 1, length(root) + 1) = root || '/';
    INSERT OR IGNORE INTO outbox (kind, key, project)
    SELECT 'pattern', patterns.id, shared_as FROM patterns JOIN shared_sessions ON shared_sessions.id = patterns.session
    WHERE shared_as = new.first_commit AND ended_at IS NULL;
END;

CREATE TRIGGER projects_are_known_by_now AFTER UPDATE OF first_commit ON projects
WHEN new.first_commit IS NOT old.first_commit
    AND new.first_commit IN (SELECT first_commit FROM shared_projects) BEGIN
    INSERT OR IGNORE INTO outbox (kind, key, project)
    SELECT 'memory', CAST(id AS TEXT), new.first_commit FROM memories
    WHERE project_key = new.key AND author IS NULL AND kind NOT IN ('prompt', 'chunk', 'incident', 'document')
    ORDER BY n;
    INSERT OR IGNORE INTO outbox (kind, key, project)
    SELECT 'session', shared_sessions.id, shared_as FROM shared_sessions JOIN sessions USING (id)
    WHERE shared_as = new.first_commit AND ended_at IS NULL;
    INSERT OR IGNORE INTO outbox (kind, key, project)
    SELECT 'claim', json_array(session, substr(path, length(root) + 2)), shared_as
    FROM claims JOIN shared_sessions ON shared_sessions.id = claims.session
    WHERE shared_as = new.first_commit AND substr(path, 1, length(root) + 1) = root || '/';
    INSERT OR IGNORE INTO outbox (kind, key, project)
    SELECT 'pattern', patterns.id, shared_as FROM patterns JOIN shared_sessions ON shared_sessions.id = patterns.session
    WHERE shared_as = new.first_commit AND ended_at IS NULL;
END;

-- Its row may come after what was kept in it.
CREATE TRIGGER projects_are_known_at_once AFTER INSERT ON projects
WHEN new.first_commit IN (SELECT first_commit FROM shared_projects) BEGIN
    INSERT OR IGNORE INTO outbox (kind, key, project)
    SELECT 'memory', CAST(id AS TEXT), new.first_commit FROM memories
    WHERE project_key = new.key AND author IS NULL AND kind NOT IN ('prompt', 'chunk', 'incident', 'document')
    ORDER BY n;
    INSERT OR IGNORE INTO outbox (kind, key, project)
    SELECT 'session', shared_sessions.id, shared_as FROM shared_sessions JOIN sessions USING (id)
    WHERE shared_as = new.first_commit AND ended_at IS NULL;
    INSERT OR IGNORE INTO outbox (kind, key, project)
    SELECT 'claim', json_array(session, substr(path, length(root) + 2)), shared_as
    FROM claims JOIN shared_sessions ON shared_sessions.id = claims.session
    WHERE shared_as = new.first_commit AND substr(path, 1, length(root) + 1) = root || '/';
    INSERT OR IGNORE INTO outbox (kind, key, project)
    SELECT 'pattern', patterns.id, shared_as FROM patterns JOIN shared_sessions ON shared_sessions.id = patterns.session
    WHERE shared_as = new.first_commit AND ended_at IS NULL;
END;

-- The first event of a session may come before its workspace is known to be of a project.
CREATE TRIGGER workspaces_are_of_projects AFTER UPDATE OF project_key ON workspaces
WHEN new.project_key IS NOT old.project_key AND new.project_key IN (SELECT key FROM shared_keys) BEGIN
    INSERT OR IGNORE INTO outbox (kind, key, project)
    SELECT 'session', shared_sessions.id, shared_as FROM shared_sessions JOIN sessions USING (id)
    WHERE sessions.workspace = new.key AND ended_at IS NULL;
    INSERT OR IGNORE INTO outbox (kind, key, project)
    SELECT 'claim', json_array(session, substr(path, length(root) + 2)), shared_as
    FROM claims JOIN shared_sessions ON shared_sessions.id = claims.session JOIN sessions USING (id)
    WHERE sessions.workspace = new.key AND substr(path, 1, length(root) + 1) = root || '/';
    INSERT OR IGNORE INTO outbox (kind, key, project)
    SELECT 'pattern', patterns.id, shared_as FROM patterns JOIN shared_sessions ON shared_sessions.id = patterns.session
        JOIN sessions ON sessions.id = patterns.session
    WHERE sessions.workspace = new.key AND patterns.ended_at IS NULL;
END;

CREATE TRIGGER projects_are_shared_no_more AFTER DELETE ON shared_projects BEGIN
    DELETE FROM outbox WHERE project = old.first_commit;
    DELETE FROM outbox_aside WHERE project = old.first_commit;
END;

-- What others have told. Their memories are among the memories.

CREATE TABLE team_sessions (
    id         TEXT PRIMARY KEY NOT NULL,
    author     TEXT NOT NULL,
    machine    TEXT NOT NULL,
    project    TEXT NOT NULL,
    agent      TEXT NOT NULL,
    branch     TEXT,
    goal       TEXT,
    started_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    ended_at   INTEGER
) WITHOUT ROWID, STRICT;

CREATE INDEX team_sessions_by_project ON team_sessions (project, seen_at);

CREATE TABLE team_claims (
    session    TEXT NOT NULL,
    -- Within the repository.
    path       TEXT NOT NULL,
    author     TEXT NOT NULL,
    machine    TEXT NOT NULL,
    project    TEXT NOT NULL,
    branch     TEXT,
    since_at   INTEGER NOT NULL,
    last_at    INTEGER NOT NULL,
    first_line INTEGER,
    last_line  INTEGER,
    goal       TEXT,
    PRIMARY KEY (session, path)
) WITHOUT ROWID, STRICT;

CREATE INDEX team_claims_by_path ON team_claims (project, path);

-- Words that go from machine to machine, and patterns others have told, as they were told.
CREATE TABLE team_words (
    -- 'message' or 'pattern'.
    kind    TEXT NOT NULL,
    id      TEXT NOT NULL,
    author  TEXT NOT NULL,
    machine TEXT NOT NULL,
    project TEXT NOT NULL,
    at      INTEGER NOT NULL,
    told    TEXT NOT NULL,
    PRIMARY KEY (kind, id)
) WITHOUT ROWID, STRICT;

CREATE INDEX team_words_by_project ON team_words (kind, project, at);

-- Where these tables are the engine that others tell: what was told, one row a thing, and how far each outbox is.
CREATE TABLE tellings (
    n       INTEGER PRIMARY KEY AUTOINCREMENT,
    author  TEXT NOT NULL,
    machine TEXT NOT NULL,
    project TEXT NOT NULL,
    key     TEXT NOT NULL UNIQUE,
    change  TEXT NOT NULL
);

CREATE TABLE tellers (
    machine  TEXT NOT NULL,
    outbox   TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (machine, outbox)
) WITHOUT ROWID, STRICT;

-- Only what is this person's own is kept as files.
DROP TRIGGER memories_of_people;
DROP TRIGGER memories_leave_their_files;
DROP TRIGGER memories_have_no_file;

CREATE TRIGGER memories_of_people AFTER INSERT ON memories
WHEN new.author IS NULL AND (new.kind = 'note' OR new.pinned OR new.critical
    OR new.written_by = 'person' AND new.kind NOT IN ('prompt', 'chunk')) BEGIN
    INSERT OR IGNORE INTO files_due (id) VALUES (new.id);
END;

CREATE TRIGGER memories_leave_their_files
AFTER UPDATE OF title, text, critical, pinned, hits, prevented, last_applied_at ON memories
WHEN new.author IS NULL BEGIN
    INSERT OR IGNORE INTO files_due (id) VALUES (new.id);
END;

CREATE TRIGGER memories_have_no_file AFTER DELETE ON memories WHEN old.author IS NULL BEGIN
    INSERT OR IGNORE INTO files_due (id) VALUES (old.id);
END;
