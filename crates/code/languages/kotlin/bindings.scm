(function_value_parameters (parameter . (identifier) @name . (_) @type) @binding.parameter)
(class_parameter (identifier) @name (type) @type) @binding.parameter
(class_parameter ["val" "var"] (identifier) @name (type) @type) @binding.field
(type_parameter (identifier) @name) @binding.parameter
(type_parameter (identifier) @name (type) @type) @binding.parameter
(lambda_parameters (variable_declaration (identifier) @name)) @binding.parameter
(lambda_parameters (variable_declaration (identifier) @name (type) @type)) @binding.parameter
(lambda_parameters (multi_variable_declaration (variable_declaration (identifier) @name))) @binding.parameter
(setter (identifier) @name) @binding.parameter

(property_declaration (variable_declaration (identifier) @name)) @binding.local
(property_declaration (variable_declaration (identifier) @name (type) @type)) @binding.local
(property_declaration (variable_declaration (identifier) @name) . (expression) @value) @binding.local
(property_declaration (multi_variable_declaration (variable_declaration (identifier) @name))) @binding.local
(for_statement (variable_declaration (identifier) @name) . (_) @value.element) @binding.local
(for_statement (variable_declaration (identifier) @name (type) @type)) @binding.local
(for_statement (multi_variable_declaration (variable_declaration (identifier) @name))) @binding.local
(catch_block (identifier) @name (type) @type) @binding.local
(when_subject (variable_declaration (identifier) @name) . (_) @value) @binding.local

; What is asked for its type is of it from there on.
(when_expression
  (when_subject [(identifier) @name (variable_declaration (identifier) @name)])
  (when_entry condition: (type_test (type) @type)) @from) @binding.local
((if_expression
  (is_expression (identifier) @name [(user_type) (nullable_type)] @type) @_test
  .
  (block) @from) @binding.local
  (#not-match? @_test "!is\\b"))

(class_body (property_declaration (variable_declaration (identifier) @name)) @binding.field)
(class_body (property_declaration (variable_declaration (identifier) @name (type) @type)) @binding.field)
(class_body (property_declaration (variable_declaration (identifier) @name) . (expression) @value) @binding.field)
(enum_class_body (property_declaration (variable_declaration (identifier) @name (type) @type)) @binding.field)
