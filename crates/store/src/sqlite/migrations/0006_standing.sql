-- What a session that starts should know is found by steps, not by a look at everything: the newest of each kind at
-- one home, what is always said, what was of use. A home is the project's key, else its name, else none at all.

CREATE INDEX memories_by_home ON memories (COALESCE(project_key, project), kind, at)
WHERE superseded_by IS NULL;

CREATE INDEX memories_always_said ON memories (COALESCE(project_key, project), at)
WHERE superseded_by IS NULL AND critical + pinned > 0;

CREATE INDEX memories_of_use ON memories (COALESCE(project_key, project), last_applied_at)
WHERE superseded_by IS NULL AND hits + prevented > 0;
