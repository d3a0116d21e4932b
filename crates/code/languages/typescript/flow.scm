; What TypeScript adds to JavaScript.
(abstract_class_declaration name: (_) @name body: (_) @body) @type
(internal_module name: (_) @name body: (_)? @body) @type
(module name: (_) @name body: (_)? @body) @type
(required_parameter pattern: (_) @declared type: (_)? @type value: (_)? @value decorator: (_)* @skip) @bind
(optional_parameter pattern: (_) @declared type: (_)? @type value: (_)? @value decorator: (_)* @skip) @bind
(variable_declarator name: (_) @declared type: (_)? @type value: (_)? @value) @bind
(catch_clause parameter: (_)? @declared type: (_)? @skip body: (_) @body) @catch
(public_field_definition name: (_) @name type: (_)? @skip value: (_)? @value) @property
(non_null_expression) @through
[(type_annotation) (type_arguments) (type_parameters) (type_alias_declaration) (interface_declaration)
 (ambient_declaration) (asserts_annotation) (type_predicate_annotation) (accessibility_modifier) (function_signature)
 (generic_type) (union_type) (object_type) (array_type) (predefined_type) (type_query) (literal_type) (tuple_type)
 (intersection_type) (function_type) (lookup_type) (conditional_type) (index_type_query) (readonly_type)] @skip
((identifier) @words.scalars (#any-of? @words.scalars "number" "string" "boolean" "bigint" "symbol"))
