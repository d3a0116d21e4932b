; What JavaScript has in its own way.
(formal_parameters (identifier) @name @binding.parameter)
(formal_parameters (assignment_pattern left: (identifier) @name right: (_) @value) @binding.parameter)
(formal_parameters (rest_pattern (identifier) @name) @binding.parameter)
(field_definition
  property: (_) @name
  value: (_)? @value) @binding.field
