(namespace_definition name: (namespace_name) @package)

; `use A\B\C;`, `use A\B\C as D;`, `use function A\f;`
(namespace_use_declaration
  (namespace_use_clause
    (qualified_name prefix: (namespace_name) @module (name) @name)
    alias: (name)? @alias)) @import
; `use A\{B, C as D};`
(namespace_use_declaration
  (namespace_name) @module
  body: (namespace_use_group
    (namespace_use_clause
      . [(name) @name (qualified_name (name) @name)]
      alias: (name)? @alias))) @import
; `use C;`
(namespace_use_declaration
  (namespace_use_clause . (name) @module alias: (name)? @alias)) @import

; The functions of a file that is read in are in sight. `__DIR__ . '/x.php'` is relative.
(require_once_expression [(string) @module @wildcard (binary_expression right: (string) @module @wildcard)]) @import
(require_expression [(string) @module @wildcard (binary_expression right: (string) @module @wildcard)]) @import
(include_once_expression [(string) @module @wildcard (binary_expression right: (string) @module @wildcard)]) @import
(include_expression [(string) @module @wildcard (binary_expression right: (string) @module @wildcard)]) @import
