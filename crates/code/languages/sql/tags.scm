; A table has columns, like a struct has fields; what only belongs to a table is a section.
(create_table (object_reference name: (identifier) @name)) @definition.struct
(create_table
  (object_reference name: (identifier) @name)
  (column_definitions) @body) @definition.struct
(create_table
  (column_definitions (column_definition name: [(identifier) (literal)] @name) @definition.field))
(create_view
  (object_reference name: (identifier) @name)
  (create_query) @body) @definition.struct
(create_materialized_view
  (object_reference name: (identifier) @name)
  (create_query) @body) @definition.struct
(create_type (object_reference name: (identifier) @name)) @definition.type
(create_type (enum_elements enum_element: (literal) @name @definition.variant))
(create_type
  (column_definitions (column_definition name: [(identifier) (literal)] @name) @definition.field))
(create_function
  (object_reference name: (identifier) @name)
  (function_body) @body) @definition.function
(create_trigger
  (keyword_trigger)
  .
  (object_reference name: (identifier) @name)) @definition.section
(create_index column: (identifier) @name) @definition.section
(create_sequence (object_reference name: (identifier) @name)) @definition.section
(create_schema (identifier) @name) @definition.module
(create_database (identifier) @name) @definition.module

; Bodies in a language of their own, and procedures, are more than the grammar can read.
(ERROR
  (keyword_function)
  .
  (object_reference name: (identifier) @name) @definition.function)
