(package_header (qualified_identifier) @package)

((import (qualified_identifier) @path) @import
  (#not-match? @import "[*]|\\sas\\s"))
(import (qualified_identifier) @path "as" (identifier) @alias) @import
(import (qualified_identifier) @module "*" @wildcard) @import
