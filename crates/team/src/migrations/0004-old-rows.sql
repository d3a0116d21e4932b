-- What is over may go: sessions, claims, messages and patterns that nobody has touched for two weeks, which is longer than
-- any machine keeps them. Whoever sees a project may tidy up in it, and nobody can take out what is younger.

CREATE FUNCTION throughline.kept_since() RETURNS bigint
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    AS 'SELECT (extract(epoch FROM now()) * 1000)::bigint - 14 * 86400000::bigint';
REVOKE ALL ON FUNCTION throughline.kept_since() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION throughline.kept_since() TO throughline_member;

-- The oldest first, whatever project they are of.
CREATE INDEX ON throughline.sessions (seen_at);
CREATE INDEX ON throughline.claims (last_at);
CREATE INDEX ON throughline.messages (at);
CREATE INDEX ON throughline.patterns (at);

GRANT DELETE ON throughline.sessions, throughline.claims, throughline.messages, throughline.patterns TO throughline_member;

DO $$
DECLARE
    place text;
    moment text;
BEGIN
    FOR place, moment IN VALUES ('sessions', 'seen_at'), ('claims', 'last_at'), ('messages', 'at'), ('patterns', 'at') LOOP
        EXECUTE format('CREATE POLICY over ON throughline.%I FOR DELETE TO throughline_member USING ('
            'project = ANY ((SELECT throughline.my_projects())::bigint[]) AND '
            '%I < (SELECT throughline.kept_since()))', place, moment);
    END LOOP;
END $$;
