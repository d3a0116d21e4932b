; CommonJS and what was written before there were classes.

; `Object.assign(A.prototype, { … })`, `A.prototype = { … }`.
(call_expression
  function: (member_expression) @_assign
  arguments: (arguments
    .
    (member_expression) @owner
    (object
      [
        (method_definition name: (_) @name) @definition.method
        (pair key: (_) @name value: [(arrow_function) (function_expression)] @body) @definition.method
      ]))
  (#eq? @_assign "Object.assign")
  (#match? @owner "\\.prototype$"))
(assignment_expression
  left: (member_expression) @owner
  right: (object
    [
      (method_definition name: (_) @name) @definition.method
      (pair key: (_) @name value: [(arrow_function) (function_expression)] @body) @definition.method
    ])
  (#match? @owner "\\.prototype$"))
(assignment_expression
  left: (member_expression
    object: (member_expression) @owner
    property: (_) @name)
  right: [(string) (number) (object) (array) (true) (false) (null) (new_expression) (call_expression)]
  (#match? @owner "\\.prototype$")) @definition.field

; `exports.a = …`, `module.exports.a = …`.
(assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression)] @_exports
    property: (_) @name) @is.public
  right: [
    (string) (template_string) (number) (regex) (object) (array) (true) (false) (null) (new_expression) (binary_expression)
    (call_expression)
  ] @_value
  (#match? @_exports "^(module\\.)?exports$")
  (#not-match? @_value "^require\\([^()]*\\)$")) @definition.constant
(assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression)] @_exports
    property: (_) @name) @is.public
  right: [(arrow_function) (function_expression) (generator_function)] @body
  (#match? @_exports "^(module\\.)?exports$")) @definition.function
(assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression)] @_exports
    property: (_) @name) @is.public
  right: (class) @body
  (#match? @_exports "^(module\\.)?exports$")) @definition.class

; `module.exports = …`: what has no name there is called `exports`.
(assignment_expression
  left: (member_expression) @_exports @is.public
  right: [
    (function_expression name: (identifier) @name) @definition.function
    (generator_function name: (identifier) @name) @definition.function
    (class name: (_) @name) @definition.class
    (object
      [
        (method_definition name: (_) @name) @definition.function
        (pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)] @body) @definition.function
        (pair key: (_) @name value: (class) @body) @definition.class
      ])
  ]
  (#any-of? @_exports "module.exports" "exports"))
(assignment_expression
  left: (member_expression property: (property_identifier) @name) @_exports @is.public
  right: [(arrow_function) (function_expression !name) (generator_function !name)] @body
  (#eq? @_exports "module.exports")) @definition.function
(assignment_expression
  left: (member_expression property: (property_identifier) @name) @_exports @is.public
  right: (class !name) @body
  (#eq? @_exports "module.exports")) @definition.class

; What is handed on from elsewhere.
(assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression)] @_exports
    property: (_) @alias) @reexport
  right: [
    (call_expression
      function: (identifier) @_require
      arguments: (arguments . (string) @module .))
    (member_expression
      object: (call_expression
        function: (identifier) @_require
        arguments: (arguments . (string) @module .))
      property: (_) @name)
  ]
  (#eq? @_require "require")
  (#match? @_exports "^(module\\.)?exports$")) @import
(assignment_expression
  left: (member_expression) @_exports @wildcard @reexport
  right: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string) @module .))
  (#eq? @_require "require")
  (#eq? @_exports "module.exports")) @import
(assignment_expression
  left: (member_expression) @_exports
  right: (object
    [
      (pair
        key: (_) @alias
        value: (call_expression
          function: (identifier) @_require
          arguments: (arguments . (string) @module .))) @reexport
      (spread_element
        (call_expression
          function: (identifier) @_require
          arguments: (arguments . (string) @module .))) @reexport @wildcard
    ])
  (#eq? @_require "require")
  (#eq? @_exports "module.exports")) @import

; What is handed on of the file's own; `=` is the whole module.
(assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression)] @_exports
    property: (_) @alias) @reexport
  right: (identifier) @name
  (#match? @_exports "^(module\\.)?exports$")) @import
(assignment_expression
  left: (member_expression) @_exports @reexport
  "=" @alias
  right: [
    (identifier) @name
    (function_expression name: (identifier) @name)
    (generator_function name: (identifier) @name)
    (class name: (_) @name)
  ]
  (#eq? @_exports "module.exports")) @import
(assignment_expression
  left: (member_expression property: (property_identifier) @name) @_exports @reexport
  "=" @alias
  right: [(arrow_function) (function_expression !name) (generator_function !name) (class !name)]
  (#eq? @_exports "module.exports")) @import
(assignment_expression
  left: (member_expression) @_exports @reexport
  right: (object
    [
      (shorthand_property_identifier) @name
      (pair key: (_) @alias value: (identifier) @name)
    ])
  (#eq? @_exports "module.exports")) @import
(variable_declarator
  name: (identifier) @name
  value: (assignment_expression "=" @alias) @_exports @reexport
  (#match? @_exports "^(exports\\s*=\\s*)?module\\.exports\\s*=")) @import
