(rule_set (selectors) @name (block) @body) @definition.section
(media_statement . (_) @name (block) @body) @definition.section
(supports_statement . (_) @name (block) @body) @definition.section
(scope_statement . "@scope" @name (block) @body) @definition.section
(at_rule (at_keyword) @name (block) @body) @definition.section
(at_rule (at_keyword) . (keyword_query) @name (block) @body) @definition.section
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.section
(declaration (property_name) @name (#match? @name "^--")) @definition.variable

(call_expression
  (function_name) @_var
  (arguments . (plain_value) @name)
  (#eq? @_var "var")) @reference.value
