; Definitions. Of several patterns that match one node the last decides; what stands in a function or a type, and what
; has parameters, is decided by its place and its declarator.

(function_definition type: (_) @returns declarator: (_) @declarator) @definition.function
(declaration type: (_) @returns declarator: (_) @declarator) @definition.variable
(declaration
  (storage_class_specifier) @_extern
  declarator: (_) @declarator
  (#eq? @_extern "extern")) @definition.variable @is.declared

; A macro that defines something: `TEST(suite, name) { … }`, `SYSCALL_DEFINE3(read, …) { … }`.
(translation_unit
  (expression_statement
    (call_expression
      function: (identifier) @_macro
      arguments: (argument_list . (identifier) @name) @head)
    (MISSING ";")) @definition.function
  .
  (compound_statement) @body
  (#not-match? @_macro "TEST|^Test$"))
(translation_unit
  (expression_statement
    (call_expression
      function: (identifier) @_macro
      arguments: (argument_list (identifier) @name .) @head)
    (MISSING ";")) @definition.test
  .
  (compound_statement) @body
  (#match? @_macro "TEST|^Test$"))

(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.variant
(field_declaration type: (_) declarator: (_) @declarator) @definition.field

(type_definition type: (_) declarator: (_) @declarator) @definition.type
(type_definition
  type: [
    (type_identifier) @base
    (struct_specifier name: (type_identifier) @base body: (_)? @body)
    (union_specifier name: (type_identifier) @base body: (_)? @body)
    (enum_specifier name: (type_identifier) @base body: (_)? @body)
  ]
  declarator: (_) @declarator) @definition.type
(type_definition
  type: [(struct_specifier !name body: (_) @body) (union_specifier !name body: (_) @body)]
  declarator: (_) @declarator) @definition.struct
(type_definition
  type: (enum_specifier !name body: (_) @body)
  declarator: (_) @declarator) @definition.enum

(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name parameters: (preproc_params) @head) @definition.macro
(preproc_def value: (preproc_arg) @template)
(preproc_function_def value: (preproc_arg) @template)

; Uses.
(attribute_specifier) @silent
(call_expression function: (_) @callee arguments: (argument_list) @arguments) @reference.call
(type_identifier) @name @reference.type
(expression/identifier) @name @reference.value
(field_expression argument: (_) @receiver field: (field_identifier) @name) @reference.value
(assignment_expression left: (identifier) @name @reference.value)
(field_designator (field_identifier) @name @reference.value)
(preproc_ifdef name: (identifier) @name @reference.value)
(preproc_defined (identifier) @name @reference.value)
(preproc_if condition: (identifier) @name @reference.value)
