-- What forgetting needs to reach everything that says it, and what rebuilding needs to lose nothing.

-- Where deeds in the journal carry a memory's text. An id may be a session's mark, too.
CREATE TABLE deed_places (
    id  INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (id, seq)
) WITHOUT ROWID;

CREATE INDEX deed_places_by_seq ON deed_places (seq);

-- Memories that said the same as another and became one with it.
CREATE TABLE merged (
    id INTEGER PRIMARY KEY NOT NULL,
    n  INTEGER NOT NULL
);

CREATE INDEX merged_by_n ON merged (n);

CREATE TRIGGER memories_take_theirs_along AFTER DELETE ON memories BEGIN
    DELETE FROM merged WHERE n = old.n;
END;

-- Entries of the journal that a person wanted gone and that are still there.
CREATE TABLE erasures_due (
    seq INTEGER PRIMARY KEY NOT NULL
);

-- The use memories had before the tables were made anew: nothing else remembers it.
CREATE TABLE lives (
    id              INTEGER PRIMARY KEY NOT NULL,
    hits            INTEGER NOT NULL,
    prevented       INTEGER NOT NULL,
    last_applied_at INTEGER
);

CREATE TRIGGER memories_lived_before AFTER INSERT ON memories
WHEN EXISTS (SELECT 1 FROM lives WHERE id = new.id) BEGIN
    UPDATE memories SET
        hits = (SELECT hits FROM lives WHERE id = new.id),
        prevented = (SELECT prevented FROM lives WHERE id = new.id),
        last_applied_at = (SELECT last_applied_at FROM lives WHERE id = new.id)
    WHERE n = new.n;
    DELETE FROM lives WHERE id = new.id;
END;
