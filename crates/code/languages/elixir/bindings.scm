; What a function is given, as far as it is not taken apart.
(call
  target: (identifier) @_def
  (arguments
    . [
      (call (arguments (identifier) @name @binding.parameter))
      (binary_operator left: (call (arguments (identifier) @name @binding.parameter)) operator: "when")
    ])
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard"))
(binary_operator left: (identifier) @name operator: "\\\\" right: (_) @value) @binding.parameter
(stab_clause left: (arguments (identifier) @name @binding.parameter))
(stab_clause left: (arguments (tuple (identifier) @name @binding.parameter)))

(binary_operator left: (identifier) @name operator: "=" right: (_) @value) @binding.local
(binary_operator left: (tuple (identifier) @name) operator: "=") @binding.local
(binary_operator left: (list (identifier) @name) operator: "=") @binding.local
(binary_operator left: (map (struct (alias) @type)) operator: "=" right: (identifier) @name) @binding.local
(binary_operator left: (identifier) @name operator: "=" right: (map (struct (alias) @type))) @binding.local
(binary_operator left: (identifier) @name operator: "<-" right: (_) @value.element) @binding.local
(binary_operator left: (tuple (identifier) @name) operator: "<-") @binding.local
