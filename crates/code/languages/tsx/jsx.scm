; A component is called where its element stands.
(jsx_opening_element
  name: (identifier) @name
  (#match? @name "^[A-Z]")) @reference.call
(jsx_self_closing_element
  name: (identifier) @name
  (#match? @name "^[A-Z]")) @reference.call
(jsx_opening_element
  name: (member_expression
    object: (_) @receiver
    property: (_) @name)) @reference.call
(jsx_self_closing_element
  name: (member_expression
    object: (_) @receiver
    property: (_) @name)) @reference.call
