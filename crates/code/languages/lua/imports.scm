; `local m = require("a.b")`, `local f = require("a.b").f`
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @alias)
    (expression_list
      . value: (function_call
          name: (identifier) @_require
          arguments: (arguments . (string) @module))))
  (#any-of? @_require "require" "import" "dofile" "loadfile")) @import
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @alias)
    (expression_list
      . value: (dot_index_expression
          table: (function_call
            name: (identifier) @_require
            arguments: (arguments . (string) @module))
          field: (identifier) @name)))
  (#eq? @_require "require")) @import
(assignment_statement
  (variable_list . name: (identifier) @alias)
  (expression_list
    . value: (function_call
        name: (identifier) @_require
        arguments: (arguments . (string) @module)))
  (#eq? @_require "require")) @import
; For its effects.
(chunk
  (function_call
    name: (identifier) @_require
    arguments: (arguments . (string) @module @wildcard)) @import
  (#any-of? @_require "require" "dofile"))
; What the file hands on.
(chunk (return_statement (expression_list . (identifier) @name @reexport .)) @import)
