; All that a header says is said here, and to whoever includes this file. `<a.h>` is looked for elsewhere than `"a.h"`.
(preproc_include path: [(string_literal) (system_lib_string)] @module @wildcard @reexport) @import
