-- Who may do what. A member is whoever logged in: session_user cannot be changed by SET ROLE, and nothing a client sends
-- is asked. Functions with their owner's rights are few, take no names of tables, and have their search path pinned.

CREATE FUNCTION throughline.my_member() RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'SELECT id FROM throughline.members WHERE role = session_user';

CREATE FUNCTION throughline.my_team() RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'SELECT team FROM throughline.members WHERE role = session_user';

CREATE FUNCTION throughline.my_authors() RETURNS integer[]
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'SELECT coalesce(array_agg(a.id), ''{}'') FROM throughline.authors a
        JOIN throughline.members m ON m.id = a.member WHERE m.role = session_user';

CREATE FUNCTION throughline.my_projects() RETURNS bigint[]
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'SELECT coalesce(array_agg(p.id), ''{}'') FROM throughline.members m
        JOIN throughline.projects p ON p.team = m.team
        WHERE m.role = session_user AND (p.open OR EXISTS (
            SELECT FROM throughline.seats s WHERE s.project = p.id AND s.member = m.id))';

-- The number of this member on this machine; a machine is known from its first telling on.
CREATE FUNCTION throughline.my_author(machine text) RETURNS integer
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    me integer := throughline.my_member();
    known integer;
BEGIN
    IF me IS NULL THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role is no member of a team';
    END IF;
    SELECT a.id INTO known FROM throughline.authors a WHERE a.member = me AND a.machine = my_author.machine;
    IF known IS NULL THEN
        -- A person has a handful of machines; a program that makes up thousands fills a table.
        IF (SELECT count(*) FROM throughline.authors a WHERE a.member = me) >= 1000 THEN
            RAISE insufficient_privilege USING MESSAGE = 'this member has too many machines';
        END IF;
        INSERT INTO throughline.authors (member, machine) VALUES (me, my_author.machine)
            ON CONFLICT (member, machine) DO UPDATE SET machine = EXCLUDED.machine RETURNING id INTO known;
    END IF;
    RETURN known;
END $$;

-- The number of a project, which is known from its first telling on. Null: it is somebody else's.
CREATE FUNCTION throughline.my_project(key text) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    me integer := throughline.my_member();
    mine integer := throughline.my_team();
    known throughline.projects%ROWTYPE;
BEGIN
    IF me IS NULL THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role is no member of a team';
    END IF;
    SELECT * INTO known FROM throughline.projects p WHERE p.team = mine AND p.key = my_project.key;
    IF known.id IS NULL THEN
        INSERT INTO throughline.projects (team, key, open)
            SELECT t.id, my_project.key, t.open FROM throughline.teams t WHERE t.id = mine
            ON CONFLICT (team, key) DO NOTHING RETURNING * INTO known;
        IF known.id IS NULL THEN
            -- Somebody was faster.
            SELECT * INTO known FROM throughline.projects p WHERE p.team = mine AND p.key = my_project.key;
        ELSIF NOT known.open THEN
            INSERT INTO throughline.seats (project, member) VALUES (known.id, me);
        END IF;
    END IF;
    IF known.open OR EXISTS (SELECT FROM throughline.seats s WHERE s.project = known.id AND s.member = me) THEN
        RETURN known.id;
    END IF;
    RETURN NULL;
END $$;

-- Whoever writes a row, its place in the order of tellings is not theirs to choose.
CREATE FUNCTION throughline.stamp() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.xid := pg_current_xact_id();
    NEW.turn := nextval('throughline.turns');
    RETURN NEW;
END $$;

-- To forget is to leave a mark, by name; the mark takes the memory out, and nothing else does.
CREATE FUNCTION throughline.forget() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    model integer;
BEGIN
    DELETE FROM throughline.memories m WHERE m.project = NEW.project AND m.id = NEW.id;
    FOR model IN SELECT id FROM throughline.models WHERE indexed LOOP
        EXECUTE format('DELETE FROM throughline.vectors_%s WHERE project = $1 AND id = $2', model)
            USING NEW.project, NEW.id;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER forget AFTER INSERT ON throughline.forgotten FOR EACH ROW EXECUTE FUNCTION throughline.forget();

GRANT USAGE ON SCHEMA throughline TO throughline_member;
GRANT USAGE ON SEQUENCE throughline.turns TO throughline_member;
GRANT SELECT ON throughline.house, throughline.models, throughline.teams, throughline.projects, throughline.authors,
    throughline.outboxes, throughline.memories, throughline.term_samples, throughline.forgotten, throughline.sessions,
    throughline.claims, throughline.messages, throughline.patterns TO throughline_member;
GRANT SELECT (id, team, name) ON throughline.members TO throughline_member;
GRANT INSERT, UPDATE ON throughline.outboxes, throughline.memories, throughline.term_samples, throughline.sessions,
    throughline.claims, throughline.patterns TO throughline_member;
