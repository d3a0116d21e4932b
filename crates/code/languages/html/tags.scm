; An element is a section by what it is, better by its text, best by its id.
(element
  (start_tag (tag_name) @name) @head
  (#match? @name "^(?i:header|nav|main|aside|footer|section|article|form|dialog|template|fieldset|table|details|search)$")) @definition.section
(element
  (start_tag (tag_name) @name) @head
  (#match? @name "-")) @definition.section
(element (self_closing_tag (tag_name) @name) @head (#match? @name "-")) @definition.section
(script_element (start_tag (tag_name) @name) @head) @definition.section
(style_element (start_tag (tag_name) @name) @head) @definition.section
(element
  (start_tag (tag_name) @_title)
  (text) @name
  (#match? @_title "^(?i:title|h[1-6])$")) @definition.section
(element
  (start_tag
    (tag_name) @_form
    (attribute
      (attribute_name) @_what
      (quoted_attribute_value (attribute_value) @name))) @head
  (#match? @_form "^(?i:form|slot|fieldset|iframe|meta|input|select|textarea|button)$")
  (#match? @_what "^(?i:name)$")) @definition.section
(element
  [
    (start_tag
      (attribute
        (attribute_name) @_what
        [(quoted_attribute_value (attribute_value) @name) (attribute_value) @name]))
    (self_closing_tag
      (attribute
        (attribute_name) @_what
        [(quoted_attribute_value (attribute_value) @name) (attribute_value) @name]))
  ] @head
  (#match? @_what "^(?i:id)$")) @definition.section
(script_element
  (start_tag
    (attribute
      (attribute_name) @_what
      (quoted_attribute_value (attribute_value) @name))) @head
  (#match? @_what "^(?i:id)$")) @definition.section
