(parameters name: (identifier) @name @binding.parameter)

(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (_) @value))) @binding.local
(variable_declaration (assignment_statement (variable_list name: (identifier) @name @binding.local)))
(variable_declaration (variable_list name: (identifier) @name @binding.local))
; What is assigned without `local` is declared further out, or global.
(assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (_) @value)) @binding.assigned

(for_generic_clause (variable_list name: (identifier) @name @binding.local))
(for_generic_clause
  (variable_list . (identifier) . (identifier) @name .)
  (expression_list
    . (function_call
        name: (identifier) @_pairs
        arguments: (arguments . (_) @value.element)))
  (#any-of? @_pairs "pairs" "ipairs")) @binding.local
(for_numeric_clause name: (identifier) @name) @binding.local

(assignment_statement
  (variable_list . name: (dot_index_expression table: (identifier) @_self field: (identifier) @name))
  (expression_list . value: (_) @value)
  (#eq? @_self "self")) @binding.field

; What a function gives.
(return_statement
  (expression_list
    . [(identifier) (function_call) (dot_index_expression) (bracket_index_expression) (parenthesized_expression)] @value)) @binding.returned
[(function_declaration) (function_definition)] @scope
