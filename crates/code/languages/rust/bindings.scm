(parameter pattern: (identifier) @name type: (_) @type) @binding.parameter
(parameter pattern: (mut_pattern (identifier) @name) type: (_) @type) @binding.parameter
(closure_parameters (identifier) @name @binding.parameter)
; `items.iter().map(|item| …)`: what is inside of what is asked.
(call_expression
  function: (field_expression value: (_) @value.element field: (field_identifier) @_each)
  arguments: (arguments
    (closure_expression
      parameters: (closure_parameters
        .
        [(identifier) @name (reference_pattern (identifier) @name) (mut_pattern (identifier) @name)])))
  (#any-of? @_each
    "map" "for_each" "filter" "filter_map" "flat_map" "any" "all" "find" "find_map" "position" "inspect" "take_while"
    "skip_while" "map_while" "and_then" "is_some_and" "is_none_or" "is_ok_and" "retain" "partition" "sort_by_key" "min_by_key"
    "max_by_key" "then" "sort_by_cached_key" "sort_unstable_by_key" "try_for_each")) @binding.parameter

; What has names of its own.
(block) @block
(match_arm) @block
(closure_expression) @block
(if_expression) @block
(while_expression) @block
(for_expression) @block

(let_declaration pattern: (identifier) @name type: (_)? @type value: (_)? @value) @binding.local
; The first of several is what is inside: `let (ignore, error) = builder.build()`.
(let_declaration pattern: (tuple_pattern . (identifier) @name) value: (_) @value.inside) @binding.local
(let_declaration pattern: (ref_pattern (identifier) @name) value: (_)? @value) @binding.local
(for_expression pattern: (identifier) @name value: (_) @value.element) @binding.local
(for_expression pattern: (reference_pattern (identifier) @name) value: (_) @value.element) @binding.local
(const_item name: (identifier) @name type: (_) @type) @binding.local
(static_item name: (identifier) @name type: (_) @type) @binding.local
(impl_item body: (declaration_list (const_item name: (identifier) @name type: (_) @type) @binding.field))
(trait_item body: (declaration_list (const_item name: (identifier) @name type: (_) @type) @binding.field))

; `Some(x) = …`, `Ok(x) => …`: what is inside.
(let_condition
  pattern: (tuple_struct_pattern
    type: (identifier) @_some
    [(identifier) @name (ref_pattern (identifier) @name) (mut_pattern (identifier) @name) (reference_pattern (identifier) @name)])
  value: (_) @value.inside
  (#any-of? @_some "Some" "Ok")) @binding.local
(let_declaration
  pattern: (tuple_struct_pattern
    type: (identifier) @_some
    [(identifier) @name (ref_pattern (identifier) @name) (mut_pattern (identifier) @name) (reference_pattern (identifier) @name)])
  value: (_) @value.inside
  (#any-of? @_some "Some" "Ok")) @binding.local
(match_expression
  value: (_) @value.inside
  body: (match_block
    (match_arm
      pattern: (match_pattern
        (tuple_struct_pattern
          type: (identifier) @_some
          [(identifier) @name (ref_pattern (identifier) @name) (mut_pattern (identifier) @name) (reference_pattern (identifier) @name)]))))
  (#any-of? @_some "Some" "Ok")) @binding.local

; The parts of what is taken apart by its places.
(let_declaration pattern: (tuple_pattern (identifier) @name @place) value: (_) @value) @binding.local
(let_declaration
  pattern: (tuple_pattern (mut_pattern (identifier) @name) @place)
  value: (_) @value) @binding.local
(let_declaration pattern: (tuple_pattern (identifier) @name @place) type: (_) @type) @binding.local
(parameter pattern: (tuple_pattern (identifier) @name @place) type: (_) @type) @binding.local
(for_expression
  pattern: (tuple_pattern [(identifier) @name (reference_pattern (identifier) @name)] @place)
  value: (_) @value.element) @binding.local
(let_condition
  pattern: (tuple_struct_pattern
    type: (identifier) @_some
    (tuple_pattern (identifier) @name @place))
  value: (_) @value.inside
  (#any-of? @_some "Some" "Ok")) @binding.local
(call_expression
  function: (field_expression value: (_) @value.element field: (field_identifier) @_each)
  arguments: (arguments
    (closure_expression
      parameters: (closure_parameters
        .
        [
          (tuple_pattern (identifier) @name @place)
          (reference_pattern (tuple_pattern (identifier) @name @place))
        ])))
  (#any-of? @_each
    "map" "for_each" "filter" "filter_map" "flat_map" "any" "all" "find" "find_map" "position" "inspect" "take_while"
    "skip_while" "map_while" "and_then" "is_some_and" "retain" "partition")) @binding.parameter

; Names inside of patterns, wherever they stand. What begins with a capital letter is a constant or a variant.
((_pattern/identifier) @name @binding.local (#match? @name "^[^A-Z]"))
(captured_pattern . (identifier) @name @binding.local)
(field_pattern name: (shorthand_field_identifier) @name @binding.local)
; A part of a struct that is taken apart.
(let_declaration
  pattern: (struct_pattern (field_pattern name: (shorthand_field_identifier) @name @value.member))
  value: (_) @value) @binding.local
(let_declaration
  pattern: (struct_pattern
    (field_pattern name: (field_identifier) @value.member pattern: (identifier) @name))
  value: (_) @value) @binding.local

(field_declaration name: (field_identifier) @name type: (_) @type) @binding.field
(struct_item
  body: (ordered_field_declaration_list type: (_) @type @ordinal @binding.field))
