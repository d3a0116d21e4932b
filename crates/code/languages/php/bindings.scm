(simple_parameter type: (_)? @type name: (variable_name) @name) @binding.parameter
(variadic_parameter name: (variable_name) @name) @binding.parameter
(property_promotion_parameter type: (_)? @type name: (variable_name) @name) @binding.parameter
(property_promotion_parameter type: (_)? @type name: (variable_name (name) @name)) @binding.field

(assignment_expression left: (variable_name) @name right: (_) @value) @binding.local
(reference_assignment_expression left: (variable_name) @name right: (_) @value) @binding.local
(augmented_assignment_expression left: (variable_name) @name) @binding.local
(list_literal (variable_name) @name @binding.local)
(foreach_statement . (_) @value.element . (variable_name) @name) @binding.local
(foreach_statement . (_) @value.element . (by_ref (variable_name) @name)) @binding.local
(foreach_statement . (_) @value.element . (pair (_) . (variable_name) @name)) @binding.local
(foreach_statement . (_) . (pair . (variable_name) @name)) @binding.local
(catch_clause type: (type_list . (named_type) @type .) name: (variable_name) @name) @binding.local
(catch_clause name: (variable_name) @name) @binding.local
(static_variable_declaration name: (variable_name) @name value: (_)? @value) @binding.local
(global_declaration (variable_name) @name @binding.global)

(property_declaration
  type: (_)? @type
  (property_element name: (variable_name (name) @name))) @binding.field
(property_element name: (variable_name (name) @name) default_value: (_) @value) @binding.field
(assignment_expression
  left: (member_access_expression object: (variable_name) @_this name: (name) @name)
  right: (_) @value
  (#eq? @_this "$this")) @binding.field
(assignment_expression
  left: (scoped_property_access_expression scope: (relative_scope) name: (variable_name (name) @name))
  right: (_) @value) @binding.field
(const_element . (name) @name (_) @value .) @binding.local

; What a function gives, where no type says it.
(return_statement
  [
    (variable_name) (object_creation_expression) (member_call_expression) (scoped_call_expression)
    (function_call_expression) (member_access_expression) (scoped_property_access_expression) (clone_expression)
    (binary_expression) (conditional_expression) (assignment_expression)
  ] @value) @binding.returned
[(function_definition) (method_declaration) (anonymous_function) (arrow_function)] @scope
