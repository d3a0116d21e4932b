; Definitions. Of several patterns that match one node the last decides. A declaration of one name is taken whole; in a
; block (`const ( … )`) each name is its own, which only the text can tell: an anchor does not see a parenthesis.

(function_declaration
  name: (identifier) @name
  result: (_)? @returns) @definition.function
(function_declaration
  name: (identifier) @name
  !body) @definition.function @is.declared

(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (field_identifier) @name
  result: (_)? @returns) @definition.method

; Tests: what `go test` runs, and the methods of a suite.
(function_declaration
  name: (identifier) @name
  parameters: (parameter_list
    (parameter_declaration
      type: (pointer_type (qualified_type package: (package_identifier) @_testing))))
  (#eq? @_testing "testing")
  (#match? @name "^(Test|Benchmark|Fuzz)([^a-z]|$)")) @definition.function @is.test
(function_declaration
  name: (identifier) @name
  parameters: (parameter_list . "(" . ")")
  (#match? @name "^Example([^a-z]|$)")) @definition.function @is.test
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @_suite))
  name: (field_identifier) @name
  parameters: (parameter_list . "(" . ")")
  (#match? @_suite "(Suite|Tests?)$")
  (#match? @name "^Test([^a-z]|$)")) @definition.method @is.test

; Types.
((type_declaration . (type_spec name: (type_identifier) @name)) @definition.type
  (#not-match? @definition.type "^type\\s*\\("))
(type_declaration "(" (type_spec name: (type_identifier) @name) @definition.type)
((type_declaration . (type_alias name: (type_identifier) @name)) @definition.type
  (#not-match? @definition.type "^type\\s*\\("))
(type_declaration "(" (type_alias name: (type_identifier) @name) @definition.type)
((type_declaration .
  (type_alias
    name: (type_identifier) @name
    type: (struct_type (field_declaration_list) @body))) @definition.struct
  (#not-match? @definition.struct "^type\\s*\\("))

; An alias is what it stands for; any other type has the fields of the one it is made of, or its elements.
((type_declaration .
  (type_alias
    name: (type_identifier) @name
    type: (_) @returns)) @definition.type
  (#not-match? @definition.type "^type\\s*\\("))
(type_declaration "("
  (type_alias
    name: (type_identifier) @name
    type: (_) @returns) @definition.type)
((type_declaration .
  [
    (type_alias name: (type_identifier) @name type: [(type_identifier) (qualified_type) (generic_type)] @base)
    (type_spec name: (type_identifier) @name type: [(type_identifier) (qualified_type) (generic_type)] @base)
    (type_spec name: (type_identifier) @name type: [(slice_type) (map_type) (array_type) (channel_type)] @returns)
  ]) @definition.type
  (#not-match? @definition.type "^type\\s*\\("))
(type_declaration "("
  [
    (type_alias name: (type_identifier) @name type: [(type_identifier) (qualified_type) (generic_type)] @base)
    (type_spec name: (type_identifier) @name type: [(type_identifier) (qualified_type) (generic_type)] @base)
    (type_spec name: (type_identifier) @name type: [(slice_type) (map_type) (array_type) (channel_type)] @returns)
  ] @definition.type)

((type_declaration .
  (type_spec
    name: (type_identifier) @name
    type: (struct_type (field_declaration_list) @body))) @definition.struct
  (#not-match? @definition.struct "^type\\s*\\("))
(type_declaration "("
  (type_spec
    name: (type_identifier) @name
    type: (struct_type (field_declaration_list) @body)) @definition.struct)
((type_declaration .
  (type_spec
    name: (type_identifier) @name
    type: (interface_type))) @definition.interface
  (#not-match? @definition.interface "^type\\s*\\("))
(type_declaration "("
  (type_spec
    name: (type_identifier) @name
    type: (interface_type)) @definition.interface)

; What is embedded gives its members.
((type_declaration .
  (type_spec
    name: (type_identifier) @name
    type: (struct_type
      (field_declaration_list
        (field_declaration !name type: (_) @base))))) @definition.struct
  (#not-match? @definition.struct "^type\\s*\\("))
(type_declaration "("
  (type_spec
    name: (type_identifier) @name
    type: (struct_type
      (field_declaration_list
        (field_declaration !name type: (_) @base)))) @definition.struct)
((type_declaration .
  (type_spec
    name: (type_identifier) @name
    type: (interface_type
      (type_elem . [(type_identifier) (qualified_type) (generic_type)] @base .)))) @definition.interface
  (#not-match? @definition.interface "^type\\s*\\("))
(type_declaration "("
  (type_spec
    name: (type_identifier) @name
    type: (interface_type
      (type_elem . [(type_identifier) (qualified_type) (generic_type)] @base .))) @definition.interface)

(method_elem
  name: (field_identifier) @name
  result: (_)? @returns) @definition.method @is.declared

; Fields, also of a struct without a name inside of one; not those of a table in a function.
(type_spec
  type: [
    (struct_type
      (field_declaration_list
        (field_declaration name: (field_identifier) @name) @definition.field))
    (slice_type
      element: (struct_type
        (field_declaration_list
          (field_declaration name: (field_identifier) @name) @definition.field)))
    (map_type
      value: (struct_type
        (field_declaration_list
          (field_declaration name: (field_identifier) @name) @definition.field)))
  ])
(type_alias
  type: (struct_type
    (field_declaration_list
      (field_declaration name: (field_identifier) @name) @definition.field)))
(type_spec
  type: (struct_type
    (field_declaration_list
      (field_declaration
        !name
        type: [
          (type_identifier) @name
          (qualified_type name: (type_identifier) @name)
          (generic_type type: (type_identifier) @name)
          (generic_type type: (qualified_type name: (type_identifier) @name))
        ]) @definition.field)))
(field_declaration
  name: (_)
  type: [
    (struct_type
      (field_declaration_list
        (field_declaration name: (field_identifier) @name) @definition.field))
    (pointer_type
      (struct_type
        (field_declaration_list
          (field_declaration name: (field_identifier) @name) @definition.field)))
    (slice_type
      element: (struct_type
        (field_declaration_list
          (field_declaration name: (field_identifier) @name) @definition.field)))
    (map_type
      value: (struct_type
        (field_declaration_list
          (field_declaration name: (field_identifier) @name) @definition.field)))
  ])
(var_declaration
  [
    (var_spec
      type: (struct_type
        (field_declaration_list
          (field_declaration name: (field_identifier) @name) @definition.field)))
    (var_spec_list
      (var_spec
        type: (struct_type
          (field_declaration_list
            (field_declaration name: (field_identifier) @name) @definition.field))))
  ])

; Names of the package: those in functions are locals. `_` is no name.
[(function_declaration) (method_declaration) (func_literal)] @scope
[(block) (if_statement) (for_statement) (expression_switch_statement) (type_switch_statement) (expression_case)
 (type_case) (default_case) (communication_case)] @block
((const_declaration . (const_spec (identifier) @name)) @definition.constant
  (#not-eq? @name "_")
  (#not-match? @definition.constant "^const\\s*\\("))
((const_declaration "(" (const_spec (identifier) @name) @definition.constant)
  (#not-eq? @name "_"))
((var_declaration (var_spec name: (identifier) @name)) @definition.variable
  (#not-eq? @name "_"))
((var_spec_list (var_spec name: (identifier) @name) @definition.variable)
  (#not-eq? @name "_"))

; What a variable is filled with is no part of its signature.
((var_declaration
  (var_spec
    name: (identifier) @name
    value: (expression_list
      .
      [
        (composite_literal type: (_) @head)
        (unary_expression operand: (composite_literal type: (_) @head))
      ]))) @definition.variable
  (#not-eq? @name "_"))
((var_spec_list
  (var_spec
    name: (identifier) @name
    value: (expression_list
      .
      [
        (composite_literal type: (_) @head)
        (unary_expression operand: (composite_literal type: (_) @head))
      ])) @definition.variable)
  (#not-eq? @name "_"))

; A function literal that has a name.
(var_declaration
  (var_spec
    .
    name: (identifier) @name
    value: (expression_list . (func_literal result: (_)? @returns body: (block) @body) .))) @definition.function
(var_spec_list
  (var_spec
    .
    name: (identifier) @name
    value: (expression_list . (func_literal result: (_)? @returns body: (block) @body) .)) @definition.function)
(short_var_declaration
  left: (expression_list . (identifier) @name .)
  right: (expression_list . (func_literal result: (_)? @returns body: (block) @body) .)) @definition.function
(assignment_statement
  left: (expression_list
    .
    [
      (identifier) @name
      (selector_expression field: (field_identifier) @name)
    ]
    .)
  right: (expression_list . (func_literal result: (_)? @returns body: (block) @body) .)) @definition.function

; Uses. What the language itself gives is nobody's.
(call_expression
  function: [(identifier) (selector_expression)] @callee
  arguments: (argument_list) @arguments
  (#not-any-of? @callee "len" "append" "make" "new" "panic" "cap" "recover")) @reference.call
(call_expression
  function: (parenthesized_expression [(identifier) @name (unary_expression operand: (identifier) @name)])) @reference.call
; `f[T](x)`: the grammar cannot know that it is no conversion.
(type_conversion_expression
  type: (generic_type type: (type_identifier) @name)) @reference.call
(type_conversion_expression
  type: (generic_type
    type: (qualified_type package: (package_identifier) @receiver name: (type_identifier) @name))) @reference.call
(call_expression
  function: (index_expression operand: (identifier) @name)
  arguments: (argument_list) @arguments) @reference.call
(call_expression
  function: (index_expression
    operand: (selector_expression operand: (_) @receiver field: (field_identifier) @name))
  arguments: (argument_list) @arguments) @reference.call

(composite_literal
  type: [
    (type_identifier) @name
    (generic_type type: (type_identifier) @name)
  ]) @reference.new
(composite_literal
  type: [
    (qualified_type package: (package_identifier) @receiver name: (type_identifier) @name)
    (generic_type
      type: (qualified_type package: (package_identifier) @receiver name: (type_identifier) @name))
  ]) @reference.new
(call_expression
  function: (identifier) @_new
  arguments: (argument_list
    .
    [
      (type_identifier) @name
      (generic_type type: (type_identifier) @name)
      (qualified_type package: (package_identifier) @receiver name: (type_identifier) @name)
      (generic_type
        type: (qualified_type package: (package_identifier) @receiver name: (type_identifier) @name))
    ])
  (#eq? @_new "new")) @reference.new

(field_declaration
  !name
  type: [
    (type_identifier) @name
    (qualified_type package: (package_identifier) @receiver name: (type_identifier) @name)
    (generic_type type: (type_identifier) @name)
    (generic_type
      type: (qualified_type package: (package_identifier) @receiver name: (type_identifier) @name))
  ]) @reference.base
(interface_type
  (type_elem
    .
    [
      (type_identifier) @name
      (qualified_type package: (package_identifier) @receiver name: (type_identifier) @name)
      (generic_type type: (type_identifier) @name)
    ]
    .)) @reference.base

((type_identifier) @name @reference.type
  (#not-any-of? @name
    "string" "int" "error" "bool" "byte" "any" "int64" "uint64" "uint32" "int32" "uint8" "uint" "float64" "rune"
    "uint16" "int16" "int8" "float32" "uintptr" "complex128" "complex64" "comparable"))
(qualified_type package: (package_identifier) @receiver name: (type_identifier) @name) @reference.type

; A key in `T{Key: …}` is a field of T; in a map it is a value.
(composite_literal
  type: [(type_identifier) (qualified_type) (generic_type)] @receiver
  body: (literal_value (keyed_element key: (literal_element (identifier) @name)))) @reference.value
(literal_element
  (literal_value
    (keyed_element key: (literal_element (identifier) @name) @receiver))) @reference.value
(composite_literal
  type: [
    (slice_type element: [(type_identifier) (qualified_type) (generic_type)] @receiver)
    (slice_type element: (pointer_type [(type_identifier) (qualified_type) (generic_type)] @receiver))
    (array_type element: [(type_identifier) (qualified_type) (generic_type)] @receiver)
  ]
  body: (literal_value
    (literal_element
      (literal_value (keyed_element key: (literal_element (identifier) @name)))))) @reference.value
(composite_literal
  type: [
    (map_type value: [(type_identifier) (qualified_type) (generic_type)] @receiver)
    (map_type value: (pointer_type [(type_identifier) (qualified_type) (generic_type)] @receiver))
  ]
  body: (literal_value
    (keyed_element
      value: (literal_element
        (literal_value (keyed_element key: (literal_element (identifier) @name))))))) @reference.value
(composite_literal
  type: [(map_type) (array_type) (slice_type) (implicit_length_array_type)]
  body: (literal_value (keyed_element key: (literal_element (identifier) @name @reference.value))))

; Handed on, stored, compared.
(selector_expression operand: (_) @receiver field: (field_identifier) @name) @reference.value
; Anchored on what may be around a name this takes longer, and very long where `a + b + …` nests a thousand deep.
((_expression/identifier) @name @reference.value
  (#not-any-of? @name "_" "len" "append" "make" "new" "panic" "cap" "recover" "string" "int" "byte" "any"))
