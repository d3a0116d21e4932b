; Definitions. A method outside of any class or module is a function (`kinds-by-place`). A module is what can be mixed in:
; a trait.

(class
  name: [(constant) @name (scope_resolution scope: (_)? @owner name: (constant) @name)]) @definition.class
(module
  name: [(constant) @name (scope_resolution scope: (_)? @owner name: (constant) @name)]) @definition.trait

; Constants; `Point = Struct.new(:x, :y)`, `Failure = Class.new(StandardError)` are classes.
(assignment left: [(constant) @name (scope_resolution name: (constant) @name)]) @definition.constant
(operator_assignment left: (constant) @name) @definition.constant
(assignment
  left: (left_assignment_list [(constant) @name (rest_assignment (constant) @name)])) @definition.constant
(assignment
  left: (constant) @name
  right: (call receiver: (constant) @word)
  (#set! words "makers")) @definition
(call
  receiver: (constant) @word
  arguments: (argument_list (simple_symbol) @name @definition)
  (#set! words "records"))

; Variables of a script.
(program (assignment left: (identifier) @name) @definition.variable)

(method name: (_) @name) @definition.method
((method name: (identifier) @name) @definition.constructor
  (#eq? @name "initialize"))
(singleton_method object: (_) @is.static name: (_) @name) @definition.method
(singleton_method object: (constant) @owner name: (_) @name) @definition.method
(singleton_class body: (body_statement (method name: (_) @name) @definition.method)) @is.static

; What stands behind a bare `private`, or is its argument.
(body_statement
  (identifier) @is.private
  (method name: (_) @name) @definition.method
  (#any-of? @is.private "private" "protected"))
(call
  !receiver
  method: (identifier) @is.private
  arguments: (argument_list (method name: (_) @name) @definition.method)
  (#any-of? @is.private "private" "protected"))

; Accessors and the like define every name they are given, macros the first one.
(call
  !receiver
  method: (identifier) @word
  arguments: (argument_list [(simple_symbol) (string)] @name)
  (#set! words "accessors")) @definition
(call
  method: (identifier) @word
  arguments: (argument_list . [(simple_symbol) (string) (constant) (scope_resolution)] @name)
  (#set! words "macros")) @definition
(call
  method: (identifier) @word
  arguments: (argument_list . [(simple_symbol) (string) (constant) (scope_resolution)] @name)
  block: (_ body: (_)? @body)
  (#set! words "blocks")) @definition
(call
  method: (identifier) @word
  arguments: (argument_list . (pair key: (_) @name))
  block: (_ body: (_)? @body)
  (#set! words "tasks")) @definition
(alias name: (_) @name) @definition.method

; Functions that are values with a name.
(assignment left: [(identifier) (constant)] @name right: (lambda) @body) @definition.function
(assignment
  left: (identifier) @name
  right: (call method: (identifier) @_lambda block: (_) @body)
  (#any-of? @_lambda "lambda" "proc")) @definition.function

; Uses.
(call
  receiver: (_)? @receiver
  method: [(identifier) (constant)] @name
  arguments: (argument_list)? @arguments
  (#not-eq? @name "new")) @reference.call
(call
  receiver: [
    (constant) @name
    (scope_resolution scope: (_) @receiver name: (constant) @name)
  ]
  method: (identifier) @_new
  arguments: (argument_list)? @arguments
  (#eq? @_new "new")) @reference.new
(super) @name @reference.call
(call method: (super) @name arguments: (argument_list) @arguments) @reference.call
; A bare name is a call unless it is a variable's.
(_variable/identifier) @name @reference.call

(superclass [
  (constant) @name
  (scope_resolution scope: (_) @receiver name: (constant) @name)
] @reference.base @mixin)
(call
  !receiver
  method: (identifier) @_mix
  arguments: (argument_list [
    (constant) @name
    (scope_resolution scope: (_) @receiver name: (constant) @name)
  ] @reference.base @mixin)
  (#any-of? @_mix "include" "extend" "prepend"))
(call
  receiver: (constant) @_class
  arguments: (argument_list . (constant) @name @reference.base @mixin)
  (#eq? @_class "Class"))

(_variable/constant) @name @reference.value
(_pattern_constant/constant) @name @reference.value
(scope_resolution scope: (_) @receiver name: (constant) @name) @reference.value
(instance_variable) @name @reference.value
(alias alias: (identifier) @name @reference.value)
; A method by its name: callbacks, `send(:name)`, `map(&:name)`.
(call
  !receiver
  arguments: (argument_list (simple_symbol) @name @reference.value))
(block_argument (simple_symbol) @name @reference.value)
(call
  receiver: (_)
  method: (identifier) @_send
  arguments: (argument_list . (simple_symbol) @name @reference.value)
  (#any-of? @_send "send" "public_send" "method" "__send__" "instance_method" "try" "respond_to?"))
