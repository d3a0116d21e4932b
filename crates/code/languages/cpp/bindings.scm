(parameter_declaration type: (_) @type declarator: (_) @declarator) @binding.parameter
(optional_parameter_declaration type: (_) @type declarator: (_) @declarator) @binding.parameter
(variadic_parameter_declaration type: (_) @type declarator: (_) @declarator) @binding.parameter
(preproc_params (identifier) @name @binding.parameter)
(lambda_capture_initializer left: (identifier) @name right: (_) @value) @binding.local

(declaration type: (_) @type declarator: (_) @declarator) @binding.local
(declaration
  type: (_) @type
  declarator: (init_declarator declarator: (_) @declarator value: (_) @value)) @binding.local
(declaration
  type: (placeholder_type_specifier)
  declarator: (init_declarator declarator: (_) @declarator value: (_) @value)) @binding.local
(structured_binding_declarator (identifier) @name @binding.local)
(condition_clause value: (declaration type: (_) @type declarator: (_) @declarator value: (_) @value) @binding.local)
(for_range_loop type: (_) @type declarator: (_) @declarator right: (_) @value.element) @binding.local

(field_declaration type: (_) @type declarator: (_) @declarator) @binding.field
(field_declaration
  type: (_) @type
  declarator: (_) @declarator
  default_value: (_) @value) @binding.field
