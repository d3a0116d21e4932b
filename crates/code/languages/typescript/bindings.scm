; What TypeScript adds to `javascript/ecma.scm`.
(variable_declarator
  name: (identifier) @name
  type: (type_annotation) @type) @binding.local
(required_parameter
  pattern: (identifier) @name
  type: (type_annotation)? @type
  value: (_)? @value) @binding.parameter
(required_parameter
  pattern: (rest_pattern (identifier) @name)
  type: (type_annotation)? @type) @binding.parameter
(optional_parameter
  pattern: (identifier) @name
  type: (type_annotation)? @type) @binding.parameter
(required_parameter
  pattern: (object_pattern
    [
      (shorthand_property_identifier_pattern) @name @value.member
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name @value.member)
      (pair_pattern
        key: (property_identifier) @value.member
        value: [(identifier) @name (assignment_pattern left: (identifier) @name)])
    ])
  type: (type_annotation) @type) @binding.parameter

(public_field_definition
  name: (_) @name
  type: (type_annotation)? @type
  value: (_)? @value) @binding.field
(interface_body
  (property_signature
    name: (_) @name
    type: (type_annotation) @type) @binding.field)
(type_alias_declaration
  value: [
    (object_type (property_signature name: (_) @name type: (type_annotation) @type) @binding.field)
    (intersection_type (object_type (property_signature name: (_) @name type: (type_annotation) @type) @binding.field))
    (union_type (object_type (property_signature name: (_) @name type: (type_annotation) @type) @binding.field))
  ])
; A parameter that is a field as well.
(method_definition
  parameters: (formal_parameters
    (required_parameter
      [(accessibility_modifier) (override_modifier) "readonly"]
      pattern: (identifier) @name
      type: (type_annotation)? @type
      value: (_)? @value) @binding.field))

(import_alias
  (identifier) @name
  [(identifier) (nested_identifier)] @value) @binding.global
(return_statement [(as_expression) (satisfies_expression) (non_null_expression)] @value) @binding.returned
(arrow_function body: [(as_expression) (satisfies_expression) (non_null_expression)] @value) @binding.returned
