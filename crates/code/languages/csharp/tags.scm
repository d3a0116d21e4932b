; Definitions. Of several patterns that match one node the last decides.

(namespace_declaration name: (_) @name body: (_) @body) @definition.module @is.block @is.public

(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(delegate_declaration name: (identifier) @name) @definition.type

(class_declaration
  name: (identifier) @name
  (base_list [(identifier) (generic_name) (qualified_name) (alias_qualified_name)] @base)) @definition.class
(record_declaration
  name: (identifier) @name
  (base_list
    [
      [(identifier) (generic_name) (qualified_name)] @base
      (primary_constructor_base_type type: (_) @base)
    ])) @definition.class
(struct_declaration
  name: (identifier) @name
  (base_list [(identifier) (generic_name) (qualified_name) (alias_qualified_name)] @base)) @definition.struct
(interface_declaration
  name: (identifier) @name
  (base_list [(identifier) (generic_name) (qualified_name) (alias_qualified_name)] @base)) @definition.interface

(enum_member_declaration name: (identifier) @name) @definition.variant @is.public @is.static

(method_declaration returns: (_) @returns name: (identifier) @name) @definition.method
(method_declaration name: (identifier) @name !body) @definition.method @is.declared
(method_declaration
  (modifier) @is.static
  name: (identifier) @name
  (#eq? @is.static "static")) @definition.method
; An extension is asked of the type it extends.
(method_declaration
  name: (identifier) @name
  parameters: (parameter_list . (parameter (modifier) @_this type: (_) @owner))
  (#eq? @_this "this")) @definition.method
(local_function_statement type: (_) @returns name: (identifier) @name) @definition.function
(constructor_declaration name: (identifier) @name) @definition.constructor
(constructor_declaration
  (modifier) @is.static
  name: (identifier) @name
  (#eq? @is.static "static")) @definition.constructor
(destructor_declaration name: (identifier) @name) @definition.method
(operator_declaration type: (_) @returns operator: _ @name) @definition.method @is.static
(conversion_operator_declaration type: (_) @name @returns) @definition.method @is.static
(indexer_declaration type: (_) @returns "this" @name) @definition.property
(indexer_declaration type: (_) @returns "this" @name value: (_) @body) @definition.property
(property_declaration type: (_) @returns name: (identifier) @name) @definition.property
(property_declaration name: (identifier) @name value: (arrow_expression_clause) @body) @definition.property
(property_declaration
  (modifier) @is.static
  name: (identifier) @name
  (#eq? @is.static "static")) @definition.property
(event_declaration type: (_) @returns name: (identifier) @name) @definition.field
(event_field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field

(field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
; What a field is filled with is no part of its signature.
(field_declaration
  (variable_declaration
    (variable_declarator
      name: (identifier) @name
      [
        (lambda_expression body: (_) @body)
        (object_creation_expression initializer: (_) @body)
        (implicit_object_creation_expression (initializer_expression) @body)
        (array_creation_expression (initializer_expression) @body)
        (initializer_expression) @body
      ]))) @definition.field
(field_declaration
  (modifier) @is.static
  (variable_declaration (variable_declarator name: (identifier) @name))
  (#eq? @is.static "static")) @definition.field
(field_declaration
  (modifier) @is.static
  (variable_declaration (variable_declarator name: (identifier) @name))
  (#eq? @is.static "const")) @definition.constant
(field_declaration
  (modifier) @_static
  (modifier) @_readonly
  (variable_declaration (variable_declarator name: (identifier) @name))
  (#eq? @_static "static")
  (#eq? @_readonly "readonly")) @definition.constant
(record_declaration
  (parameter_list (parameter name: (identifier) @name) @definition.property @is.public))

; What an interface declares is public.
(interface_declaration
  body: (declaration_list
    [
      (method_declaration name: (identifier) @name) @definition.method
      (property_declaration name: (identifier) @name) @definition.property
    ] @is.public))

; A lambda that has a name.
(local_declaration_statement
  (variable_declaration
    (variable_declarator
      name: (identifier) @name
      [
        (lambda_expression body: (_) @body)
        (anonymous_method_expression (block) @body)
      ]))) @definition.function

; Uses.
(invocation_expression
  function: (_) @callee
  arguments: (argument_list) @arguments) @reference.call
(constructor_initializer
  ["base" "this"] @name
  (argument_list) @arguments) @reference.call

(object_creation_expression
  type: [
    (identifier) @name
    (generic_name (identifier) @name)
    (nullable_type type: (identifier) @name)
  ]
  arguments: (argument_list)? @arguments) @reference.new
(object_creation_expression
  type: (qualified_name
    qualifier: (_) @receiver
    name: [(identifier) @name (generic_name (identifier) @name)])
  arguments: (argument_list)? @arguments) @reference.new

(attribute name: (identifier) @name) @reference.type
(attribute name: (qualified_name qualifier: (_) @receiver name: (identifier) @name)) @reference.type

(base_list [(identifier) @name (generic_name (identifier) @name)]) @reference.base
(base_list
  (qualified_name
    qualifier: (_) @receiver
    name: [(identifier) @name (generic_name (identifier) @name)])) @reference.base
(primary_constructor_base_type
  type: [(identifier) @name (generic_name (identifier) @name)]
  (argument_list) @arguments) @reference.base

(type/identifier) @name @reference.type
(type/generic_name (identifier) @name @reference.type)
(type/qualified_name
  qualifier: (_) @receiver
  name: [(identifier) @name (generic_name (identifier) @name)]) @reference.type

; Handed on, stored, compared.
(member_access_expression
  expression: _ @receiver
  name: [(identifier) @name (generic_name (identifier) @name)]) @reference.value
(conditional_access_expression
  condition: _ @receiver
  (member_binding_expression
    name: [(identifier) @name (generic_name (identifier) @name)])) @reference.value
(lvalue_expression/identifier) @name @reference.value
(constant_pattern (identifier) @name @reference.value)
; `is T { Key: … }`, `new T { Key = … }`
(property_pattern_clause (subpattern . (identifier) @name . (_)) @receiver) @reference.value
(recursive_pattern
  type: (_) @receiver
  (property_pattern_clause (subpattern . (identifier) @name . (_)))) @reference.value
(object_creation_expression
  type: (_) @receiver
  initializer: (initializer_expression (assignment_expression left: (identifier) @name))) @reference.value
