; `alias A.B` is called B here; `import` brings what A.B defines.
(call
  target: (identifier) @_alias
  (arguments . (alias) @module .)
  (#any-of? @_alias "alias" "require" "use")) @import
(call
  target: (identifier) @_use
  (arguments . (alias) @module . (keywords))
  (#eq? @_use "use")) @import
(call
  target: (identifier) @_alias
  (arguments
    . (alias) @module
    . (keywords (pair key: (keyword) @_as value: (alias) @alias)))
  (#any-of? @_alias "alias" "require")
  (#match? @_as "^as:")) @import
; `alias A.{B, C}`
(call
  target: (identifier) @_alias
  (arguments . (dot left: (alias) @module right: (tuple (alias) @name)))
  (#any-of? @_alias "alias" "require" "import")) @import
(call
  target: (identifier) @_import
  (arguments . (alias) @module @wildcard)
  (#eq? @_import "import")) @import
