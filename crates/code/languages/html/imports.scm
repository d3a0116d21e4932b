(script_element
  (start_tag
    (attribute
      (attribute_name) @_what
      (quoted_attribute_value (attribute_value) @module)))
  (#match? @_what "^(?i:src)$")) @import
(element
  (start_tag
    (tag_name) @_link
    (attribute
      (attribute_name) @_what
      (quoted_attribute_value (attribute_value) @module)))
  (#match? @_link "^(?i:link)$")
  (#match? @_what "^(?i:href)$")) @import
