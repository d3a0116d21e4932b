; What JavaScript and TypeScript have in common. Of several patterns that match one node the last decides. Patterns are
; kept shallow: a grammar of this size makes every level of one cost milliseconds when they are read.

; An object with functions in it is worth a name, wherever it is.
(variable_declarator
  name: (identifier) @name
  value: (object
    [
      (method_definition)
      (pair value: [(arrow_function) (function_expression)])
    ]) @body) @definition.constant

; Names of the file: what is inside of no function.
[
  (function_declaration)
  (function_expression)
  (arrow_function)
  (method_definition)
  (generator_function_declaration)
  (generator_function)
] @scope
(lexical_declaration "const" (variable_declarator name: (identifier) @name) @definition.constant)
(lexical_declaration "let" (variable_declarator name: (identifier) @name) @definition.variable)
(variable_declaration (variable_declarator name: (identifier) @name) @definition.variable)
(lexical_declaration
  (variable_declarator
    name: [
      (object_pattern
        [
          (shorthand_property_identifier_pattern) @name
          (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
          (pair_pattern value: (identifier) @name)
        ])
      (array_pattern (identifier) @name)
    ]) @definition.constant)

; Functions that have a name, and those that are given one.
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @body) @definition.function
; With a little around it, it is still that function.
(variable_declarator
  name: (identifier) @name
  value: (call_expression
    function: (_) @_with
    arguments: (arguments . [(arrow_function) (function_expression)] @body))
  (#match? @_with "^(?:\\w+\\.)?(?:memo|forwardRef|useCallback|useEvent|observer|debounce|throttle|once|cache)$")) @definition.function
(assignment_expression
  left: (identifier) @name
  right: [(arrow_function) (function_expression) (generator_function)] @body) @definition.function
(arguments (function_expression name: (identifier) @name) @definition.function)
(return_statement (function_expression name: (identifier) @name) @definition.function)
(parenthesized_expression (function_expression name: (identifier) @name) @definition.function)
(array (function_expression name: (identifier) @name) @definition.function)

; Classes.
(class_declaration name: (_) @name) @definition.class
(variable_declarator
  name: (identifier) @name
  value: (class) @body) @definition.class
(assignment_expression
  left: (identifier) @name
  right: (class) @body) @definition.class
(arguments (class name: (_) @name) @definition.class)
(return_statement (class name: (_) @name) @definition.class)
(parenthesized_expression (class name: (_) @name) @definition.class)

; Members of classes and objects.
(method_definition name: (_) @name) @definition.method
(method_definition "static" @is.static name: (_) @name) @definition.method
(method_definition ["get" "set"] name: (_) @name) @definition.property
(method_definition
  name: (property_identifier) @name
  (#eq? @name "constructor")) @definition.constructor
(pair
  key: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @body) @definition.method

; Functions that become members by assignment: of a thing, of what a constructor makes, of the object around.
(assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression)] @owner
    property: (_) @name) @is.static
  right: [(arrow_function) (function_expression) (generator_function)] @body
  (#not-match? @owner "^(module\\.)?exports$|^module$|^this\\.")) @definition.method
(assignment_expression
  left: (member_expression
    object: (this)
    property: (_) @name) @is.member
  right: [(arrow_function) (function_expression) (generator_function)] @body) @definition.method

; What is exported without a name is called `default`.
(export_statement
  "default" @name
  value: [(arrow_function) (function_expression !name) (generator_function !name)] @body) @definition.function
(export_statement
  "default" @name
  value: (class !name) @body) @definition.class
(export_statement
  "default" @name
  value: [
    (object) (array) (call_expression) (new_expression) (string) (template_string) (number) (binary_expression)
    (ternary_expression)
  ]) @definition.constant
(export_statement
  "default" @is.public
  value: [
    (function_expression name: (identifier) @name) @definition.function
    (generator_function name: (identifier) @name) @definition.function
    (class name: (_) @name) @definition.class
  ])

; Tests: `it("says what it proves", …)`.
(call_expression
  function: [(identifier) (member_expression) (call_expression)] @_test
  arguments: (arguments
    .
    (_) @name
    [(arrow_function) (function_expression)] @body)
  (#match? @_test "^(?:Deno\\.|QUnit\\.|t\\.)?(?:describe|it|test|suite|context|specify|fdescribe|fit|xdescribe|xit|xtest|bench)(?:\\.\\w+)*(?:$|[(`])")) @definition.test

; Uses.
(call_expression
  function: (_) @callee
  arguments: (arguments)? @arguments) @reference.call
(call_expression
  function: (subscript_expression
    object: (_) @receiver
    index: (string (string_fragment) @name))
  arguments: (arguments)? @arguments) @reference.call
(call_expression
  function: (super) @name
  arguments: (arguments) @arguments) @reference.call
(new_expression
  constructor: (_) @callee
  arguments: (arguments)? @arguments) @reference.new
(decorator [(identifier) (member_expression)] @callee) @reference.call

; Handed on, compared, read: a name in the place of an expression, and every member that is asked for.
(primary_expression/identifier) @name @reference.value
(shorthand_property_identifier) @name @reference.value
(member_expression
  object: (_) @receiver
  property: (_) @name) @reference.value

; Imports.
(import_statement
  (import_clause (identifier) @alias)
  source: (string) @module
  (#set! name "default")) @import
(import_statement
  (import_clause (namespace_import (identifier) @alias))
  source: (string) @module) @import
(import_statement
  (import_clause
    (named_imports
      (import_specifier
        name: _ @name
        alias: (_)? @alias)))
  source: (string) @module) @import
(import_statement
  .
  source: (string) @module) @import
(call_expression
  function: (import)
  arguments: (arguments . (string) @module)) @import
(variable_declarator
  name: [
    (identifier) @alias
    (object_pattern
      [
        (shorthand_property_identifier_pattern) @name
        (pair_pattern key: (_) @name value: (identifier) @alias)
      ])
  ]
  value: (await_expression
    (call_expression
      function: (import)
      arguments: (arguments . (string) @module)))) @import

(call_expression
  function: (identifier) @_require
  arguments: (arguments . (string) @module .)
  (#eq? @_require "require")) @import
(variable_declarator
  name: [
    (identifier) @alias
    (object_pattern
      [
        (shorthand_property_identifier_pattern) @name
        (pair_pattern key: (_) @name value: (identifier) @alias)
      ])
  ]
  value: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string) @module .))
  (#eq? @_require "require")) @import
(variable_declarator
  name: (identifier) @alias
  value: (member_expression
    object: (call_expression
      function: (identifier) @_require
      arguments: (arguments . (string) @module .))
    property: (_) @name)
  (#eq? @_require "require")) @import

; What is handed on from elsewhere.
(export_statement
  "*" @wildcard @reexport
  source: (string) @module) @import
(export_statement
  (namespace_export (_) @alias) @reexport
  source: (string) @module) @import
(export_statement
  (export_clause
    (export_specifier
      name: _ @name
      alias: _? @alias)) @reexport
  source: (string) @module) @import

; What is handed on of the file's own.
(export_statement
  !source
  (export_clause
    (export_specifier
      name: _ @name
      alias: _? @alias)) @reexport) @import
(export_statement
  "default" @alias @reexport
  [
    (identifier) @name
    (function_expression name: (identifier) @name)
    (generator_function name: (identifier) @name)
    (class name: (_) @name)
    (function_declaration name: (identifier) @name)
    (generator_function_declaration name: (identifier) @name)
    (class_declaration name: (_) @name)
  ]) @import

; What names stand for.
(variable_declarator
  name: (identifier) @name
  value: (_)? @value) @binding.local
(variable_declarator
  name: (object_pattern
    [
      (shorthand_property_identifier_pattern) @name @value.member
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name @value.member)
      (pair_pattern
        key: (property_identifier) @value.member
        value: [(identifier) @name (assignment_pattern left: (identifier) @name)])
    ])
  value: (_) @value) @binding.local
; A function expression's own name is the name it is given, inside of it.
(variable_declarator
  name: (identifier) @value
  value: (function_expression name: (identifier) @name)) @binding.inner
(assignment_expression
  left: (member_expression) @value
  right: (function_expression name: (identifier) @name)) @binding.inner
(shorthand_property_identifier_pattern) @name @binding.local
(pair_pattern value: (identifier) @name) @binding.local
(array_pattern (identifier) @name) @binding.local
(assignment_pattern left: (identifier) @name) @binding.local
(rest_pattern (identifier) @name) @binding.local
(arrow_function parameter: (identifier) @name) @binding.parameter
(catch_clause parameter: (identifier) @name) @binding.local
(for_in_statement
  left: (identifier) @name
  operator: "of"
  right: (_) @value.element) @binding.local
(for_in_statement left: (identifier) @name) @binding.local
(assignment_expression
  left: (identifier) @name
  right: (_) @value) @binding.assigned
(assignment_expression
  left: (member_expression
    object: (this)
    property: (_) @name)
  right: (_) @value) @binding.field
(variable_declarator
  value: (object (pair key: (property_identifier) @name value: (_) @value) @binding.member))

; What a function gives, where no type says it. Of a literal it is only an object that has members of its own.
(return_statement
  [
    (object) (identifier) (member_expression) (subscript_expression) (call_expression) (new_expression) (await_expression)
    (this) (parenthesized_expression)
  ] @value) @binding.returned
(arrow_function
  body: [
    (identifier) (member_expression) (subscript_expression) (call_expression) (new_expression) (await_expression)
    (parenthesized_expression)
  ] @value) @binding.returned
