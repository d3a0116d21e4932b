-- Whatever a person wants kept has a file, whatever kind they say it is. Prompts are a person's, too, and no memory
-- they keep.
DROP TRIGGER memories_of_people;

CREATE TRIGGER memories_of_people AFTER INSERT ON memories
WHEN new.kind = 'note' OR new.pinned OR new.critical
    OR new.written_by = 'person' AND new.kind NOT IN ('prompt', 'chunk') BEGIN
    INSERT OR IGNORE INTO files_due (id) VALUES (new.id);
END;

INSERT OR IGNORE INTO files_due (id)
SELECT id FROM memories WHERE written_by = 'person' AND kind NOT IN ('prompt', 'chunk');
