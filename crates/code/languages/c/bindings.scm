(parameter_declaration type: (_) @type declarator: (_) @declarator) @binding.parameter
(preproc_params (identifier) @name @binding.parameter)
(parameter_list (identifier) @name @binding.parameter)
(declaration type: (_) @type declarator: (_) @declarator) @binding.local
(declaration
  type: (_) @type
  declarator: (init_declarator declarator: (_) @declarator value: (_) @value)) @binding.local
(field_declaration type: (_) @type declarator: (_) @declarator) @binding.field
