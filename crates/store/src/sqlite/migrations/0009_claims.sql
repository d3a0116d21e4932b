-- Who works on which file. A claim is a lease: it ends with its session, when it is given back, or some time after
-- its last sign, and then its row may go.
CREATE TABLE claims (
    path TEXT NOT NULL,
    session TEXT NOT NULL,
    since_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    note TEXT,
    PRIMARY KEY (path, session)
) WITHOUT ROWID, STRICT;

CREATE INDEX claims_of_session ON claims (session);
CREATE INDEX claims_by_age ON claims (last_at);
