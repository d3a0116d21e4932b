; What TypeScript adds to `javascript/ecma.scm`.

(internal_module name: (_) @name) @definition.module
(module name: (_) @name) @definition.module
(ambient_declaration "global" @name (statement_block) @body) @definition.module

(function_signature name: (identifier) @name) @definition.function @is.declared

; Types.
(abstract_class_declaration
  name: (type_identifier) @name) @definition.class
(interface_declaration
  name: (type_identifier) @name) @definition.interface
(interface_declaration
  name: (type_identifier) @name
  (extends_type_clause type: (_) @base)) @definition.interface
(class_declaration
  name: (type_identifier) @name
  (class_heritage
    [
      (extends_clause value: [(identifier) (member_expression)] @base)
      (extends_clause value: (call_expression arguments: (arguments (identifier) @base)))
      (implements_clause (_) @base)
    ])) @definition.class
(abstract_class_declaration
  name: (type_identifier) @name
  (class_heritage
    [
      (extends_clause value: [(identifier) (member_expression)] @base)
      (extends_clause value: (call_expression arguments: (arguments (identifier) @base)))
      (implements_clause (_) @base)
    ])) @definition.class
(variable_declarator
  name: (identifier) @name
  value: (class
    (class_heritage
      [
        (extends_clause value: [(identifier) (member_expression)] @base)
        (implements_clause (_) @base)
      ]))) @definition.class
(export_statement
  "default" @name
  value: (class
    !name
    (class_heritage
      [
        (extends_clause value: [(identifier) (member_expression)] @base)
        (implements_clause (_) @base)
      ]))) @definition.class
(type_alias_declaration name: (type_identifier) @name) @definition.type
; Another name for a type, or more of it.
(type_alias_declaration
  name: (type_identifier) @name
  value: [
    (type_identifier) @returns
    (nested_type_identifier) @returns
    (generic_type) @returns
    (array_type) @returns
    (union_type [(type_identifier) (nested_type_identifier) (generic_type)]) @returns
    (intersection_type [(type_identifier) (nested_type_identifier) (generic_type)] @base)
    (intersection_type (intersection_type [(type_identifier) (nested_type_identifier) (generic_type)] @base))
  ]) @definition.type
(enum_declaration
  name: (identifier) @name) @definition.enum
(enum_body name: (_) @name @definition.variant)
(enum_body (enum_assignment name: (_) @name) @definition.variant)

; Members.
(public_field_definition name: (_) @name) @definition.field
(public_field_definition "abstract" @is.declared name: (_) @name) @definition.field
(public_field_definition "static" @is.static name: (_) @name) @definition.field
(public_field_definition
  name: (_) @name
  value: [(arrow_function) (function_expression)] @body) @definition.method
(method_signature name: (_) @name) @definition.method @is.declared
(method_signature "static" @is.static name: (_) @name) @definition.method
(method_signature ["get" "set"] name: (_) @name) @definition.property
(method_signature
  name: (property_identifier) @name
  (#eq? @name "constructor")) @definition.constructor
(abstract_method_signature name: (_) @name) @definition.method @is.declared
(abstract_method_signature ["get" "set"] name: (_) @name) @definition.property
(interface_body (property_signature name: (_) @name) @definition.field)
((interface_body
  (call_signature parameters: (_) @name return_type: (_)? @returns) @definition.method @is.declared)
  (#set! name "()"))
(interface_body (construct_signature "new" @name type: (_)? @returns) @definition.constructor @is.declared)
(type_alias_declaration
  value: [
    (object_type (property_signature name: (_) @name) @definition.field)
    (intersection_type (object_type (property_signature name: (_) @name) @definition.field))
    (union_type (object_type (property_signature name: (_) @name) @definition.field))
  ])
(method_definition
  parameters: (formal_parameters
    [
      (required_parameter
        [(accessibility_modifier) (override_modifier) "readonly"] @is.member
        pattern: (identifier) @name) @definition.field
      (optional_parameter
        [(accessibility_modifier) (override_modifier) "readonly"] @is.member
        pattern: (identifier) @name) @definition.field
    ]))

; Uses of types.
(type_identifier) @name @reference.type
(nested_type_identifier
  module: (_) @receiver
  name: (type_identifier) @name) @reference.type
(extends_clause value: (identifier) @name @reference.base)
(extends_clause
  value: (member_expression
    object: (_) @receiver
    property: (_) @name) @reference.base)
(implements_clause (type_identifier) @name @reference.base)
(implements_clause (generic_type name: (type_identifier) @name @reference.base))
(implements_clause (nested_type_identifier module: (_) @receiver name: (_) @name) @reference.base)
(implements_clause
  (generic_type name: (nested_type_identifier module: (_) @receiver name: (_) @name)) @reference.base)
(extends_type_clause type: (type_identifier) @name @reference.base)
(extends_type_clause type: (generic_type name: (type_identifier) @name @reference.base))
(extends_type_clause type: (nested_type_identifier module: (_) @receiver name: (_) @name) @reference.base)
(extends_type_clause
  type: (generic_type name: (nested_type_identifier module: (_) @receiver name: (_) @name)) @reference.base)
(type_query (identifier) @name @reference.value)

; A function behind a cast is still one: `string: ((arg) => …) as Create`.
(pair
  key: (property_identifier) @name
  value: (as_expression
    (parenthesized_expression [(arrow_function) (function_expression)] @body))) @definition.method
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: (as_expression
    (parenthesized_expression [(arrow_function) (function_expression)] @body))) @definition.method
(variable_declarator
  name: (identifier) @name
  value: (as_expression
    (parenthesized_expression [(arrow_function) (function_expression)] @body))) @definition.function
(assignment_expression
  left: (member_expression
    object: (parenthesized_expression)
    property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)] @body) @definition.method
(variable_declarator
  name: (identifier) @name
  value: (function_expression name: (identifier)) @body) @definition.function
