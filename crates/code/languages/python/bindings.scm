(parameters (identifier) @name @binding.parameter)
(parameters (typed_parameter . (identifier) @name type: (type) @type) @binding.parameter)
(typed_parameter
  [(list_splat_pattern (identifier) @name) (dictionary_splat_pattern (identifier) @name)]) @binding.parameter
(default_parameter name: (identifier) @name value: (_) @value) @binding.parameter
(typed_default_parameter name: (identifier) @name type: (type) @type) @binding.parameter
(parameters (list_splat_pattern (identifier) @name) @binding.parameter)
(parameters (dictionary_splat_pattern (identifier) @name) @binding.parameter)
(lambda_parameters (identifier) @name @binding.parameter)
(lambda_parameters (list_splat_pattern (identifier) @name) @binding.parameter)
(lambda_parameters (dictionary_splat_pattern (identifier) @name) @binding.parameter)
; What a function without a name is given ends with it.
(lambda) @block

(assignment left: (identifier) @name right: (_) @value) @binding.local
(assignment left: (identifier) @name type: (type) @type) @binding.local
(augmented_assignment left: (identifier) @name) @binding.local
(named_expression name: (identifier) @name value: (_) @value) @binding.local
(for_statement left: (identifier) @name right: (_) @value.element) @binding.local
(for_in_clause left: (identifier) @name right: (_) @value.element) @binding.local

; Taken apart: names at least.
(pattern_list (identifier) @name @binding.local)
(tuple_pattern (identifier) @name @binding.local)
(list_pattern (identifier) @name @binding.local)
(pattern_list (list_splat_pattern (identifier) @name) @binding.local)
(tuple_pattern (list_splat_pattern (identifier) @name) @binding.local)
(list_pattern (list_splat_pattern (identifier) @name) @binding.local)

(with_item value: (as_pattern (_) @value alias: (as_pattern_target (identifier) @name))) @binding.local
(as_pattern_target (tuple (identifier) @name @binding.local))
(as_pattern_target (parenthesized_expression (identifier) @name @binding.local))
(except_clause
  value: (as_pattern
    [(identifier) (attribute)] @type
    alias: (as_pattern_target (identifier) @name))) @binding.local
(except_clause value: (as_pattern alias: (as_pattern_target (identifier) @name))) @binding.local

; What a `case` takes apart.
(case_pattern (dotted_name . (identifier) @name @binding.local .))
(keyword_pattern (dotted_name . (identifier) @name @binding.local .))
(splat_pattern (identifier) @name @binding.local)
(as_pattern (case_pattern) (identifier) @name @binding.local .)
(as_pattern (case_pattern (class_pattern . (dotted_name) @type)) (identifier) @name .) @binding.local

; A name the function does not own.
(global_statement (identifier) @name @binding.global)

; Fields.
(assignment
  left: (attribute object: (identifier) @_self attribute: (identifier) @name)
  right: (_) @value
  (#any-of? @_self "self" "cls")) @binding.field
(assignment
  left: (attribute object: (identifier) @_self attribute: (identifier) @name)
  type: (type) @type
  (#any-of? @_self "self" "cls")) @binding.field
(pattern_list
  (attribute object: (identifier) @_self attribute: (identifier) @name) @binding.field
  (#any-of? @_self "self" "cls"))
(tuple_pattern
  (attribute object: (identifier) @_self attribute: (identifier) @name) @binding.field
  (#any-of? @_self "self" "cls"))
(list_splat_pattern
  (attribute object: (identifier) @_self attribute: (identifier) @name) @binding.field
  (#any-of? @_self "self" "cls"))
(as_pattern_target
  (attribute object: (identifier) @_self attribute: (identifier) @name) @binding.field
  (#any-of? @_self "self" "cls"))
(for_statement
  left: (attribute object: (identifier) @_self attribute: (identifier) @name) @binding.field
  (#any-of? @_self "self" "cls"))
(augmented_assignment
  left: (attribute object: (identifier) @_self attribute: (identifier) @name) @binding.field
  (#any-of? @_self "self" "cls"))

; What a function gives, where no type says it; what it lends (`with f() as x`, a fixture) is given, too.
(yield [(identifier) (attribute) (call) (await) (subscript) (conditional_expression) (boolean_operator)] @value) @binding.returned
(return_statement [(identifier) (attribute) (call) (await) (subscript) (conditional_expression) (boolean_operator)] @value) @binding.returned
