; A heading is a section that reaches to the next one of its level or a higher one.
(atx_heading
  [
    (atx_h1_marker) (atx_h2_marker) (atx_h3_marker) (atx_h4_marker) (atx_h5_marker) (atx_h6_marker)
  ] @level
  heading_content: (inline) @name @head) @definition.section
(setext_heading
  heading_content: (paragraph) @name @head
  [(setext_h1_underline) (setext_h2_underline)] @level) @definition.section
