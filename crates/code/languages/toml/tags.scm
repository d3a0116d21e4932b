; Tables, and the keys that stand in them.
(table . [(bare_key) (dotted_key) (quoted_key)] @name "]" @head) @definition.section
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name "]]" @head) @definition.section
(document (pair . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.key)
(table (pair . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.key)
(table_array_element (pair . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.key)
