; Definitions.
(class_declaration name: (name) @name) @definition.class
(anonymous_class "class" @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum
(enum_case name: (name) @name) @definition.variant
(function_definition name: (name) @name) @definition.function

(method_declaration name: (name) @name) @definition.method
((method_declaration name: (name) @name) @definition.constructor
  (#eq? @name "__construct"))
(method_declaration (static_modifier) @is.static name: (name) @name) @definition.method
(method_declaration name: (name) @name !body) @is.declared @definition.method
((method_declaration name: (name) @name) @is.test @definition.method
  (#match? @name "^test[A-Z_]"))

(const_element . (name) @name) @definition.constant
(property_element name: (variable_name (name) @name)) @definition.field
(property_declaration (static_modifier) @is.static (property_element name: (variable_name (name) @name)) @definition.field)
(property_promotion_parameter name: (variable_name (name) @name)) @is.member @definition.field
(function_call_expression
  function: (name) @_define
  arguments: (arguments . (argument (string) @name))
  (#eq? @_define "define")) @definition.constant
; Tests that have a sentence instead of a name (Pest).
(function_call_expression
  function: (name) @_test
  arguments: (arguments
    .
    (argument [(string) (encapsed_string)] @name)
    .
    (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]))
  (#any-of? @_test "it" "test" "describe")) @definition.test

; Variables of a script, closures with a name.
(program (expression_statement (assignment_expression left: (variable_name) @name) @definition.variable))
(assignment_expression
  left: (variable_name) @name
  right: [(arrow_function) (anonymous_function)] @body) @definition.function

; Uses.
(function_call_expression
  function: [(name) @name (qualified_name prefix: (namespace_name)? @receiver (name) @name)]
  arguments: (arguments) @arguments) @reference.call
(member_call_expression object: (_) @receiver name: (name) @name arguments: (arguments) @arguments) @reference.call
(nullsafe_member_call_expression
  object: (_) @receiver
  name: (name) @name
  arguments: (arguments) @arguments) @reference.call
(scoped_call_expression scope: (_) @receiver name: (name) @name arguments: (arguments) @arguments) @reference.call
(object_creation_expression
  [(name) @name (qualified_name prefix: (namespace_name)? @receiver (name) @name)]
  (arguments)? @arguments) @reference.new
(attribute
  [(name) @name (qualified_name prefix: (namespace_name)? @receiver (name) @name)]
  parameters: (arguments)? @arguments) @reference.new

(base_clause
  [(name) @name (qualified_name prefix: (namespace_name)? @receiver (name) @name)] @reference.base @mixin)
(class_interface_clause
  [(name) @name (qualified_name prefix: (namespace_name)? @receiver (name) @name)] @reference.base @mixin)
(use_declaration
  [(name) @name (qualified_name prefix: (namespace_name)? @receiver (name) @name)] @reference.base @mixin)

(named_type
  [(name) @name (qualified_name prefix: (namespace_name)? @receiver (name) @name)]) @reference.type

; Handed on: constants, members, classes by their name, `[$this, 'method']`.
(primary_expression/name) @name @reference.value
(scoped_call_expression scope: (name) @name @reference.value)
(scoped_property_access_expression scope: (name) @name @reference.value)
(class_constant_access_expression . (name) @name @reference.value)
(class_constant_access_expression . (_) @receiver (name) @name .) @reference.value
(binary_expression operator: "instanceof" right: (name) @name @reference.value)
(member_access_expression object: (_) @receiver name: (name) @name) @reference.value
(nullsafe_member_access_expression object: (_) @receiver name: (name) @name) @reference.value
(scoped_property_access_expression scope: (_) @receiver name: (variable_name (name) @name)) @reference.value
(array_creation_expression
  . (array_element_initializer (variable_name) @receiver)
  . (array_element_initializer (string (string_content) @name)) .) @reference.value
