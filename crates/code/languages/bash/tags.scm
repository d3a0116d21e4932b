; Definitions.
(function_definition name: (word) @name) @definition.function

; Where the grammar is at a loss, the name of a function and its line are still known.
(ERROR (word) @name @definition.function . "(" . ")")
(ERROR (command_name (word) @name @definition.function) . "(" . ")")
(ERROR "function" . (word) @name @definition.function)

; Variables: those of functions are left out, and those that hold for one command.
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(if_statement (variable_assignment name: (variable_name) @name) @definition.variable)
(else_clause (variable_assignment name: (variable_name) @name) @definition.variable)
(elif_clause (variable_assignment name: (variable_name) @name) @definition.variable)
(case_item (variable_assignment name: (variable_name) @name) @definition.variable)
(list (variable_assignment name: (variable_name) @name) @definition.variable)
(declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable
(declaration_command "readonly" (variable_assignment name: (variable_name) @name)) @definition.constant
(declaration_command
  (word) @_read_only
  (variable_assignment name: (variable_name) @name)
  (#match? @_read_only "^-[a-zA-Z]*r")) @definition.constant

(command
  name: (command_name (word) @_alias)
  argument: [(word) @name (concatenation . (word) @name)]
  (#eq? @_alias "alias")
  (#match? @name "=")) @definition.function

; `@test "adds" { … }` of bats.
(command
  name: (command_name (word) @_test)
  . argument: [(string) (raw_string)] @name
  (#eq? @_test "@test")) @definition.test

; Uses.
(command_name (word) @name @reference.call)
; A command that runs another.
(command
  name: (command_name (word) @_runs)
  . argument: (word) @name @reference.call
  (#any-of? @_runs "run" "eval" "time" "exec" "command" "builtin" "nohup" "sudo" "coproc")
  (#match? @name "^[A-Za-z_]"))
(command
  name: (command_name (word) @_runs)
  argument: (word) @name @reference.value
  (#any-of? @_runs "xargs" "timeout" "env" "parallel" "type" "retry" "watch")
  (#match? @name "^[A-Za-z_]"))
(command
  name: (command_name (word) @_trap)
  . argument: [(word) (raw_string) (string)] @name @reference.value
  (#eq? @_trap "trap"))
(declaration_command (word) @_function (variable_name) @name @reference.value
  (#eq? @_function "-f"))

((simple_expansion (variable_name) @name @reference.value)
  (#match? @name "^[A-Za-z_]"))
(expansion (variable_name) @name @reference.value)
(expansion (subscript name: (variable_name) @name @reference.value))
