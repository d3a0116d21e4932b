(use_declaration . "use") @import.tree
(use_declaration . (visibility_modifier) @reexport) @import.tree

(extern_crate_declaration name: (identifier) @module @alias !alias) @import
(extern_crate_declaration name: (identifier) @module alias: (identifier) @alias) @import

; A module in a file of its own; `#[path]` says which file.
(mod_item . "mod" @module name: (identifier) @name ";") @import
(mod_item . (visibility_modifier) @reexport . "mod" @module name: (identifier) @name ";") @import
((attribute_item (attribute (identifier) @_path value: (string_literal (string_content) @module)))
  .
  (attribute_item)*
  .
  (mod_item name: (identifier) @alias ";") @import
  (#eq? @_path "path"))
