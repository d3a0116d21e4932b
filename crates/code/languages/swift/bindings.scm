(parameter name: (simple_identifier) @name (_) @type .) @binding.parameter
(lambda_parameter name: (simple_identifier) @name) @binding.parameter
(lambda_parameter name: (simple_identifier) @name (_) @type .) @binding.parameter

(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @binding.local
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  .
  (type_annotation (_) @type)) @binding.local
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  value: (_) @value) @binding.local
(class_body
  (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @binding.field)
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  (type_annotation (_) @type)) @binding.field
(enum_class_body
  (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @binding.field)

; `if let x = y`: what is inside.
(if_statement bound_identifier: (simple_identifier) @name . "=" . (_) @value.inside) @binding.local
(guard_statement bound_identifier: (simple_identifier) @name . "=" . (_) @value.inside) @binding.local
(while_statement bound_identifier: (simple_identifier) @name . "=" . (_) @value.inside) @binding.local
(for_statement
  item: (pattern bound_identifier: (simple_identifier) @name)
  collection: (_) @value.element) @binding.local
(pattern bound_identifier: (simple_identifier) @name @binding.local)
(switch_pattern (pattern (value_binding_pattern) (pattern (simple_identifier) @name @binding.local)))
