-- What the code map knew of the workspaces it has seen. All of it is derived from their files: the whole database may be
-- deleted at any time.

-- One map of one folder. Another way of reading texts is another map beside it, so that two releases that run at the
-- same time do not undo each other's work.
CREATE TABLE workspaces (
  id      INTEGER PRIMARY KEY,
  root    TEXT NOT NULL,
  version TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  UNIQUE (root, version)
);

-- A file as it was when it was read: on the map with these facts, or left out for a reason.
CREATE TABLE files (
  workspace INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  path      TEXT NOT NULL,
  mtime_ns  INTEGER NOT NULL,
  ctime_ns  INTEGER NOT NULL,
  size      INTEGER NOT NULL,
  inode     INTEGER NOT NULL,
  sure      INTEGER NOT NULL,
  language  TEXT,
  facts     INTEGER,
  skipped   TEXT,
  PRIMARY KEY (workspace, path)
) WITHOUT ROWID;
CREATE INDEX files_by_facts ON files (facts);

-- Facts belong to a text, not to a file: another worktree, or the branch before, has them already. The head is read at
-- every start, the body when somebody asks about the file.
CREATE TABLE facts (
  id   INTEGER PRIMARY KEY,
  key  BLOB NOT NULL UNIQUE,
  head BLOB NOT NULL
);
CREATE TABLE bodies (
  id   INTEGER PRIMARY KEY REFERENCES facts (id) ON DELETE CASCADE,
  body BLOB NOT NULL
);
-- Made later than the facts, if ever.
CREATE TABLE meanings (
  id      INTEGER PRIMARY KEY REFERENCES facts (id) ON DELETE CASCADE,
  model   TEXT NOT NULL,
  vectors BLOB NOT NULL
);

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
