(parameter name: (identifier) @name) @binding.parameter
(parameter type: (_) @type name: (identifier) @name) @binding.parameter
(parameter_list type: (_) @type . name: (identifier) @name) @binding.parameter
(implicit_parameter) @name @binding.parameter
(type_parameter name: (identifier) @name) @binding.parameter
(record_declaration
  (parameter_list (parameter type: (_) @type name: (identifier) @name) @binding.field))

(variable_declaration (variable_declarator name: (identifier) @name)) @binding.local
(variable_declaration
  type: [(identifier) (generic_name) (qualified_name) (array_type) (nullable_type) (predefined_type) (tuple_type)
         (pointer_type) (alias_qualified_name)] @type
  (variable_declarator name: (identifier) @name)) @binding.local
(variable_declarator name: (identifier) @name . (_) @value) @binding.local
(tuple_pattern name: (identifier) @name) @binding.local
(tuple_expression (argument (declaration_expression name: (identifier) @name))) @binding.local
(foreach_statement
  type: [(identifier) (generic_name) (qualified_name) (array_type) (nullable_type) (predefined_type) (tuple_type)] @type
  left: (identifier) @name) @binding.local
(foreach_statement left: (identifier) @name right: (_) @value.element) @binding.local
(catch_declaration type: (_) @type name: (identifier) @name) @binding.local
(declaration_expression name: (identifier) @name) @binding.local
(declaration_expression
  type: [(identifier) (generic_name) (qualified_name) (array_type) (nullable_type) (predefined_type)] @type
  name: (identifier) @name) @binding.local
(declaration_pattern type: (_) @type name: (identifier) @name) @binding.local
(recursive_pattern type: (_) @type name: (identifier) @name) @binding.local
(var_pattern name: (identifier) @name) @binding.local
(is_pattern_expression expression: (_) @value pattern: (var_pattern name: (identifier) @name)) @binding.local
(from_clause name: (identifier) @name . (_) @value.element) @binding.local
(from_clause type: (_) @type name: (identifier) @name) @binding.local
(let_clause (identifier) @name . (_) @value) @binding.local
(join_clause (identifier) @name . (_) @value.element) @binding.local

(field_declaration
  (variable_declaration
    type: (_) @type
    (variable_declarator name: (identifier) @name))) @binding.field
(field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name . (_) @value))) @binding.field
(event_field_declaration
  (variable_declaration
    type: (_) @type
    (variable_declarator name: (identifier) @name))) @binding.field
(property_declaration type: (_) @type name: (identifier) @name) @binding.field
