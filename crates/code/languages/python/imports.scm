; `import a.b` binds `a`; `import a.b as c` binds the module itself.
(import_statement
  name: (dotted_name) @module) @import
(import_statement
  name: (aliased_import
    name: (dotted_name) @module
    alias: (identifier) @alias)) @import

(import_from_statement
  module_name: [(dotted_name) (relative_import)] @module
  name: (dotted_name) @name) @import
(import_from_statement
  module_name: [(dotted_name) (relative_import)] @module
  name: (aliased_import
    name: (dotted_name) @name
    alias: (identifier) @alias)) @import
(import_from_statement
  module_name: [(dotted_name) (relative_import)] @module
  (wildcard_import) @wildcard) @import
