((parameter name: (identifier) @name type: (_) @type) @binding.parameter
  (#not-match? @type "[*]$|^=>"))
(parameter name: (identifier) @name type: (repeated_parameter_type type: (_) @type.list)) @binding.parameter
(parameter name: (identifier) @name type: (lazy_parameter_type type: (_) @type)) @binding.parameter
(class_parameter name: (identifier) @name) @binding.parameter
(class_parameter name: (identifier) @name type: (_) @type) @binding.parameter
(class_parameter ["val" "var"] name: (identifier) @name type: (_) @type) @binding.field
(class_definition
  "case"
  class_parameters: (class_parameters
    (class_parameter name: (identifier) @name type: (_) @type) @binding.field))
(binding name: (identifier) @name) @binding.parameter
(binding name: (identifier) @name type: (_) @type) @binding.parameter
(lambda_expression parameters: (identifier) @name) @binding.parameter
(type_parameters name: (identifier) @name) @binding.parameter
(type_parameters (covariant_type_parameter name: (identifier) @name)) @binding.parameter
(type_parameters (contravariant_type_parameter name: (identifier) @name)) @binding.parameter

(val_definition pattern: (identifier) @name value: (_) @value) @binding.local
(val_definition pattern: (identifier) @name type: (_) @type) @binding.local
(val_definition pattern: (tuple_pattern (identifier) @name) value: (_) @value.part) @binding.local
(var_definition pattern: (identifier) @name value: (_) @value) @binding.local
(var_definition pattern: (identifier) @name type: (_) @type) @binding.local
(val_declaration name: (identifier) @name type: (_) @type) @binding.local
(var_declaration name: (identifier) @name type: (_) @type) @binding.local
(enumerator . (identifier) @name "<-" (_) @value.element) @binding.local
(enumerator . (identifier) @name "=" (_) @value) @binding.local
(enumerator . (tuple_pattern (identifier) @name)) @binding.local
; In a pattern what begins with a capital is a constant.
(typed_pattern pattern: (identifier) @name type: (_) @type) @binding.local
((case_class_pattern (identifier) @name) @binding.local
  (#not-match? @name "^[A-Z]"))
((tuple_pattern (identifier) @name) @binding.local
  (#not-match? @name "^[A-Z]"))
(capture_pattern name: (identifier) @name) @binding.local
(capture_pattern
  name: (identifier) @name
  pattern: (case_class_pattern type: (_) @type)) @binding.local
((case_clause pattern: (identifier) @name) @binding.local
  (#not-match? @name "^[A-Z]"))

(template_body
  [
    (val_definition pattern: (identifier) @name)
    (var_definition pattern: (identifier) @name)
    (val_declaration name: (identifier) @name)
    (var_declaration name: (identifier) @name)
  ] @binding.field)
(template_body
  [
    (val_definition pattern: (identifier) @name type: (_) @type)
    (var_definition pattern: (identifier) @name type: (_) @type)
    (val_declaration name: (identifier) @name type: (_) @type)
    (var_declaration name: (identifier) @name type: (_) @type)
  ] @binding.field)
(template_body
  [
    (val_definition pattern: (identifier) @name value: (_) @value)
    (var_definition pattern: (identifier) @name value: (_) @value)
    (val_definition pattern: (tuple_pattern (identifier) @name) value: (_) @value.part)
  ] @binding.field)
