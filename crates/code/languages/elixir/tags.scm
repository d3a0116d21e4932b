; Definitions: all are calls, and a word says of what (`[words]` in language.toml).
(call
  target: (identifier) @word
  (arguments . (alias) @name @head)
  (do_block) @body
  (#set! words "modules")) @definition
; `defimpl Size, for: Store do`
(call
  target: (identifier) @_impl
  (arguments . (alias) @name @trait . (keywords (pair value: (alias) @owner))) @head
  (do_block) @is.block
  (#eq? @_impl "defimpl")) @definition.impl

; `def f(a)`, `def f(a) when a`, `def f`, `def a + b`. One without a body is declared.
(call
  target: (identifier) @word
  (arguments
    . [
      (call target: (identifier) @name) @head
      (call target: (call target: (identifier) @_unquote (arguments . (atom) @name .))) @head
      (call target: (call target: (identifier) @_unquote (arguments . (identifier) .)) @name) @head
      (binary_operator left: (call target: (identifier) @name) operator: "when") @head
      (identifier) @name @head
      (binary_operator left: (identifier) operator: ["+" "-" "*" "/" "<>" "++" "--" "|>" "==" "<" ">" "<=" ">=" "|||" "&&&" "~>" "<~"] @name) @head
    ])
  (#eq? @_unquote "unquote")
  (#set! words "functions")) @definition
((call
  target: (identifier) @word
  (arguments . [(call target: (identifier) @name) (identifier) @name] .) @is.declared .) @definition
  (#set! words "functions"))

; `defstruct [:name, size: 0]`, `field :name, :string`.
(call
  target: (identifier) @word
  (arguments [
    (list (atom) @name @definition)
    (list (keywords (pair key: (keyword) @name) @definition))
    (keywords (pair key: (keyword) @name) @definition)
  ])
  (#set! words "records"))
(call target: (identifier) @word (arguments . (atom) @name) (#set! words "fields")) @definition

; `@limit 10`, `@type t :: …`, `@callback keep(t) :: t`.
((unary_operator operator: "@" operand: (call target: (identifier) @_name (arguments))) @name @definition.constant
  (#not-any-of? @_name
    "doc" "moduledoc" "typedoc" "spec" "type" "typep" "opaque" "callback" "macrocallback" "impl" "behaviour" "derive"
    "dialyzer" "before_compile" "after_compile" "external_resource" "optional_callbacks" "on_load" "compile" "deprecated"
    "since" "enforce_keys" "tag" "moduletag" "describetag" "on_definition" "vsn" "file" "primary_key" "foreign_key_type"))
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @word
    (arguments . (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")))
  (#set! words "types")) @definition
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @word
    (arguments . (binary_operator left: (call target: (identifier) @name) operator: "::")))
  (#set! words "callbacks")) @definition

(call
  target: (identifier) @word
  (arguments . (string) @name) @head
  (do_block) @body
  (#set! words "tests")) @definition
(call
  target: (identifier) @word @name
  (do_block) @body
  (#set! words "shared")) @definition

; A function with a name of its own.
(binary_operator
  left: (identifier) @name
  operator: "="
  right: (anonymous_function) @body) @definition.function

; Uses.
(call target: (identifier) @name (arguments)? @arguments) @reference.call
(call target: (dot left: (_) @receiver right: (identifier) @name) (arguments)? @arguments) @reference.call
(binary_operator operator: "|>" right: (identifier) @name) @reference.call
; `@spec open(t) :: t` calls nothing.
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier)
    (arguments
      . (binary_operator
          left: [
            (call target: (identifier) @mention)
            (binary_operator left: (call target: (identifier) @mention))
          ]))))
(unary_operator operator: "@" operand: (call target: (identifier) @mention))

(struct (alias) @name) @reference.new
(alias) @name @reference.value
(call
  target: (identifier) @_use
  (arguments . (alias) @name @reference.base)
  (#any-of? @_use "use" "behaviour"))
(unary_operator operator: "@" operand: (identifier)) @name @reference.value
; `&double/1`, `&Util.double/1`
(unary_operator
  operator: "&"
  operand: (binary_operator
    left: [
      (identifier) @name
      (call target: (dot left: (_) @receiver right: (identifier) @name))
    ]
    operator: "/")) @reference.value
