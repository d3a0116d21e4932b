; What JavaScript has in its own way.
(class_declaration
  name: (_) @name
  (class_heritage [(identifier) (member_expression)] @base)) @definition.class
(class_declaration
  name: (_) @name
  (class_heritage (call_expression arguments: (arguments (identifier) @base)))) @definition.class
(variable_declarator
  name: (identifier) @name
  value: (class (class_heritage [(identifier) (member_expression)] @base))) @definition.class
(export_statement
  "default" @name
  value: (class !name (class_heritage [(identifier) (member_expression)] @base))) @definition.class
(assignment_expression
  left: (member_expression property: (_) @name)
  right: (class (class_heritage [(identifier) (member_expression)] @base))) @definition.class
(assignment_expression
  right: (class
    name: (_) @name
    (class_heritage [(identifier) (member_expression)] @base)) @definition.class)

(field_definition property: (_) @name) @definition.field
(field_definition "static" @is.static property: (_) @name) @definition.field
(field_definition
  property: (_) @name
  value: [(arrow_function) (function_expression)] @body) @definition.method
(method_definition
  "static get" @is.static
  name: (_) @name) @definition.property

(class_heritage (identifier) @name @reference.base)
(class_heritage
  (member_expression
    object: (_) @receiver
    property: (_) @name) @reference.base)
