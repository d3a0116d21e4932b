-- Memories whose files may say something else than they do: whoever writes a memory need not know of files. A row is
-- an id and not a number, because what was forgotten has a file and no row.
CREATE TABLE files_due (
    id INTEGER PRIMARY KEY NOT NULL
);

CREATE TRIGGER memories_of_people AFTER INSERT ON memories
WHEN new.kind = 'note' OR new.pinned OR new.critical BEGIN
    INSERT OR IGNORE INTO files_due (id) VALUES (new.id);
END;

CREATE TRIGGER memories_leave_their_files
AFTER UPDATE OF title, text, critical, pinned, hits, prevented, last_applied_at ON memories BEGIN
    INSERT OR IGNORE INTO files_due (id) VALUES (new.id);
END;

CREATE TRIGGER memories_have_no_file AFTER DELETE ON memories BEGIN
    INSERT OR IGNORE INTO files_due (id) VALUES (old.id);
END;

INSERT INTO files_due (id) SELECT id FROM memories WHERE kind = 'note' OR pinned OR critical;
