; Definitions. Of several patterns that match one node the last decides.

(package_object name: (identifier) @name) @definition.module @is.block
(class_definition name: (identifier) @name) @definition.class
(object_definition name: (identifier) @name) @definition.class
(trait_definition name: (identifier) @name) @definition.trait
(enum_definition name: (identifier) @name) @definition.enum
(class_definition
  name: (identifier) @name
  extend: (extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @base)) @definition.class
(object_definition
  name: (identifier) @name
  extend: (extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @base)) @definition.class
(trait_definition
  name: (identifier) @name
  extend: (extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @base)) @definition.trait
(enum_definition
  name: (identifier) @name
  extend: (extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @base)) @definition.enum
[(simple_enum_case name: (identifier) @name) (full_enum_case name: (identifier) @name)] @definition.variant @is.static
(type_definition name: (type_identifier) @name) @definition.type
(type_definition name: (type_identifier) @name type: (_) @returns) @definition.type

; A class without a name is called what makes it.
(instance_expression "new" @name (template_body) @body) @definition.class @is.block
(instance_expression
  "new" @name
  [(type_identifier) (generic_type) (stable_type_identifier)] @base
  (template_body) @body) @definition.class @is.block

(function_definition name: (_) @name return_type: (_)? @returns) @definition.function
(function_declaration name: (_) @name return_type: (_)? @returns) @definition.function @is.declared
(template_body
  [(function_definition name: (_) @name) (function_declaration name: (_) @name)] @definition.method)
(with_template_body
  [(function_definition name: (_) @name) (function_declaration name: (_) @name)] @definition.method)
(enum_body
  [(function_definition name: (_) @name) (function_declaration name: (_) @name)] @definition.method)
(object_definition
  body: (template_body
    [(function_definition name: (_) @name) (function_declaration name: (_) @name)]
    @definition.method @is.static))
(template_body
  (function_definition name: (_) @name) @definition.constructor
  (#eq? @name "this"))
; What an extension has is asked of the type it extends.
(extension_definition
  parameters: (parameters . (parameter type: (_) @name @owner) .) @head) @definition.impl @is.block
(extension_definition
  [(function_definition name: (_) @name) (function_declaration name: (_) @name)] @definition.method)

; Values: those in functions are locals.
[(function_definition) (lambda_expression) (block) (indented_block) (case_clause) (for_expression)] @scope
(val_definition pattern: (identifier) @name) @definition.variable
(val_definition pattern: (identifiers (identifier) @name)) @definition.variable
(val_definition pattern: (tuple_pattern (identifier) @name)) @definition.variable
(val_declaration name: (identifier) @name) @definition.variable @is.declared
(var_definition pattern: (identifier) @name) @definition.variable
(var_declaration name: (identifier) @name) @definition.variable @is.declared
(given_definition name: (identifier) @name) @definition.variable
; Without a name it is called by its type.
(given_definition !name return_type: [(type_identifier) (generic_type) (stable_type_identifier)] @name) @definition.variable
(template_body
  [
    (val_definition pattern: (identifier) @name)
    (val_definition pattern: (identifiers (identifier) @name))
    (val_definition pattern: (tuple_pattern (identifier) @name))
    (val_declaration name: (identifier) @name)
    (var_definition pattern: (identifier) @name)
    (var_declaration name: (identifier) @name)
    (given_definition name: (identifier) @name)
  ] @definition.property)
(object_definition
  body: (template_body
    [
      (val_definition pattern: (identifier) @name)
      (var_definition pattern: (identifier) @name)
    ] @definition.property @is.static))
(object_definition
  body: (template_body
    (val_definition pattern: (identifier) @name) @definition.constant @is.static
    (#match? @name "^[A-Z]")))
(class_parameter ["val" "var"] name: (identifier) @name) @definition.property
(class_definition
  "case"
  class_parameters: (class_parameters (class_parameter name: (identifier) @name) @definition.property))
(full_enum_case
  class_parameters: (class_parameters (class_parameter name: (identifier) @name) @definition.property))

; A lambda that has a name.
(val_definition
  pattern: (identifier) @name
  value: (lambda_expression) @body) @definition.function

; Tests that have a sentence instead of a name.
(call_expression
  function: (call_expression
    function: (identifier) @_test
    arguments: (arguments . (string) @name))
  arguments: [(block) (colon_argument)] @body
  (#any-of? @_test "test" "it" "describe" "property" "scenario" "feature" "testM" "suite")) @definition.test
(infix_expression
  left: (infix_expression
    left: (string)
    operator: (identifier) @_should
    right: (string) @name)
  operator: (identifier) @_in
  right: [(block) (indented_block)] @body
  (#any-of? @_should "should" "must" "can")
  (#eq? @_in "in")) @definition.test

; Uses. A member without arguments may be a call as well as one with them.
(call_expression
  function: (_) @callee
  arguments: (arguments)? @arguments) @reference.call
(field_expression value: (_) @receiver field: (identifier) @name) @reference.call
(infix_expression left: (_) @receiver operator: (identifier) @name) @reference.call
(postfix_expression (_) @receiver . (identifier) @name .) @reference.call

(instance_expression
  [(type_identifier) @name (generic_type type: (type_identifier) @name)]
  arguments: (arguments)? @arguments) @reference.new
(instance_expression
  (stable_type_identifier (_) @receiver (type_identifier) @name)
  arguments: (arguments)? @arguments) @reference.new

(extends_clause [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @reference.base
(extends_clause (stable_type_identifier (_) @receiver (type_identifier) @name)) @reference.base
((type_identifier) @name @reference.type
  (#not-any-of? @name "String" "Int" "Long" "Boolean" "Unit" "Any" "Double" "Float" "AnyRef" "Nothing" "AnyVal"))
(stable_type_identifier (_) @receiver (type_identifier) @name) @reference.type

; Handed on, stored, compared.
(expression/identifier) @name @reference.value
((field_expression value: (identifier) @name @reference.value)
  (#not-any-of? @name "this" "super"))
(infix_expression left: (identifier) @name @reference.value)
(infix_expression right: (identifier) @name @reference.value)
(match_expression value: (identifier) @name @reference.value)
(assignment_expression left: (identifier) @name @reference.value)
(method_value (identifier) @name @reference.value)
(interpolation (identifier) @name @reference.value)
(stable_identifier . (identifier) @name @reference.value)
