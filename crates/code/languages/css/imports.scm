(import_statement (string_value) @module) @import
(import_statement
  (call_expression
    (arguments [(string_value) (plain_value)] @module))) @import
