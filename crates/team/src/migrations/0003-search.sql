-- Finding: by words, by nearness. Row-level security keeps an index on terms from being used (the match is not declared
-- free of leaks), so the question is asked with the owner's rights, of exactly the projects that its asker sees.

-- The schema of pgvector, where it is there and knows half precision (0.7 and later).
CREATE FUNCTION throughline.vector_schema() RETURNS name
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    AS 'SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
        WHERE e.extname = ''vector'' AND EXISTS (
            SELECT FROM pg_type t WHERE t.typnamespace = n.oid AND t.typname = ''halfvec'')';

-- A table for one model's vectors, with its index. One per model: an index compares what has one length.
CREATE FUNCTION throughline.index_model(model integer) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    home name := throughline.vector_schema();
    parts integer := (SELECT partitions FROM throughline.house);
    dims integer := (SELECT m.dims FROM throughline.models m WHERE m.id = model AND NOT m.indexed);
    place text := format('vectors_%s', model);
BEGIN
    IF home IS NULL OR dims IS NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('CREATE TABLE throughline.%I (project bigint NOT NULL, id bigint NOT NULL, part smallint NOT NULL, '
        'embedding %I.halfvec(%s) NOT NULL, PRIMARY KEY (project, id, part)) PARTITION BY HASH (project)', place, home, dims);
    FOR part IN 0 .. parts - 1 LOOP
        EXECUTE format('CREATE TABLE throughline.%I PARTITION OF throughline.%I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
            format('%s_%s', place, part), place, parts, part);
    END LOOP;
    EXECUTE format('CREATE INDEX ON throughline.%I USING hnsw (embedding %I.halfvec_cosine_ops)', place, home);
    EXECUTE format('ALTER TABLE throughline.%I ENABLE ROW LEVEL SECURITY', place);
    EXECUTE format('ALTER TABLE throughline.%I FORCE ROW LEVEL SECURITY', place);
    EXECUTE format('CREATE POLICY owner ON throughline.%I TO throughline_owner USING (true) WITH CHECK (true)', place);
    EXECUTE format('CREATE POLICY mine ON throughline.%I TO throughline_member '
        'USING (project = ANY ((SELECT throughline.my_projects())::bigint[]))', place);
    EXECUTE format('GRANT SELECT, INSERT, DELETE ON throughline.%I TO throughline_member', place);
    UPDATE throughline.models SET indexed = true WHERE id = model;
    RETURN true;
END $$;

-- The number of a model, which is known from its first vector on. Null: its vectors are not kept.
CREATE FUNCTION throughline.my_model(name text, dims integer) RETURNS integer
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known throughline.models%ROWTYPE;
BEGIN
    IF throughline.my_member() IS NULL THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role is no member of a team';
    END IF;
    SELECT * INTO known FROM throughline.models m WHERE m.name = my_model.name;
    IF known.id IS NULL THEN
        -- Two machines that come with the same new model make one table. The number is ours.
        PERFORM pg_advisory_xact_lock(7498002);
        SELECT * INTO known FROM throughline.models m WHERE m.name = my_model.name;
    END IF;
    IF known.id IS NULL THEN
        -- A team changes its model now and then; whoever makes them up must not fill the catalog.
        IF (SELECT count(*) FROM throughline.models) >= 16 THEN
            RETURN NULL;
        END IF;
        INSERT INTO throughline.models (name, dims) VALUES (my_model.name, my_model.dims) RETURNING * INTO known;
        PERFORM throughline.index_model(known.id);
    END IF;
    RETURN CASE WHEN known.dims = my_model.dims THEN known.id END;
END $$;

-- The best by words, the best by nearness, and for each what the other side says of it.
-- wanted: projects, or null for all that the asker sees. required: what a match must hold. terms, worth: what is counted.
-- most: how many of each side. ranked: how many matches are read to find them; reading them is what words cost.
CREATE FUNCTION throughline.find(wanted bigint[], required tsquery, terms tsquery[], worth real[], model integer,
    question real[], most integer, ranked integer)
    RETURNS TABLE (project bigint, id bigint, lexical real, held integer, cosine real)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
    allowed bigint[] := throughline.my_projects();
    home name := throughline.vector_schema();
    near boolean := question IS NOT NULL AND home IS NOT NULL
        AND EXISTS (SELECT FROM throughline.models m WHERE m.id = model AND m.indexed);
    score text := '0';
    count text := '0';
    said text;
    -- What nearness is ordered by: as the graph knows it, or so that every vector of these projects is compared.
    far text := '';
