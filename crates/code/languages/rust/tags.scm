; Definitions. Of several patterns that match one node the last decides.

(function_item
  name: (identifier) @name
  return_type: (_)? @returns) @definition.function
(function_signature_item
  name: (identifier) @name
  return_type: (_)? @returns) @definition.function @is.declared

(struct_item name: (type_identifier) @name) @definition.struct
(struct_item name: (type_identifier) @name body: (ordered_field_declaration_list) @head) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.trait
(trait_item
  name: (type_identifier) @name
  bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @base)) @definition.trait
(type_item name: (type_identifier) @name type: (_) @returns) @definition.type
(associated_type name: (type_identifier) @name) @definition.type @is.declared
((const_item name: (identifier) @name) @definition.constant (#not-eq? @name "_"))
(static_item name: (identifier) @name) @definition.variable
(macro_definition name: (identifier) @name @head) @definition.macro
(mod_item name: (identifier) @name body: (_)) @definition.module
(mod_item name: (identifier) @name ";") @definition.module @is.declared

; An impl is called what its type is called; what stands in it is its type's.
(impl_item type: (_) @name @owner) @definition.impl @is.block
(impl_item trait: (_) @trait type: (_) @name) @definition.impl

; A method without a receiver belongs to the type.
(function_item
  name: (identifier) @name
  parameters: (parameters "(" . ")") @is.static) @definition.function
(function_signature_item
  name: (identifier) @name
  parameters: (parameters "(" . ")") @is.static) @definition.function
(function_item
  name: (identifier) @name
  parameters: (parameters . (parameter pattern: [(_pattern) "_"])) @is.static) @definition.function
(function_signature_item
  name: (identifier) @name
  parameters: (parameters . (parameter pattern: [(_pattern) "_"])) @is.static) @definition.function

(field_declaration name: (field_identifier) @name) @definition.field
(enum_variant name: (identifier) @name) @definition.variant
(enum_variant name: (identifier) @name body: (ordered_field_declaration_list) @head) @definition.variant
((attribute_item (attribute (identifier) @_mark))
  .
  (macro_definition name: (identifier) @name) @definition.macro @is.public
  (#eq? @_mark "macro_export"))

; A closure that has a name.
(let_declaration
  pattern: (identifier) @name
  value: (closure_expression body: (_) @body)) @definition.function

; Macros.
(macro_invocation (token_tree) @program)
; `bitflags! { pub struct A: u32 { const B = 1; } }` is no program; its types and flags are what they look like.
(macro_invocation
  macro: [(identifier) @_macro (scoped_identifier name: (identifier) @_macro)]
  (token_tree
    "pub"? @is.public
    .
    "struct" @definition.struct
    .
    (identifier) @name
    .
    ":"
    .
    [(primitive_type) (identifier)] @head
    .
    (token_tree) @body)
  (#eq? @_macro "bitflags"))
(macro_invocation
  macro: [(identifier) @_macro (scoped_identifier name: (identifier) @_macro)]
  (token_tree
    (token_tree "const" @definition.constant @is.public . (identifier) @name @head . "="))
  (#eq? @_macro "bitflags"))
(macro_rule right: (token_tree) @tokens)
(macro_invocation macro: (identifier) @name) @reference.call
(macro_invocation
  macro: (scoped_identifier path: (_) @receiver name: (identifier) @name)) @reference.call

; Uses.
(call_expression function: (_) @callee arguments: (arguments) @arguments) @reference.call

(struct_expression
  name: [
    (type_identifier) @name
    (scoped_type_identifier path: (_)? @receiver name: (type_identifier) @name)
    (generic_type_with_turbofish type: (type_identifier) @name)
    (generic_type_with_turbofish type: (scoped_identifier path: (_)? @receiver name: (identifier) @name))
  ]) @reference.new

(type_identifier) @name @reference.type
(scoped_type_identifier path: (_) @receiver name: (type_identifier) @name) @reference.type

(impl_item
  trait: [
    (type_identifier) @name
    (scoped_type_identifier path: (_)? @receiver name: (type_identifier) @name)
    (generic_type type: (type_identifier) @name)
    (generic_type type: (scoped_type_identifier path: (_)? @receiver name: (type_identifier) @name))
  ]) @reference.base
(trait_item
  bounds: (trait_bounds
    [
      (type_identifier) @name
      (scoped_type_identifier path: (_)? @receiver name: (type_identifier) @name)
      (generic_type type: (type_identifier) @name)
      (generic_type type: (scoped_type_identifier path: (_)? @receiver name: (type_identifier) @name))
    ] @reference.base))

; Attributes: what is derived, macros, functions that are named in a string.
(attribute
  (identifier) @_derive
  arguments: (token_tree (identifier) @name @reference.type)
  (#eq? @_derive "derive"))
(attribute
  (scoped_identifier path: (_) @receiver name: (identifier) @name) @reference.call)
(attribute_item
  (attribute . (identifier) @name @reference.call)
  (#not-any-of? @name
    "derive" "cfg" "cfg_attr" "test" "ignore" "should_panic" "inline" "cold" "must_use" "allow" "warn" "deny" "forbid"
    "expect" "deprecated" "doc" "repr" "non_exhaustive" "path" "macro_use" "macro_export" "no_mangle" "link"
    "link_name" "export_name" "target_feature" "track_caller" "automatically_derived" "global_allocator" "feature"
    "no_std" "recursion_limit" "serde" "error" "from" "source" "default" "rustfmt" "diagnostic"))
(attribute
  (identifier) @_serde
  arguments: (token_tree
    (identifier) @_key
    .
    "="
    .
    (string_literal (string_content) @name @reference.value))
  (#eq? @_serde "serde")
  (#any-of? @_key "with" "serialize_with" "deserialize_with" "skip_serializing_if")
  (#match? @name "^[A-Za-z_][A-Za-z0-9_]*$"))
(attribute
  (identifier) @_serde
  arguments: (token_tree "default" . "=" . (string_literal (string_content) @name @reference.value))
  (#eq? @_serde "serde")
  (#match? @name "^[A-Za-z_][A-Za-z0-9_]*$"))

; Handed on: a path, a field, a name. What begins with a capital letter in a pattern is a constant or a variant.
(_expression/scoped_identifier path: (_)? @receiver name: (identifier) @name) @reference.value
(_pattern/scoped_identifier path: (_)? @receiver name: (identifier) @name) @reference.value
(scoped_identifier path: (scoped_identifier path: (_) @receiver name: (identifier) @name) @reference.value)
(tuple_struct_pattern type: (scoped_identifier path: (_)? @receiver name: (identifier) @name) @reference.value)
(scoped_identifier path: (identifier) @name @reference.value)
(scoped_type_identifier path: (identifier) @name @reference.value)
(_expression/field_expression value: (_) @receiver field: (field_identifier) @name) @reference.value
(_expression/identifier) @name @reference.value
(shorthand_field_initializer (identifier) @name @reference.value)
(tuple_struct_pattern type: (identifier) @name @reference.value)
((_pattern/identifier) @name @reference.value (#match? @name "^[A-Z]"))
