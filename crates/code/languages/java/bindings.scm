(formal_parameter type: (_) @type name: (identifier) @name) @binding.parameter
(spread_parameter (_) @type.list . (variable_declarator name: (identifier) @name)) @binding.parameter
(lambda_expression parameters: (identifier) @name @binding.parameter)
(inferred_parameters (identifier) @name @binding.parameter)
(type_parameter (type_identifier) @name) @binding.parameter
(type_parameter (type_identifier) @name (type_bound . (_) @type)) @binding.parameter
(record_declaration
  parameters: (formal_parameters
    (formal_parameter type: (_) @type name: (identifier) @name) @binding.field))

(local_variable_declaration
  type: (_) @type
  declarator: (variable_declarator name: (identifier) @name)
  (#not-eq? @type "var")) @binding.local
(local_variable_declaration
  declarator: (variable_declarator name: (identifier) @name value: (_) @value)) @binding.local
(enhanced_for_statement
  type: (_) @type
  name: (identifier) @name
  (#not-eq? @type "var")) @binding.local
(enhanced_for_statement
  name: (identifier) @name
  value: (_) @value.element) @binding.local
(resource
  type: (_) @type
  name: (identifier) @name
  (#not-eq? @type "var")) @binding.local
(resource
  name: (identifier) @name
  value: (_) @value) @binding.local
(catch_formal_parameter (catch_type . (_) @type) name: (identifier) @name) @binding.local
(instanceof_expression right: (_) @type name: (identifier) @name) @binding.local
(type_pattern (_) @type . (identifier) @name .) @binding.local
(record_pattern_component (_) @type . (identifier) @name .) @binding.local

(field_declaration
  type: (_) @type
  declarator: (variable_declarator name: (identifier) @name)) @binding.field
(field_declaration
  declarator: (variable_declarator name: (identifier) @name value: (_) @value)) @binding.field
(constant_declaration
  type: (_) @type
  declarator: (variable_declarator name: (identifier) @name)) @binding.field