BEGIN
    IF wanted IS NOT NULL THEN
        allowed := ARRAY(SELECT unnest(allowed) INTERSECT SELECT unnest(wanted));
    END IF;
    most := least(most, 1000);
    ranked := least(ranked, 10000);
    -- Body, keys, names, title: what a term counts for by where it stands.
    FOR i IN 1 .. least(coalesce(array_length(terms, 1), 0), 32) LOOP
        score := score || format(' + $4[%s] * ts_rank(''{0.33,0.23,0.33,1}'', m.terms, $3[%s])', i, i);
        count := count || format(' + (m.terms @@ $3[%s])::integer', i);
    END LOOP;
    score := format('((%s) / (1 + ln(1 + m.words)))::real', score);
    -- Bounded before it is ranked: how frequent a word is, is an estimate.
    said := format('
        SELECT m.project, m.id, %s AS lexical, %s AS held FROM (
            SELECT m.project, m.id, m.words, m.terms FROM throughline.memories m
            WHERE m.project = ANY ($1) AND m.terms @@ $2 LIMIT $6) m ORDER BY 3 DESC LIMIT $5', score, count);
    IF NOT near THEN
        RETURN QUERY EXECUTE format('SELECT s.*, NULL::real FROM (%s) s', said)
            USING allowed, required, terms, worth, most, ranked;
        RETURN;
    END IF;
    -- The graph is the whole team's: a small project's neighbours would be far down its list, and are soon all compared.
    IF 16 * coalesce((SELECT sum(s.docs) FROM throughline.term_samples s WHERE s.project = ANY (allowed) AND s.term = ''), 0)
        <= 5000 THEN
        far := '0 + ';
    ELSE
        PERFORM set_config('hnsw.ef_search', greatest(most, 40)::text, true);
        -- From 0.8 on it looks further until enough are of these projects, but not through everything that is not.
        IF (SELECT string_to_array(extversion, '.')::integer[] >= '{0,8}' FROM pg_extension WHERE extname = 'vector') THEN
            PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true);
            PERFORM set_config('hnsw.max_scan_tuples', '5000', true);
        END IF;
    END IF;
    RETURN QUERY EXECUTE format('
        WITH near AS MATERIALIZED (
            SELECT v.project, v.id, (1 - min(v.far))::real AS cosine FROM (
                SELECT v.project, v.id, v.embedding OPERATOR(%1$I.<=>) $7::%1$I.halfvec AS far
                FROM throughline.vectors_%2$s v WHERE v.project = ANY ($1)
                ORDER BY %6$s(v.embedding OPERATOR(%1$I.<=>) $7::%1$I.halfvec) LIMIT $5) v GROUP BY 1, 2),
        said AS MATERIALIZED (%5$s),
        both_sides AS (
            SELECT project, id, s.lexical, s.held, n.cosine FROM said s FULL JOIN near n USING (project, id))
        SELECT c.project, c.id, coalesce(c.lexical, m.lexical), coalesce(c.held, m.held), coalesce(c.cosine, (
            SELECT (1 - min(v.embedding OPERATOR(%1$I.<=>) $7::%1$I.halfvec))::real FROM throughline.vectors_%2$s v
            WHERE v.project = c.project AND v.id = c.id))
        FROM both_sides c LEFT JOIN LATERAL (
            SELECT %3$s AS lexical, %4$s AS held FROM throughline.memories m
            WHERE c.lexical IS NULL AND m.project = c.project AND m.id = c.id) m ON true',
        home, model, score, count, said, far) USING allowed, required, terms, worth, most, ranked, question;
END $$;

REVOKE ALL ON FUNCTION throughline.vector_schema(), throughline.index_model(integer), throughline.my_model(text, integer),
    throughline.find(bigint[], tsquery, tsquery[], real[], integer, real[], integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION throughline.vector_schema(), throughline.my_model(text, integer),
    throughline.find(bigint[], tsquery, tsquery[], real[], integer, real[], integer, integer) TO throughline_member;
