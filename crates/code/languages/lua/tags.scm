; Definitions. A table that has functions is a type (`owners-are-types`).

(function_declaration name: (identifier) @name) @definition.function
(function_declaration
  name: (dot_index_expression table: (_) @owner field: (identifier) @name)) @is.static @definition.function
(function_declaration
  name: (method_index_expression table: (_) @owner method: (identifier) @name)) @definition.method

; Variables: those of functions are left out.
(variable_declaration
  (assignment_statement (variable_list name: (identifier) @name))) @definition.variable
(variable_declaration (variable_list name: (identifier) @name)) @definition.variable
((variable_declaration
  (assignment_statement (variable_list name: (identifier) @name))) @definition.constant
  (#match? @name "^_*[A-Z][A-Z0-9_]+$"))
(chunk (assignment_statement (variable_list name: (identifier) @name)) @definition.variable)
(chunk
  (assignment_statement
    (variable_list name: (dot_index_expression table: (_) @owner field: (identifier) @name))) @definition.field)
; The parts of a table of the file.
(chunk
  (variable_declaration
    (assignment_statement
      (expression_list
        value: (table_constructor (field name: (identifier) @name) @definition.field)))))

; Functions as values of names.
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @name .)
    (expression_list . value: (function_definition parameters: (_) @head) @body))) @definition.function
(chunk
  (assignment_statement
    (variable_list . name: (identifier) @name .)
    (expression_list . value: (function_definition parameters: (_) @head) @body)) @definition.function)
(block
  (assignment_statement
    (variable_list . name: (identifier) @name .)
    (expression_list . value: (function_definition parameters: (_) @head) @body)) @definition.function)
(assignment_statement
  (variable_list
    .
    name: [
      (dot_index_expression table: (_) @owner field: (identifier) @name)
      (bracket_index_expression table: (_) @owner field: (string) @name)
    ]
    .)
  (expression_list . value: (function_definition parameters: (_) @head) @body)) @definition.function
(field name: [(identifier) (string)] @name value: (function_definition parameters: (_) @head) @body) @definition.method

; `it("works", function() … end)`
(function_call
  name: (identifier) @word
  arguments: (arguments . (string) @name . (function_definition body: (_)? @body))
  (#set! words "tests")) @definition

; Uses.
(function_call name: (identifier) @name arguments: (arguments) @arguments) @reference.call
(function_call
  name: (dot_index_expression table: (_) @receiver field: (identifier) @name)
  arguments: (arguments) @arguments) @reference.call
(function_call
  name: (method_index_expression table: (_) @receiver method: (identifier) @name)
  arguments: (arguments) @arguments) @reference.call

; Handed on: a name in the place of an expression, and every member that is asked for.
(variable/identifier) @name @reference.value
(dot_index_expression table: (_) @receiver field: (identifier) @name) @reference.value
; `setmetatable({}, { __index = Base })`
(field name: (identifier) @_index value: (identifier) @name @reference.base @mixin
  (#eq? @_index "__index"))
