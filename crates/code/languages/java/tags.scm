; Definitions. Of several patterns that match one node the last decides.

(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(module_declaration name: (_) @name) @definition.module

(class_declaration name: (identifier) @name superclass: (superclass (_) @base)) @definition.class
(class_declaration name: (identifier) @name interfaces: (super_interfaces (type_list (_) @base))) @definition.class
(record_declaration name: (identifier) @name interfaces: (super_interfaces (type_list (_) @base))) @definition.class
(enum_declaration name: (identifier) @name interfaces: (super_interfaces (type_list (_) @base))) @definition.enum
(interface_declaration name: (identifier) @name (extends_interfaces (type_list (_) @base))) @definition.interface

; A class without a name is called what makes it.
(object_creation_expression
  "new" @name
  type: (_) @base
  (class_body) @body) @definition.class @is.block

(enum_constant name: (identifier) @name) @definition.variant @is.public @is.static

(method_declaration
  type: (_) @returns
  name: (identifier) @name) @definition.method
(method_declaration name: (identifier) @name !body) @definition.method @is.declared
(method_declaration (modifiers "static" @is.static) name: (identifier) @name) @definition.method
(interface_body (method_declaration name: (identifier) @name) @definition.method @is.public)
(annotation_type_element_declaration
  type: (_) @returns
  name: (identifier) @name) @definition.method @is.declared @is.public
(constructor_declaration name: (identifier) @name) @definition.constructor
(compact_constructor_declaration name: (identifier) @name) @definition.constructor

(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(field_declaration
  (modifiers "static" @is.static)
  declarator: (variable_declarator name: (identifier) @name)) @definition.field
(field_declaration
  (modifiers "static" "final")
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(field_declaration
  (modifiers "final" "static")
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(constant_declaration
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant @is.public @is.static
(record_declaration
  parameters: (formal_parameters
    (formal_parameter name: (identifier) @name) @definition.field @is.public))

; What a field is filled with is no part of its signature.
[
  (field_declaration
    declarator: (variable_declarator
      name: (identifier) @name
      value: [
        (lambda_expression body: (_) @body)
        (object_creation_expression (class_body) @body)
        (array_initializer) @body
        (array_creation_expression value: (array_initializer) @body)
      ]))
] @definition.field
(field_declaration
  (modifiers "static" "final")
  declarator: (variable_declarator
    name: (identifier) @name
    value: [
      (lambda_expression body: (_) @body)
      (object_creation_expression (class_body) @body)
      (array_initializer) @body
      (array_creation_expression value: (array_initializer) @body)
    ])) @definition.constant

; A lambda that has a name.
(local_variable_declaration
  declarator: (variable_declarator
    name: (identifier) @name
    value: (lambda_expression body: (_) @body))) @definition.function

; Uses.
(method_invocation
  !object
  name: (identifier) @name
  arguments: (argument_list) @arguments) @reference.call
(method_invocation
  object: (_) @receiver
  name: (identifier) @name
  arguments: (argument_list) @arguments) @reference.call
(explicit_constructor_invocation
  constructor: (_) @name
  arguments: (argument_list) @arguments) @reference.call

(object_creation_expression
  type: [
    (type_identifier) @name
    (generic_type (type_identifier) @name)
  ]
  arguments: (argument_list) @arguments) @reference.new
(object_creation_expression
  type: [
    (scoped_type_identifier (_) @receiver . (type_identifier) @name)
    (generic_type (scoped_type_identifier (_) @receiver . (type_identifier) @name))
  ]
  arguments: (argument_list) @arguments) @reference.new

; An annotation is a type.
(marker_annotation name: (identifier) @name @reference.type (#not-eq? @name "Override"))
(annotation name: (identifier) @name @reference.type)
(marker_annotation name: (scoped_identifier scope: (_) @receiver name: (identifier) @name)) @reference.type
(annotation name: (scoped_identifier scope: (_) @receiver name: (identifier) @name)) @reference.type

[
  (superclass [(type_identifier) @name (generic_type . (type_identifier) @name)])
  (super_interfaces (type_list [(type_identifier) @name (generic_type . (type_identifier) @name)]))
  (extends_interfaces (type_list [(type_identifier) @name (generic_type . (type_identifier) @name)]))
] @reference.base

((type_identifier) @name @reference.type
  (#not-any-of? @name "String" "Object" "var"))
(scoped_type_identifier (_) @receiver . (type_identifier) @name .) @reference.type

; Handed on, stored, compared.
(field_access object: (_) @receiver field: (identifier) @name) @reference.value
(method_reference . (_) @receiver . (identifier) @name .) @reference.value
(primary_expression/identifier) @name @reference.value
(assignment_expression left: (identifier) @name @reference.value)
