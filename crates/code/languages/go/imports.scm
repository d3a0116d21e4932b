(package_clause (package_identifier) @package)

; Without a name of its own the package's clause says what it is called; that is found out where the other files are
; known. `_` is kept as what it is called: nothing can be asked of it.
(import_spec
  !name
  path: (_) @module) @import
(import_spec
  name: [(package_identifier) (blank_identifier)] @alias
  path: (_) @module) @import
(import_spec
  name: (dot) @wildcard
  path: (_) @module) @import
