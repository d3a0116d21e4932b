; Definitions. Of several patterns that match one node the last decides.

(class_declaration name: (identifier) @name) @definition.class
(class_declaration name: (identifier) @name (class_body) @body) @definition.class
(class_declaration name: (identifier) @name (enum_class_body) @body) @definition.enum
(class_declaration "interface" name: (identifier) @name) @definition.interface
(class_declaration
  (modifiers (class_modifier) @_enum)
  name: (identifier) @name
  (#eq? @_enum "enum")) @definition.enum
(object_declaration name: (identifier) @name) @definition.class @is.static
(object_declaration name: (identifier) @name (class_body) @body) @definition.class @is.static
(class_declaration
  name: (identifier) @name
  (delegation_specifiers
    (delegation_specifier
      [
        (user_type) @base
        (constructor_invocation (user_type) @base)
        (explicit_delegation . (user_type) @base)
      ]))) @definition.class
(class_declaration
  "interface"
  name: (identifier) @name
  (delegation_specifiers (delegation_specifier (user_type) @base))) @definition.interface
(class_declaration
  name: (identifier) @name
  (delegation_specifiers
    (delegation_specifier
      [
        (user_type) @base
        (constructor_invocation (user_type) @base)
      ]))
  (enum_class_body)) @definition.enum
(object_declaration
  name: (identifier) @name
  (delegation_specifiers
    (delegation_specifier
      [
        (user_type) @base
        (constructor_invocation (user_type) @base)
        (explicit_delegation . (user_type) @base)
      ]))) @definition.class

; Without a name, or as good as: what it has is the class's around it, or its base's.
(companion_object "companion" @name) @definition.class @is.block
(companion_object "companion" @name (class_body) @body) @definition.class @is.block
(companion_object
  "companion" @name
  (delegation_specifiers
    (delegation_specifier
      [(user_type) @base (constructor_invocation (user_type) @base)]))) @definition.class @is.block
(object_literal
  "object" @name
  (class_body) @body) @definition.class @is.block
(object_literal
  "object" @name
  (delegation_specifiers
    (delegation_specifier
      [(user_type) @base (constructor_invocation (user_type) @base)]))) @definition.class @is.block

(enum_entry (identifier) @name) @definition.variant @is.static
(enum_entry (identifier) @name (class_body) @body) @definition.variant @is.static
(type_alias type: (identifier) @name (type) @returns .) @definition.type

(function_declaration name: (identifier) @name) @definition.function
(function_declaration name: (identifier) @name (function_body) @body) @definition.function
(function_declaration
  name: (identifier) @name
  (function_value_parameters)
  .
  (type) @returns) @definition.function
(class_body (function_declaration name: (identifier) @name) @definition.method)
(enum_class_body (function_declaration name: (identifier) @name) @definition.method)
(companion_object
  (class_body (function_declaration name: (identifier) @name) @definition.method @is.static))
; An extension is asked of the type it extends.
(function_declaration
  [(user_type) @owner (nullable_type (user_type) @owner)]
  .
  name: (identifier) @name) @definition.method
(secondary_constructor "constructor" @name) @definition.constructor
(secondary_constructor "constructor" @name (block) @body) @definition.constructor

[(function_declaration) (anonymous_function) (lambda_literal) (secondary_constructor) (anonymous_initializer) (getter)
 (setter)] @scope
[(block) (for_statement) (catch_block) (when_expression) (when_entry)] @block

(property_declaration (variable_declaration (identifier) @name)) @definition.variable
(property_declaration (multi_variable_declaration (variable_declaration (identifier) @name))) @definition.variable
(property_declaration
  (modifiers (property_modifier))
  (variable_declaration (identifier) @name)) @definition.constant
(class_body (property_declaration (variable_declaration (identifier) @name)) @definition.property)
(enum_class_body (property_declaration (variable_declaration (identifier) @name)) @definition.property)
(class_body
  (property_declaration
    (modifiers (property_modifier))
    (variable_declaration (identifier) @name)) @definition.constant @is.static)
(companion_object
  (class_body
    (property_declaration (variable_declaration (identifier) @name)) @definition.property @is.static))
(companion_object
  (class_body
    (property_declaration
      (modifiers (property_modifier))
      (variable_declaration (identifier) @name)) @definition.constant @is.static))
(property_declaration
  [(user_type) @owner (nullable_type (user_type) @owner)]
  .
  (variable_declaration (identifier) @name)) @definition.property
(class_parameter ["val" "var"] (identifier) @name) @definition.property

; A lambda that has a name.
(property_declaration
  (variable_declaration (identifier) @name)
  [(lambda_literal) (anonymous_function)] @body) @definition.function

; Uses. What is built is called.
(call_expression . (_) @callee (value_arguments)? @arguments) @reference.call
(call_expression . (_) @callee (annotated_lambda)) @reference.call
(infix_expression . (_) @receiver . (identifier) @name . (_) .) @reference.call
(constructor_delegation_call ["this" "super"] @name (value_arguments) @arguments) @reference.call

(delegation_specifier
  [
    (user_type . (identifier) @name)
    (constructor_invocation (user_type . (identifier) @name) (value_arguments) @arguments)
    (explicit_delegation . (user_type . (identifier) @name))
  ]) @reference.base
((user_type (identifier) @name @reference.type)
  (#not-any-of? @name "String" "Int" "Long" "Boolean" "Unit" "Any" "Double" "Float" "Byte" "Short" "Char" "Nothing"))

; Handed on, stored, compared.
(navigation_expression . (_) @receiver . (identifier) @name) @reference.value
(callable_reference (identifier) @name .) @reference.value
(callable_reference (user_type) @receiver (identifier) @name .) @reference.value
((primary_expression/identifier) @name @reference.value
  (#not-any-of? @name "true" "false" "null" "it"))
(interpolation (identifier) @name @reference.value)
