-- Memories that nobody told, as many as are wanted: words as frequent as words are, vectors in clusters, sixteen projects.
-- Written by the server itself, without indexes, which are made afterwards: through the seam a million take an hour.
-- {from} and {size}: numbers of memories. The tables `centers` and `noise` are the bench's own: its questions are made of
-- the same.
SET synchronous_commit = off; SET statement_timeout = 0; SET jit = off; SET work_mem = '64MB';
SET maintenance_work_mem = '2GB'; SET max_parallel_maintenance_workers = 2;
SET client_min_messages = error;
ALTER TABLE throughline.memories DISABLE TRIGGER USER;
DROP INDEX throughline.memories_terms_idx;
DROP INDEX throughline.vectors_1_embedding_idx;
CREATE UNIQUE INDEX ON centers (n);
CREATE UNIQUE INDEX ON noise (n);
ANALYZE centers; ANALYZE noise;
INSERT INTO throughline.vectors_1 (project, id, part, embedding)
SELECT p.id, t.n, 0, public.l2_normalize(c.v OPERATOR(public.+) x.v OPERATOR(public.+) y.v OPERATOR(public.+) z.v)
FROM generate_series({from}, {size}) AS t(n)
JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS at FROM throughline.projects) p ON p.at = t.n / 16 % 16
JOIN centers c ON c.n = hashint8(t.n) & 255
JOIN noise x ON x.n = hashint8(t.n + 10000000) & 4095
JOIN noise y ON y.n = hashint8(t.n + 20000000) & 4095
JOIN noise z ON z.n = hashint8(t.n + 30000000) & 4095;
-- The copy of a vector that is sent with its memory has its length, and its bytes the other way round: nobody reads it here.
INSERT INTO throughline.memories (project, id, author, changed_at, hits, prevented, words, digest, model, vectors, body, terms, xid, turn)
SELECT t.project, t.id, (SELECT min(id) FROM throughline.authors), 1, 0, 0, 60, '\x000102030405060708090a0b0c0d0e0f',
    1, '\x8001'::bytea || substr(public.halfvec_send(t.embedding), 5),
    format('{"project":"p","memory":{"id":"000000000001","kind":"note","at":1,"title":"%s","text":"%s","provenance":{"by":"bench"}},"changed_at":1}',
        left(t.said, 40), t.said),
    to_tsvector('simple', t.said), '3', t.id
FROM (SELECT v.project, v.id, v.embedding, (
        SELECT string_agg('w' || (40000 ^ random())::integer, ' ') FROM generate_series(1, 60) WHERE v.id > 0) AS said
    FROM throughline.vectors_1 v WHERE v.id >= {from}) t;
CREATE INDEX memories_terms_idx ON throughline.memories USING gin (terms) WITH (fastupdate = off);
INSERT INTO throughline.term_samples (project, term, docs)
SELECT p.id, s.word, s.ndoc FROM throughline.projects p, LATERAL ts_stat(format(
    'SELECT terms FROM throughline.memories WHERE id %% 16 = 0 AND project = %s AND id >= {from}', p.id)) s
ON CONFLICT (project, term) DO UPDATE SET docs = throughline.term_samples.docs + EXCLUDED.docs;
INSERT INTO throughline.term_samples (project, term, docs)
SELECT project, '', count(*) FROM throughline.memories WHERE id % 16 = 0 AND id >= {from} GROUP BY project
ON CONFLICT (project, term) DO UPDATE SET docs = throughline.term_samples.docs + EXCLUDED.docs;
CREATE INDEX vectors_1_embedding_idx ON throughline.vectors_1 USING hnsw (embedding public.halfvec_cosine_ops);
ALTER TABLE throughline.memories ENABLE TRIGGER USER;
VACUUM ANALYZE throughline.memories; VACUUM ANALYZE throughline.vectors_1; ANALYZE throughline.term_samples;
