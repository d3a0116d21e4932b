; All that a header says is said here, and to whoever includes this file. `<a.h>` is looked for elsewhere than `"a.h"`.
(preproc_include path: [(string_literal) (system_lib_string)] @module @wildcard @reexport) @import

(using_declaration
  .
  "using"
  .
  (qualified_identifier scope: (_) @module name: [(identifier) (type_identifier)] @name)) @import
(using_declaration "namespace" [(identifier) (qualified_identifier)] @module @wildcard) @import
(namespace_alias_definition
  name: (namespace_identifier) @alias
  [(namespace_identifier) (nested_namespace_specifier)] @module .) @import
