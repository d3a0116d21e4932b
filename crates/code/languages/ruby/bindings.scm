(method_parameters (identifier) @name @binding.parameter)
(block_parameters (identifier) @name @binding.parameter)
(lambda_parameters (identifier) @name @binding.parameter)
(optional_parameter name: (identifier) @name value: (_) @value) @binding.parameter
(keyword_parameter name: (identifier) @name value: (_)? @value) @binding.parameter
(splat_parameter name: (identifier) @name) @binding.parameter
(hash_splat_parameter name: (identifier) @name) @binding.parameter
(block_parameter name: (identifier) @name) @binding.parameter
(destructured_parameter (identifier) @name @binding.parameter)

; What a block is given, where its name says what that is.
(call
  receiver: (_) @value.element
  method: (identifier) @_each
  block: (_ parameters: (block_parameters . (identifier) @name))
  (#any-of? @_each
    "each" "map" "flat_map" "select" "filter" "reject" "find" "detect" "each_with_index" "each_with_object" "any?" "all?"
    "none?" "sort_by" "group_by" "partition" "sum" "count" "find_each" "each_slice" "collect" "filter_map" "index_by"
    "reverse_each" "min_by" "max_by" "find_index" "delete_if")) @binding.parameter
(call
  receiver: (_) @value
  method: (identifier) @_tap
  block: (_ parameters: (block_parameters . (identifier) @name .))
  (#any-of? @_tap "tap" "then" "yield_self")) @binding.parameter

(assignment left: (identifier) @name right: (_) @value) @binding.local
(operator_assignment left: (identifier) @name right: (_) @value) @binding.local
(left_assignment_list (identifier) @name @binding.local)
(destructured_left_assignment (identifier) @name @binding.local)
(rest_assignment (identifier) @name @binding.local)
(for pattern: (identifier) @name value: (in (_) @value.element)) @binding.local
(for pattern: (left_assignment_list (identifier) @name)) @binding.local
(rescue variable: (exception_variable (identifier) @name)) @binding.local
(rescue
  exceptions: (exceptions . [(constant) (scope_resolution)] @type .)
  variable: (exception_variable (identifier) @name)) @binding.local
(as_pattern name: (identifier) @name) @binding.local
(as_pattern value: (constant) @type name: (identifier) @name) @binding.local
(array_pattern (identifier) @name @binding.local)
(find_pattern (identifier) @name @binding.local)
(keyword_pattern value: (identifier) @name) @binding.local
(keyword_pattern key: (hash_key_symbol) @name !value) @binding.local

(assignment left: [(instance_variable) (class_variable)] @name right: (_) @value) @binding.field
(operator_assignment left: [(instance_variable) (class_variable)] @name right: (_) @value) @binding.field
(left_assignment_list [(instance_variable) (class_variable)] @name @binding.field)
(assignment left: (constant) @name right: (_) @value) @binding.local
(assignment left: (global_variable) @name right: (_) @value) @binding.global

; What a method gives: what it returns, or what stands last in it.
(return (argument_list . (_) @value .)) @binding.returned
(method
  body: (body_statement
    [(call) (identifier) (instance_variable) (self) (operator_assignment) (assignment) (constant)] @value .)) @binding.returned
(singleton_method
  body: (body_statement
    [(call) (identifier) (instance_variable) (self) (operator_assignment) (assignment) (constant)] @value .)) @binding.returned
(method body: (call) @value) @binding.returned
(singleton_method body: (call) @value) @binding.returned