GRANT INSERT ON throughline.forgotten, throughline.messages TO throughline_member;
-- The words of a message stay its sender's.
GRANT UPDATE (author, delivered_at) ON throughline.messages TO throughline_member;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA throughline FROM PUBLIC;
GRANT EXECUTE ON FUNCTION throughline.my_member(), throughline.my_team(), throughline.my_authors(),
    throughline.my_projects(), throughline.my_author(text), throughline.my_project(text), throughline.stamp()
    TO throughline_member;

DO $$
DECLARE
    place text;
BEGIN
    -- What only its owner's functions change, and everything else: always on, for the owner, too.
    FOREACH place IN ARRAY ARRAY['house', 'teams', 'members', 'projects', 'seats', 'authors', 'outboxes', 'models',
        'memories', 'term_samples', 'forgotten', 'sessions', 'claims', 'messages', 'patterns'] LOOP
        EXECUTE format('ALTER TABLE throughline.%I ENABLE ROW LEVEL SECURITY', place);
        EXECUTE format('ALTER TABLE throughline.%I FORCE ROW LEVEL SECURITY', place);
        EXECUTE format('CREATE POLICY owner ON throughline.%I TO throughline_owner USING (true) WITH CHECK (true)', place);
    END LOOP;
    FOREACH place IN ARRAY ARRAY['memories', 'forgotten', 'sessions', 'claims', 'messages', 'patterns'] LOOP
        EXECUTE format('CREATE TRIGGER stamp BEFORE INSERT OR UPDATE ON throughline.%I '
            'FOR EACH ROW EXECUTE FUNCTION throughline.stamp()', place);
        -- Asked once per statement, not once per row.
        EXECUTE format('CREATE POLICY seen ON throughline.%I FOR SELECT TO throughline_member '
            'USING (project = ANY ((SELECT throughline.my_projects())::bigint[]))', place);
    END LOOP;
    -- Under one's own name, in a project one sees.
    FOREACH place IN ARRAY ARRAY['memories', 'forgotten', 'sessions', 'claims', 'messages', 'patterns'] LOOP
        EXECUTE format('CREATE POLICY told ON throughline.%I FOR INSERT TO throughline_member WITH CHECK ('
            'project = ANY ((SELECT throughline.my_projects())::bigint[]) AND '
            'author = ANY ((SELECT throughline.my_authors())::integer[])%s)', place,
            CASE place WHEN 'messages' THEN ' AND sender = author' ELSE '' END);
    END LOOP;
    -- What belongs to its author is changed by nobody else.
    FOREACH place IN ARRAY ARRAY['sessions', 'claims', 'patterns'] LOOP
        EXECUTE format('CREATE POLICY changed ON throughline.%I FOR UPDATE TO throughline_member USING ('
            'project = ANY ((SELECT throughline.my_projects())::bigint[]) AND '
            'author = ANY ((SELECT throughline.my_authors())::integer[]))', place);
    END LOOP;
END $$;

-- A memory of the team may be changed by whoever sees it, and then bears their name.
CREATE POLICY changed ON throughline.memories FOR UPDATE TO throughline_member
    USING (project = ANY ((SELECT throughline.my_projects())::bigint[]))
    WITH CHECK (project = ANY ((SELECT throughline.my_projects())::bigint[])
        AND author = ANY ((SELECT throughline.my_authors())::integer[]));
-- A message is delivered by the machine whose session it is for.
CREATE POLICY changed ON throughline.messages FOR UPDATE TO throughline_member
    USING (project = ANY ((SELECT throughline.my_projects())::bigint[]) AND (
        sender = ANY ((SELECT throughline.my_authors())::integer[]) OR EXISTS (
            SELECT FROM throughline.sessions s WHERE s.project = messages.project AND s.id = messages.to_session
                AND s.author = ANY ((SELECT throughline.my_authors())::integer[]))))
    WITH CHECK (project = ANY ((SELECT throughline.my_projects())::bigint[])
        AND author = ANY ((SELECT throughline.my_authors())::integer[]));
CREATE POLICY mine ON throughline.term_samples TO throughline_member
    USING (project = ANY ((SELECT throughline.my_projects())::bigint[]));
CREATE POLICY mine ON throughline.outboxes TO throughline_member
    USING (author = ANY ((SELECT throughline.my_authors())::integer[]));
CREATE POLICY seen ON throughline.house FOR SELECT TO throughline_member USING (true);
CREATE POLICY seen ON throughline.models FOR SELECT TO throughline_member USING (true);
CREATE POLICY seen ON throughline.teams FOR SELECT TO throughline_member
    USING (id = (SELECT throughline.my_team()));
CREATE POLICY seen ON throughline.members FOR SELECT TO throughline_member
    USING (team = (SELECT throughline.my_team()));
CREATE POLICY seen ON throughline.projects FOR SELECT TO throughline_member
    USING (id = ANY ((SELECT throughline.my_projects())::bigint[]));
CREATE POLICY seen ON throughline.authors FOR SELECT TO throughline_member
    USING (member IN (SELECT m.id FROM throughline.members m));
