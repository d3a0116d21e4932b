; What runs.
(function_item name: (_) @name parameters: (_) @parameters body: (_) @body) @function.hoisted
(closure_expression parameters: (_) @parameters body: (_) @body) @function
(impl_item body: (_)? @body) @type
(trait_item name: (_) @name body: (_) @body) @type
(mod_item name: (_) @name body: (_)? @body) @type
[(struct_item) (enum_item) (union_item) (type_item) (use_declaration) (macro_definition) (attribute_item)
 (inner_attribute_item) (extern_crate_declaration) (associated_type) (function_signature_item) (empty_statement)] @skip
(block (label)? @skip) @block.giving
[(unsafe_block) (async_block) (try_block) (const_block) (gen_block)] @else
(expression_statement) @statement

(if_expression condition: (_) @condition consequence: (_) @then alternative: (_)? @else) @if
(else_clause) @else
(while_expression (label)? @label condition: (_) @condition body: (_) @body) @loop
(loop_expression (label)? @label body: (_) @body) @loop
(for_expression (label)? @label pattern: (_) @declared value: (_) @value body: (_) @body) @loop
(match_expression value: (_) @subject body: (_) @body) @switch.whole
(match_arm pattern: (_) @pattern value: (_) @body) @case
(match_pattern condition: (_)? @guard) @bind

(return_expression) @return
(break_expression (label)? @label) @break
(continue_expression (label)? @label) @continue
(try_expression) @propagate
(binary_expression operator: ["&&" "||"]) @decision

; What is read and written.
[(identifier) (self) (shorthand_field_identifier)] @name
(field_expression value: (_) @object field: (_) @member) @member
(index_expression) @index
(call_expression function: (_) @callee arguments: (_) @arguments) @call
(macro_invocation macro: (_) @callee (token_tree) @arguments) @macro
(token_tree) @tokens
(token_repetition) @tokens
(string_content) @format
(await_expression) @through
(reference_expression (mutable_specifier) value: (_)) @reference
(unary_expression "*") @dereference
(let_declaration (mutable_specifier)? @mutable pattern: (_) @declared type: (_)? @pointer value: (_)? @value
  alternative: (_)? @else) @bind
(let_condition pattern: (_) @declared value: (_) @value) @bind
(assignment_expression left: (_) @target right: (_) @value) @bind
(compound_assignment_expr left: (_) @target right: (_) @value) @update
(parameter (mutable_specifier)? @mutable pattern: (_) @declared type: (_) @pointer) @bind
(self_parameter (mutable_specifier)? @mutable (self) @declared) @bind
(mut_pattern (mutable_specifier) @mutable) @bind
(ref_pattern) @bind
(tuple_struct_pattern type: (_) @skip) @bind
(struct_pattern type: (_) @skip) @bind
(field_pattern (mutable_specifier)? @mutable name: (_) @target !pattern) @bind
(field_pattern (mutable_specifier)? @mutable name: (_) @skip pattern: (_) @target) @bind
(const_item name: (_) @declared type: (_) @skip value: (_)? @value) @bind
(static_item (mutable_specifier)? @mutable name: (_) @declared type: (_) @skip value: (_)? @value) @bind
(generic_function function: (_) @object type_arguments: (_) @skip) @through
(struct_expression name: (_) @skip body: (_)) @bind
(field_initializer field: (_) @skip value: (_) @value) @property
(type_cast_expression value: (_) @value type: (_) @skip) @bind
[(scoped_identifier) (type_arguments) (generic_type) (scoped_type_identifier) (lifetime) (label) (visibility_modifier)
 (range_pattern) (reference_type)] @skip
[(line_comment) (block_comment)] @comment

((identifier) @words.rules (#any-of? @words.rules "says-what-changes" "arguments-are-copies" "capitals-are-constants"))
((identifier) @words.truth (#any-of? @words.truth "true"))
((identifier) @words.never (#any-of? @words.never
  "panic" "unreachable" "todo" "unimplemented" "bail" "anyhow::bail" "process::exit" "std::process::exit" "exit"
  "process::abort" "std::process::abort" "compile_error"))
((identifier) @words.pure (#any-of? @words.pure
  "len" "is_*" "as_ref" "as_str" "as_slice" "as_bytes" "as_deref" "as_path" "to_*" "into*" "iter" "peek" "chars" "bytes"
  "lines" "get" "contains*" "starts_with" "ends_with" "find" "rfind" "position" "any" "all" "map*" "filter*" "fold" "sum"
  "count" "min" "max" "min_by_key" "max_by_key" "clone" "cloned" "copied" "unwrap" "expect" "unwrap_or"
  "unwrap_or_else" "unwrap_or_default" "ok" "err" "ok_or" "ok_or_else" "and_then" "or_else" "first" "last" "keys"
  "values" "trim*" "split" "split_whitespace" "split_once" "splitn" "rsplit" "rsplit_once" "split_at" "strip_*" "rev" "zip" "enumerate" "collect" "join" "display" "capacity" "eq" "cmp"
  "partial_cmp" "windows" "chunks" "binary_search*" "partition_point" "borrow" "borrow_mut" "iter_mut" "get_mut" "as_mut" "entry" "lock" "values_mut" "read" "checked_*" "saturating_*"
  "wrapping_*" "elapsed" "then" "then_some" "copied" "exists" "parent" "file_name" "extension" "Some" "Ok" "Err" "Box::new"
  "Arc::new" "Rc::new" "Vec::with_capacity" "drop"))
((identifier) @words.mutates (#any-of? @words.mutates
  "push" "push_str" "push_back" "push_front" "pop" "pop_front" "pop_back" "insert" "remove" "clear" "extend" "append"
  "truncate" "drain" "retain" "sort" "sort_by" "sort_by_key" "sort_unstable" "dedup" "swap" "reverse" "resize" "set"
  "store" "fetch_add" "fetch_sub" "swap_remove" "split_off" "replace" "take" "send" "write" "write_all" "write_str" "next"
  "next_back" "read_line" "read_to_string" "read_to_end" "extend_from_slice"))
((identifier) @words.fills (#any-of? @words.fills "write" "writeln" "mem::take" "std::mem::take" "mem::replace"))
((identifier) @words.views (#any-of? @words.views
  "get" "get_mut" "iter" "iter_mut" "values_mut" "values" "first_mut" "last_mut" "first" "last" "entry" "or_default"
  "or_insert" "or_insert_with" "as_mut" "as_ref" "as_deref_mut" "unwrap" "expect" "lock" "borrow_mut" "borrow" "write"
  "enumerate" "rev" "zip" "skip" "take" "filter" "chunks_mut" "split_at_mut" "into_iter" "by_ref" "drain" "peekable"))
