; Definitions. Of several patterns that match one node the last decides; what stands around it makes a function a method
; and a variable a field, however many `if`s and `try`s are between (`kinds-by-place`).

(function_definition
  name: (identifier) @name
  return_type: (type)? @returns
  body: (block) @body) @definition.function

; Nothing but `...`, perhaps behind a docstring: stubs and protocols.
(function_definition
  name: (identifier) @name
  body: (block . (expression_statement (ellipsis)) @is.declared .)) @definition.function
(function_definition
  name: (identifier) @name
  body: (block . (expression_statement (string)) . (expression_statement (ellipsis)) @is.declared .)) @definition.function

(decorated_definition
  (decorator [(identifier) @_mark (attribute attribute: (identifier) @_mark)] @is.declared)
  definition: (function_definition name: (identifier) @name) @definition.function
  (#any-of? @_mark "overload" "abstractmethod"))

(decorated_definition
  (decorator (identifier) @is.static)
  definition: (function_definition name: (identifier) @name) @definition.function
  (#any-of? @is.static "staticmethod" "classmethod"))

(decorated_definition
  (decorator [(identifier) @_mark (attribute attribute: (identifier) @_mark)])
  definition: (function_definition name: (identifier) @name) @definition.property
  (#any-of? @_mark "property" "cached_property" "abstractproperty" "setter" "getter" "deleter"))

((function_definition name: (identifier) @name) @definition.constructor
  (#eq? @name "__init__"))

; A method of a test case of unittest: `testCamel` as well as `test_snake`.
(class_definition
  superclasses: (argument_list [(identifier) @_base (attribute attribute: (identifier) @_base)])
  body: (block
    [
      (function_definition name: (identifier) @name) @definition.function @is.test
      (decorated_definition definition: (function_definition name: (identifier) @name) @definition.function @is.test)
    ])
  (#match? @_base "TestCase$")
  (#match? @name "^test"))

(class_definition
  name: (identifier) @name
  body: (block) @body) @definition.class

(class_definition
  name: (identifier) @name
  superclasses: (argument_list
    [(identifier) (attribute) (subscript)] @base)) @definition.class

; Names that are given a value: of the module, of a class. Those of functions are left out.
(assignment left: (identifier) @name) @definition.variable
(assignment
  left: [
    (pattern_list (identifier) @name)
    (pattern_list (list_splat_pattern (identifier) @name))
    (pattern_list (tuple_pattern (identifier) @name))
    (pattern_list (tuple_pattern (list_splat_pattern (identifier) @name)))
    (tuple_pattern (identifier) @name)
    (tuple_pattern (list_splat_pattern (identifier) @name))
    (tuple_pattern (tuple_pattern (identifier) @name))
    (list_pattern (identifier) @name)
  ]) @definition.variable
((assignment left: (identifier) @name) @definition.constant
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))

; Members of an enumeration.
(class_definition
  superclasses: (argument_list
    [(identifier) @_base (attribute attribute: (identifier) @_base)])
  body: (block
    (expression_statement
      (assignment left: (identifier) @name right: (_)) @definition.variant))
  (#match? @_base "(Enum|Flag|Choices)$"))

; A lambda that has a name.
(assignment
  left: (identifier) @name
  right: (lambda body: (_) @body)) @definition.function

; Types by assignment.
(type_alias_statement left: (type (identifier) @name)) @definition.type
(type_alias_statement left: (type (generic_type (identifier) @name))) @definition.type
(assignment
  left: (identifier) @name
  type: (type [(identifier) @_is (attribute attribute: (identifier) @_is)])
  (#eq? @_is "TypeAlias")) @definition.type
(assignment
  left: (identifier) @name
  right: (call
    function: [(identifier) @_made (attribute attribute: (identifier) @_made)])
  (#any-of? @_made "TypeVar" "ParamSpec" "TypeVarTuple" "NewType")) @definition.type
(assignment
  left: (identifier) @name
  right: (call
    function: [(identifier) @_made (attribute attribute: (identifier) @_made)])
  (#any-of? @_made "namedtuple" "NamedTuple" "TypedDict")) @definition.class

; Uses.
(call
  function: (identifier) @name
  arguments: (argument_list)? @arguments) @reference.call
(call
  function: (attribute
    object: (_) @receiver
    attribute: (identifier) @name)
  arguments: (argument_list)? @arguments) @reference.call
(decorator (identifier) @name @reference.call)
(decorator (attribute object: (_) @receiver attribute: (identifier) @name)) @reference.call

(class_definition
  superclasses: (argument_list [
    (identifier) @name
    (attribute object: (_) @receiver attribute: (identifier) @name)
    (subscript value: (identifier) @name)
    (subscript value: (attribute object: (_) @receiver attribute: (identifier) @name))
  ] @reference.base))

; Types: annotations, what stands in brackets or between bars there, names in quotes.
(type [
  (identifier) @name
  (attribute object: (_) @receiver attribute: (identifier) @name)
  (generic_type (identifier) @name)
  (subscript value: (identifier) @name)
  (subscript value: (attribute object: (_) @receiver attribute: (identifier) @name))
  (subscript subscript: (identifier) @name)
  (subscript subscript: (attribute object: (_) @receiver attribute: (identifier) @name))
  (binary_operator (identifier) @name)
  (binary_operator (attribute object: (_) @receiver attribute: (identifier) @name))
  (binary_operator (subscript value: (identifier) @name))
  (binary_operator (binary_operator (identifier) @name))
  ] @reference.type)
((type (string (string_content) @name @reference.type))
  (#match? @name "^[A-Za-z_][A-Za-z0-9_]*$"))

; Handed on, compared, read: a name in the place of an expression, and every member that is asked for.
(primary_expression/identifier) @name @reference.value
(attribute object: (_) @receiver attribute: (identifier) @name) @reference.value
(class_pattern (dotted_name (identifier) @name)) @reference.value
(case_pattern (dotted_name . (identifier) @name . (identifier))) @reference.value

; What a module says it hands out.
(assignment
  left: (identifier) @_all
  right: [
    (list (string (string_content) @name @reference.value))
    (tuple (string (string_content) @name @reference.value))
  ]
  (#eq? @_all "__all__"))
(augmented_assignment
  left: (identifier) @_all
  right: (list (string (string_content) @name @reference.value))
  (#eq? @_all "__all__"))
