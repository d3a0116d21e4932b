; Definitions. Of several patterns that match one node the last decides; what stands in a function or a type, what has
; parameters and what is called like its type is decided by its place and its declarator.

(function_definition type: (_) @returns declarator: (_) @declarator) @definition.function
; Constructors, destructors, conversions. What looks like one and is a macro is a test.
(function_definition
  !type
  declarator: (function_declarator
    declarator: [(qualified_identifier) (destructor_name) (operator_name)]) @declarator @head) @definition.function
(function_definition !type declarator: (operator_cast) @declarator) @definition.function
(function_definition
  !type
  declarator: (function_declarator declarator: (identifier) @_macro) @declarator @head
  (#not-any-of? @_macro
    "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P" "TEST_CASE" "TEST_CASE_METHOD" "BENCHMARK" "BOOST_AUTO_TEST_CASE"
    "BOOST_FIXTURE_TEST_CASE" "SECTION" "SCENARIO" "DOCTEST_TEST_CASE")) @definition.function
(function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list (parameter_declaration type: (type_identifier) @name) .) @head)
  (#any-of? @_macro "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P" "BOOST_AUTO_TEST_CASE")) @definition.test

; `TEST_CASE("a sentence", "[tag]") { … }`
((expression_statement
  (call_expression
    function: (identifier) @_macro
    arguments: (argument_list . (string_literal) @name) @head)
  (MISSING ";")) @definition.test
  .
  (compound_statement) @body
  (#any-of? @_macro
    "TEST_CASE" "SECTION" "SCENARIO" "GIVEN" "WHEN" "THEN" "SUBCASE" "TEST_SUITE" "DOCTEST_TEST_CASE" "DOCTEST_SUBCASE"
    "BENCHMARK"))

(declaration type: (_) @returns declarator: (_) @declarator) @definition.variable
(declaration !type declarator: (function_declarator) @declarator) @definition.variable
(declaration !type declarator: (operator_cast) @declarator) @definition.method @is.declared
(declaration
  (storage_class_specifier) @_extern
  type: (_)
  declarator: (_) @declarator
  (#eq? @_extern "extern")) @definition.variable @is.declared

(class_specifier name: (_) @name body: (_)) @definition.class
(struct_specifier name: (_) @name body: (_)) @definition.struct
(union_specifier name: (_) @name body: (_)) @definition.struct
(class_specifier
  name: (_) @name
  (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)
  body: (_)) @definition.class
(struct_specifier
  name: (_) @name
  (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)
  body: (_)) @definition.struct
(enum_specifier name: (_) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.variant
(field_declaration type: (_) @returns declarator: (_) @declarator) @definition.field
(field_declaration_list
  [
    (field_declaration (storage_class_specifier) @is.static @is.public declarator: (_) @declarator) @definition.field
    (template_declaration
      (declaration (storage_class_specifier) @is.static @is.public declarator: (_) @declarator) @definition.variable)
  ]
  (#eq? @is.static "static"))
(field_declaration_list
  [
    (function_definition (storage_class_specifier) @is.static @is.public declarator: (_) @declarator) @definition.function
    (template_declaration
      (function_definition (storage_class_specifier) @is.static @is.public declarator: (_) @declarator) @definition.function)
  ]
  (#eq? @is.static "static"))

(field_declaration_list (access_specifier) @access)

(namespace_definition name: (_) @name) @definition.module
(alias_declaration name: (type_identifier) @name type: (_) @returns) @definition.type
(concept_definition name: (identifier) @name) @definition.interface

(type_definition type: (_) declarator: (_) @declarator) @definition.type
(type_definition
  type: [
    (type_identifier) @base
    (struct_specifier name: (type_identifier) @base body: (_)? @body)
    (union_specifier name: (type_identifier) @base body: (_)? @body)
    (enum_specifier name: (type_identifier) @base body: (_)? @body)
  ]
  declarator: (_) @declarator) @definition.type
(type_definition
  type: [(struct_specifier !name body: (_) @body) (union_specifier !name body: (_) @body)]
  declarator: (_) @declarator) @definition.struct
(type_definition
  type: (enum_specifier !name body: (_) @body)
  declarator: (_) @declarator) @definition.enum

; A lambda that has a name.
(declaration
  declarator: (init_declarator
    declarator: (identifier) @name
    value: (lambda_expression body: (_) @body))) @definition.function

(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name parameters: (preproc_params) @head) @definition.macro
(preproc_def value: (preproc_arg) @template)
(preproc_function_def value: (preproc_arg) @template)

; Uses.
(attribute_specifier) @silent
(using_declaration) @silent
(attribute_declaration) @silent
(call_expression function: (_) @callee arguments: (argument_list) @arguments) @reference.call
(new_expression
  type: [
    (type_identifier) @name
    (qualified_identifier scope: (_) @receiver name: (type_identifier) @name)
    (template_type name: (type_identifier) @name)
    (qualified_identifier scope: (_) @receiver name: (template_type name: (type_identifier) @name))
  ]
  arguments: (argument_list)? @arguments) @reference.new
; `T name(…)` and `T name{…}`.
(declaration
  type: [
    (type_identifier) @name
    (qualified_identifier scope: (_) @receiver name: (type_identifier) @name)
    (template_type name: (type_identifier) @name)
  ]
  declarator: (init_declarator value: [(argument_list) (initializer_list)] @arguments)) @reference.new
(compound_literal_expression type: (type_identifier) @name) @reference.new

(base_class_clause
  [
    (type_identifier) @name
    (qualified_identifier scope: (_) @receiver name: (type_identifier) @name)
    (template_type name: (type_identifier) @name)
    (qualified_identifier scope: (_) @receiver name: (template_type name: (type_identifier) @name))
  ] @reference.base)

(type_identifier) @name @reference.type
(qualified_identifier scope: (_) @receiver name: (type_identifier) @name) @reference.type
(qualified_identifier scope: (_) @receiver name: (template_type name: (type_identifier) @name)) @reference.type
(qualified_identifier scope: (namespace_identifier) @name @reference.value)
(qualified_identifier scope: (_) @receiver name: (identifier) @name) @reference.value
(expression/identifier) @name @reference.value
(field_expression argument: (_) @receiver field: (field_identifier) @name) @reference.value
(assignment_expression left: (identifier) @name @reference.value)
(field_initializer . (field_identifier) @name @reference.value)
(field_designator (field_identifier) @name @reference.value)
(preproc_ifdef name: (identifier) @name @reference.value)
(preproc_defined (identifier) @name @reference.value)
