; What a file that is sourced defines is in sight. `"$(dirname "$0")/lib.sh"` is kept as it is written.
(command
  name: (command_name (word) @_source)
  . argument: [(word) (string) (raw_string) (concatenation)] @module @wildcard
  (#any-of? @_source "source" ".")) @import
