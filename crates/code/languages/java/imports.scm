(package_declaration [(scoped_identifier) (identifier)] @package)

; Of a static import the module is a class.
(import_declaration
  (scoped_identifier scope: (_) @module name: (identifier) @name) .) @import
(import_declaration
  [(scoped_identifier) (identifier)] @module
  (asterisk) @wildcard) @import
