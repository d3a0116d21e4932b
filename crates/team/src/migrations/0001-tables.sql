-- What a team shares. Run by the administrator as throughline_owner, under an advisory lock, once.
-- {partitions} is how many parts the large tables have, by hash of the project.

-- One row: which format this is, and which life of the data. An epoch ends when the data came back from a dump, whose
-- transaction numbers mean nothing here.
CREATE TABLE throughline.house (
    version integer NOT NULL,
    epoch text NOT NULL,
    partitions integer NOT NULL,
    single boolean PRIMARY KEY DEFAULT true CHECK (single)
);

CREATE TABLE throughline.teams (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    open boolean NOT NULL
);

CREATE TABLE throughline.members (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team integer NOT NULL REFERENCES throughline.teams,
    name text NOT NULL,
    role name NOT NULL UNIQUE,
    UNIQUE (team, name)
);

-- A project belongs to one team; the same repository in two teams is two projects.
CREATE TABLE throughline.projects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team integer NOT NULL REFERENCES throughline.teams,
    key text NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
    open boolean NOT NULL,
    UNIQUE (team, key)
);

-- Who sees a project that is not open.
CREATE TABLE throughline.seats (
    project bigint NOT NULL REFERENCES throughline.projects,
    member integer NOT NULL REFERENCES throughline.members,
    PRIMARY KEY (project, member)
);

-- A member on one machine.
CREATE TABLE throughline.authors (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    member integer NOT NULL REFERENCES throughline.members,
    machine text NOT NULL CHECK (length(machine) BETWEEN 1 AND 200),
    UNIQUE (member, machine)
);

CREATE TABLE throughline.outboxes (
    author integer NOT NULL REFERENCES throughline.authors,
    name text NOT NULL CHECK (length(name) <= 200),
    position bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (author, name)
);

-- Whose vectors can be compared with each other. Each has a table of its own, where pgvector is there.
CREATE TABLE throughline.models (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
    dims integer NOT NULL CHECK (dims BETWEEN 1 AND 4000),
    indexed boolean NOT NULL DEFAULT false
);

-- The order of tellings within one transaction; across them their numbers count.
CREATE SEQUENCE throughline.turns CACHE 32;

CREATE TABLE throughline.memories (
    project bigint NOT NULL,
    id bigint NOT NULL,
    author integer NOT NULL,
    changed_at bigint NOT NULL,
    hits bigint NOT NULL,
    prevented bigint NOT NULL,
    last_applied_at bigint,
    -- How many words its terms are; long texts hold any word.
    words integer NOT NULL,
    -- Of title and text: vectors of the same text stay.
    digest bytea NOT NULL,
    model integer,
    vectors bytea,
    body text NOT NULL,
    terms tsvector NOT NULL,
    xid xid8 NOT NULL,
    turn bigint NOT NULL,
    PRIMARY KEY (project, id)
) PARTITION BY HASH (project);
-- Terms are read for every match and stay in the row; vectors are read with the whole, and do not compress.
ALTER TABLE throughline.memories ALTER terms SET STORAGE MAIN, ALTER vectors SET STORAGE EXTERNAL;
CREATE INDEX ON throughline.memories (project, xid, turn);
-- Without a list of what is still to be filed: a search would read it from end to end.
CREATE INDEX ON throughline.memories USING gin (terms) WITH (fastupdate = off);

CREATE TABLE throughline.term_samples (
    project bigint NOT NULL,
    term text NOT NULL,
    docs bigint NOT NULL,
    PRIMARY KEY (project, term)
) PARTITION BY HASH (project);

CREATE TABLE throughline.forgotten (
    project bigint NOT NULL,
    id bigint NOT NULL,
    author integer NOT NULL,
    xid xid8 NOT NULL,
    turn bigint NOT NULL,
    PRIMARY KEY (project, id)
);
CREATE INDEX ON throughline.forgotten (project, xid, turn);

CREATE TABLE throughline.sessions (
    project bigint NOT NULL,
    author integer NOT NULL,
    id text NOT NULL,
    seen_at bigint NOT NULL,
    ended_at bigint,
    body text NOT NULL,
    xid xid8 NOT NULL,
    turn bigint NOT NULL,
    PRIMARY KEY (project, author, id)
);
CREATE INDEX ON throughline.sessions (project, xid, turn);
CREATE INDEX ON throughline.sessions (project, seen_at) WHERE ended_at IS NULL;

CREATE TABLE throughline.claims (
    project bigint NOT NULL,
    author integer NOT NULL,
    session text NOT NULL,
    path text NOT NULL,
    -- A path may be longer than an index takes.
    key uuid GENERATED ALWAYS AS (md5(session || '/' || path)::uuid) STORED,
    last_at bigint NOT NULL,
    released boolean NOT NULL,
    body text NOT NULL,
    xid xid8 NOT NULL,
    turn bigint NOT NULL,
    PRIMARY KEY (project, author, key)
);
CREATE INDEX ON throughline.claims (project, xid, turn);
CREATE INDEX ON throughline.claims (project, last_at) WHERE NOT released;

CREATE TABLE throughline.messages (
    project bigint NOT NULL,
    id text NOT NULL,
    -- Who wrote it, and who last said something of it: whoever delivered it.
    sender integer NOT NULL,
    author integer NOT NULL,
    to_session text NOT NULL,
    at bigint NOT NULL,
    delivered_at bigint,
    body text NOT NULL,
    xid xid8 NOT NULL,
    turn bigint NOT NULL,
    PRIMARY KEY (project, id)
);
CREATE INDEX ON throughline.messages (project, xid, turn);
CREATE INDEX ON throughline.messages (to_session, at) WHERE delivered_at IS NULL;

CREATE TABLE throughline.patterns (
    project bigint NOT NULL,
    author integer NOT NULL,
    id text NOT NULL,
    at bigint NOT NULL,
    body text NOT NULL,
    xid xid8 NOT NULL,
    turn bigint NOT NULL,
    PRIMARY KEY (project, author, id)
);
CREATE INDEX ON throughline.patterns (project, xid, turn);
CREATE INDEX ON throughline.patterns (project, at DESC);

DO $$
BEGIN
    FOR part IN 0 .. {partitions} - 1 LOOP
        EXECUTE format('CREATE TABLE throughline.memories_%s PARTITION OF throughline.memories '
            'FOR VALUES WITH (MODULUS {partitions}, REMAINDER %s)', part, part);
        EXECUTE format('CREATE TABLE throughline.term_samples_%s PARTITION OF throughline.term_samples '
            'FOR VALUES WITH (MODULUS {partitions}, REMAINDER %s)', part, part);
    END LOOP;
END $$;
