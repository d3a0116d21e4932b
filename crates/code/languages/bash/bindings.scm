(declaration_command (variable_assignment name: (variable_name) @name) @binding.local)
(declaration_command "local" (variable_name) @name @binding.local)
; What is assigned without `local` is the file's, unless it is declared.
(variable_assignment name: (variable_name) @name) @binding.assigned
(for_statement variable: (variable_name) @name) @binding.assigned
