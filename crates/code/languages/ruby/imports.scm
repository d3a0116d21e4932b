; What a file that is required defines is in sight.
(call
  !receiver
  method: (identifier) @_require
  arguments: (argument_list . (string) @module @wildcard .)
  (#any-of? @_require "require" "require_relative" "load" "require_dependency")) @import
; `autoload :Store, "shop/store"`
(call
  !receiver
  method: (identifier) @_autoload
  arguments: (argument_list . (simple_symbol) @name . (string) @module .)
  (#eq? @_autoload "autoload")) @import
