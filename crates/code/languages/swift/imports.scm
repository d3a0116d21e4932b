; `import A` brings in all that A shows; `import struct A.B` brings in B.
(import_declaration . (modifiers)? . "import" . (identifier) @module @wildcard) @import
(import_declaration
  ["struct" "class" "enum" "protocol" "func" "var" "let" "typealias"]
  (identifier . (simple_identifier) @module . (simple_identifier) @name .)) @import
