-- What search needs beside the memories: their terms, their vectors, and what is still to be done for them.

-- The terms of a memory, analyzed before they come here: the tokenizer only splits at spaces. No text is kept twice.
CREATE VIRTUAL TABLE terms USING fts5 (
    title,
    body,
    -- Names made of several words, each as one term.
    names,
    -- Facts, concepts and files: added beside the text, never in its place.
    keys,
    -- The turns before and after, of the same session.
    context,
    content = '',
    contentless_delete = 1,
    tokenize = "ascii tokenchars '_'"
);

-- In how many of every sixteenth memory a term occurs: enough to know which terms are in too many of them.
CREATE TABLE term_samples (
    term TEXT PRIMARY KEY NOT NULL,
    docs INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE vector_models (
    number   INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE
);

-- A long text has several parts; each is as the scan takes it.
CREATE TABLE vectors (
    n      INTEGER NOT NULL,
    part   INTEGER NOT NULL,
    model  INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (n, part)
) WITHOUT ROWID;

-- Memories whose terms are to be made (again), or taken out if they are gone.
CREATE TABLE terms_due (
    n INTEGER PRIMARY KEY NOT NULL
);

-- Memories whose vectors are to be made (again), or taken out if they are gone.
CREATE TABLE vectors_due (
    n INTEGER PRIMARY KEY NOT NULL
);

-- Whoever writes a memory need not know of search.
CREATE TRIGGER memories_are_new AFTER INSERT ON memories BEGIN
    INSERT OR IGNORE INTO terms_due (n) VALUES (new.n);
    INSERT OR IGNORE INTO vectors_due (n) VALUES (new.n);
END;

CREATE TRIGGER memories_say_otherwise
AFTER UPDATE OF title, subtitle, text, facts, concepts, files_read, files_modified ON memories BEGIN
    INSERT OR IGNORE INTO terms_due (n) VALUES (new.n);
    INSERT OR IGNORE INTO vectors_due (n) VALUES (new.n);
END;

CREATE TRIGGER memories_are_gone AFTER DELETE ON memories BEGIN
    INSERT OR IGNORE INTO terms_due (n) VALUES (old.n);
    INSERT OR IGNORE INTO vectors_due (n) VALUES (old.n);
END;

INSERT INTO terms_due (n) SELECT n FROM memories;
INSERT INTO vectors_due (n) SELECT n FROM memories;
