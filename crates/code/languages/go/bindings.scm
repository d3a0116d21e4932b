; Parameters, receivers and named results.
[
  (function_declaration
    parameters: (parameter_list
      [(parameter_declaration name: (identifier) @name type: (_) @type)
       (variadic_parameter_declaration name: (identifier) @name type: (_) @type.list)] @binding.parameter))
  (function_declaration
    result: (parameter_list
      (parameter_declaration name: (identifier) @name type: (_) @type) @binding.parameter))
  (method_declaration
    receiver: (parameter_list
      (parameter_declaration name: (identifier) @name type: (_) @type) @binding.parameter))
  (method_declaration
    parameters: (parameter_list
      [(parameter_declaration name: (identifier) @name type: (_) @type)
       (variadic_parameter_declaration name: (identifier) @name type: (_) @type.list)] @binding.parameter))
  (method_declaration
    result: (parameter_list
      (parameter_declaration name: (identifier) @name type: (_) @type) @binding.parameter))
  (func_literal
    parameters: (parameter_list
      [(parameter_declaration name: (identifier) @name type: (_) @type)
       (variadic_parameter_declaration name: (identifier) @name type: (_) @type.list)] @binding.parameter))
  (func_literal
    result: (parameter_list
      (parameter_declaration name: (identifier) @name type: (_) @type) @binding.parameter))
]
(type_parameter_declaration name: (identifier) @name type: (_) @type) @binding.parameter

; Fields; what is embedded is called like its type.
(type_spec
  type: (struct_type
    (field_declaration_list
      [
        (field_declaration name: (field_identifier) @name type: (_) @type)
        (field_declaration !name type: (type_identifier) @name @type)
        (field_declaration !name type: (qualified_type name: (type_identifier) @name) @type)
        (field_declaration !name type: (generic_type type: (type_identifier) @name) @type)
        (field_declaration
          !name
          type: (generic_type type: (qualified_type name: (type_identifier) @name)) @type)
      ] @binding.field)))
(type_alias
  type: (struct_type
    (field_declaration_list
      (field_declaration name: (field_identifier) @name type: (_) @type) @binding.field)))

; `x := f()`; of `x, err := f()` each is a part, but `v, ok := m[k]` gives one value and whether it is.
(short_var_declaration
  left: (expression_list (identifier) @name)
  (#not-eq? @name "_")) @binding.local
(short_var_declaration
  left: (expression_list . (identifier) @name .)
  right: (expression_list . (_) @value .)) @binding.local
(short_var_declaration
  left: (expression_list . (identifier) @name . (_))
  right: (expression_list . (call_expression) @value.part .)) @binding.local
(short_var_declaration
  left: (expression_list (_) . (identifier) @name)
  right: (expression_list . (call_expression) @value.part .)) @binding.local
(short_var_declaration
  left: (expression_list . (identifier) @name . (_) .)
  right: (expression_list . [(index_expression) (type_assertion_expression)] @value .)) @binding.local
(short_var_declaration
  left: (expression_list . (identifier) @name . (_))
  right: (expression_list . (_) @value . (_))) @binding.local
(short_var_declaration
  left: (expression_list . (_) . (identifier) @name)
  right: (expression_list . (_) . (_) @value)) @binding.local

; `x, ok := <-ch`.
(short_var_declaration
  left: (expression_list . (identifier) @name . (_))
  right: (expression_list . (unary_expression operator: "<-") @value .)) @binding.local
(receive_statement
  left: (expression_list (identifier) @name)
  ":="
  (#not-eq? @name "_")) @binding.local
(receive_statement
  left: (expression_list . (identifier) @name)
  ":="
  right: (_) @value) @binding.local

(var_spec name: (identifier) @name type: (_) @type) @binding.local
(var_spec name: (identifier) @name) @binding.local
(var_spec . name: (identifier) @name . value: (expression_list . (_) @value .)) @binding.local
(var_spec
  .
  name: (identifier) @name
  .
  (identifier)
  value: (expression_list . (call_expression) @value.part .)) @binding.local
(const_spec (identifier) @name type: (_) @type) @binding.local
(const_spec (identifier) @name (#not-eq? @name "_")) @binding.local
; In a block a constant that says nothing is of the type of the one before it.
(const_declaration
  (const_spec . (identifier) @value)
  .
  (comment)*
  .
  (const_spec . (identifier) @name !value) @binding.local
  (#not-eq? @name "_"))
(const_spec . name: (identifier) @name . value: (expression_list . (_) @value .)) @binding.local

; Of a slice the second is the element, of a channel the only one.
(range_clause
  left: (expression_list (identifier) @name)
  ":="
  (#not-eq? @name "_")) @binding.local
(range_clause
  left: (expression_list . (_) . (identifier) @name)
  ":="
  right: (_) @value.element) @binding.local
(range_clause
  left: (expression_list . (identifier) @name .)
  ":="
  right: (_) @value.element) @binding.local

; In each case of a type switch the name is of that type.
(type_switch_statement
  alias: (expression_list (identifier) @name)
  value: (_) @value) @binding.local
(type_switch_statement
  alias: (expression_list (identifier) @name)
  (type_case "case" . type: (_) @type . ":") @from) @binding.local
(type_switch_statement
  alias: (expression_list (identifier) @name)
  value: (_) @value
  (default_case) @from) @binding.local
(type_switch_statement
  alias: (expression_list (identifier) @name)
  value: (_) @value
  (type_case "case" . type: (_) . ",") @from) @binding.local
