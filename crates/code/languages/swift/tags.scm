; Definitions. Of several patterns that match one node the last decides: first what else is said of them, then what they
; are. What stands in a type is a method or a field by its place.

((function_declaration (modifiers (visibility_modifier) @is.private) name: (simple_identifier) @name) @definition.function
  (#any-of? @is.private "private" "fileprivate"))
((class_declaration (modifiers (visibility_modifier) @is.private) name: (type_identifier) @name) @definition.class
  (#any-of? @is.private "private" "fileprivate"))
((init_declaration (modifiers (visibility_modifier) @is.private) "init" @name) @definition.constructor
  (#any-of? @is.private "private" "fileprivate"))
((property_declaration
  (modifiers (visibility_modifier) @is.private)
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable
  (#any-of? @is.private "private" "fileprivate"))

((function_declaration (modifiers (property_modifier) @is.static) name: (simple_identifier) @name) @definition.function
  (#eq? @is.static "static"))
(function_declaration "class" @is.static name: (simple_identifier) @name) @definition.function
((protocol_function_declaration (modifiers (property_modifier) @is.static) name: (simple_identifier) @name) @definition.method
  (#eq? @is.static "static"))
((property_declaration
  (modifiers (property_modifier) @is.static)
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable
  (#eq? @is.static "static"))

(class_declaration
  declaration_kind: ["class" "actor" "struct" "enum"]
  name: (type_identifier) @name
  (inheritance_specifier inherits_from: (_) @base)) @definition.class
(class_declaration declaration_kind: ["class" "actor"] name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @definition.enum
(class_declaration declaration_kind: "extension" name: (_) @name @owner) @definition.impl @is.block
(class_declaration
  declaration_kind: "extension"
  name: (_) @name
  (inheritance_specifier inherits_from: (_) @trait)) @definition.impl
(protocol_declaration
  name: (type_identifier) @name
  (inheritance_specifier inherits_from: (_) @base)) @definition.interface
(protocol_declaration name: (type_identifier) @name) @definition.interface

(function_declaration name: (simple_identifier) @name) @definition.function
(function_declaration name: (simple_identifier) @name "->" . (_) @returns) @definition.function
(function_declaration
  (modifiers (property_modifier) @is.static)
  name: ["==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "+=" "-=" "!" "~"] @name) @definition.function
(function_declaration
  name: ["==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "+=" "-=" "!" "~" (custom_operator)] @name) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.method @is.declared
(protocol_function_declaration name: (simple_identifier) @name "->" . (_) @returns) @definition.method
(init_declaration "init" @name) @definition.constructor
(protocol_body (init_declaration "init" @name) @definition.constructor @is.declared)
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name "->" . (_) @returns (computed_property) @body) @definition.method
(macro_declaration (simple_identifier) @name) @definition.macro
(operator_declaration (custom_operator) @name) @definition.function @is.declared
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type @is.declared
(enum_entry name: (simple_identifier) @name) @definition.variant

(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable
; `let (a, b) = pair`
(property_declaration name: (pattern (pattern (simple_identifier) @name))) @definition.variable
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_) @body) @definition.property
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property @is.declared
; A closure that has a name.
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  value: (lambda_literal (statements) @body)) @definition.function

; Uses. With square brackets it is no call but an element.
(call_expression . (_) @callee (call_suffix (value_arguments "(") @arguments)) @reference.call
(call_expression . (_) @callee (call_suffix . (lambda_literal))) @reference.call
(call_expression . (simple_identifier) @name @reference.value)
(constructor_expression
  constructed_type: (user_type (type_identifier) @name)
  (constructor_suffix (value_arguments) @arguments)) @reference.new
(macro_invocation (simple_identifier) @name) @reference.call
(inheritance_specifier inherits_from: (user_type (type_identifier) @name) @reference.base)
(type_identifier) @name @reference.type

(navigation_expression
  target: (_) @receiver
  suffix: (navigation_suffix suffix: (simple_identifier) @name)) @reference.value
(navigation_expression target: (simple_identifier) @name @reference.value)
(value_argument value: (simple_identifier) @name @reference.value)
(property_declaration value: (simple_identifier) @name @reference.value)
(assignment result: (simple_identifier) @name @reference.value)
(directly_assignable_expression (simple_identifier) @name @reference.value)
(control_transfer_statement (simple_identifier) @name @reference.value)
(statements (simple_identifier) @name @reference.value)
(array_literal (simple_identifier) @name @reference.value)
(dictionary_literal (simple_identifier) @name @reference.value)
(additive_expression (simple_identifier) @name @reference.value)
(multiplicative_expression (simple_identifier) @name @reference.value)
(comparison_expression (simple_identifier) @name @reference.value)
(equality_expression (simple_identifier) @name @reference.value)
(conjunction_expression (simple_identifier) @name @reference.value)
(disjunction_expression (simple_identifier) @name @reference.value)
(infix_expression (simple_identifier) @name @reference.value)
(ternary_expression (simple_identifier) @name @reference.value)
(nil_coalescing_expression (simple_identifier) @name @reference.value)
(range_expression (simple_identifier) @name @reference.value)
(prefix_expression target: (simple_identifier) @name @reference.value)
(postfix_expression target: (simple_identifier) @name @reference.value)
(try_expression expr: (simple_identifier) @name @reference.value)
(await_expression expr: (simple_identifier) @name @reference.value)
(as_expression expr: (simple_identifier) @name @reference.value)
(tuple_expression value: (simple_identifier) @name @reference.value)
(interpolated_expression value: (simple_identifier) @name @reference.value)
(if_statement condition: (simple_identifier) @name @reference.value)
(guard_statement condition: (simple_identifier) @name @reference.value)
(while_statement condition: (simple_identifier) @name @reference.value)
(switch_statement expr: (simple_identifier) @name @reference.value)
(for_statement collection: (simple_identifier) @name @reference.value)
(selector_expression (simple_identifier) @name @reference.value)
