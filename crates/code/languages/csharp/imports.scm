; Of namespaces in each other the outermost is the file's.
(compilation_unit (namespace_declaration name: (_) @package))
(file_scoped_namespace_declaration name: (_) @package)

; A namespace with all that is in it, or of a class all that is static.
(using_directive
  !name
  [(qualified_name) (identifier) (alias_qualified_name)] @module @wildcard) @import
(using_directive
  name: (identifier) @alias
  (qualified_name qualifier: (_) @module name: (_) @name)) @import
(using_directive
  name: (identifier) @alias
  (identifier) @module .) @import
