; What TypeScript adds to `javascript/ecma.scm`.
(import_statement
  (import_require_clause
    (identifier) @alias
    source: (string) @module)) @import
(export_statement
  "=" @alias @reexport
  (identifier) @name) @import
(export_statement
  "default" @alias @reexport
  declaration: [
    (abstract_class_declaration name: (_) @name)
    (interface_declaration name: (_) @name)
    (function_signature name: (_) @name)
  ]) @import
