-- Memories whose session was distilled again by newer rules.

-- What the rules of today derive under one id and an earlier release kept under another stays under the earlier one: pins,
-- edits, credit and whoever cites it still find it, also after the tables were made anew.
CREATE TABLE kept_ids (
    derived INTEGER PRIMARY KEY NOT NULL,
    kept    INTEGER NOT NULL
);

-- A memory is found by the name of its file, too. Pieces of conversations have no file of their own.
CREATE INDEX memories_by_place ON memories (place) WHERE place IS NOT NULL AND kind <> 'chunk';
