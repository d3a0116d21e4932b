; What runs.
(function_definition declarator: (_) @inside body: (_) @body) @function
(function_declarator declarator: (_) @name parameters: (_) @parameters) @property
(compound_statement) @block
(expression_statement) @statement
[(type_definition) (preproc_include) (preproc_def) (preproc_function_def) (preproc_call)] @skip

(if_statement condition: (_) @condition consequence: (_) @then alternative: (_)? @else) @if
(else_clause) @else
(preproc_if condition: (_) @condition alternative: (_)? @else (_) @then) @if
(preproc_ifdef name: (_) @skip alternative: (_)? @else (_) @then) @if
(preproc_elif condition: (_) @condition alternative: (_)? @else (_) @then) @if
(preproc_elifdef name: (_) @skip alternative: (_)? @else (_) @then) @if
(preproc_else) @else
(while_statement condition: (_) @condition body: (_) @body) @loop
(do_statement body: (_) @body condition: (_) @condition) @loop.after
(for_statement initializer: (_)? @init condition: (_)? @condition update: (_)? @update body: (_) @body) @loop
(switch_statement condition: (_) @subject body: (_) @body) @switch
(case_statement value: (_)? @value (_) @body) @case.falling

(return_statement) @return
(break_statement) @break
(continue_statement) @continue
(goto_statement label: (_) @label) @goto
(labeled_statement label: (_) @label) @label
(conditional_expression) @decision
(binary_expression operator: ["&&" "||"]) @decision

; What is read and written.
(identifier) @name
(field_expression argument: (_) @object field: (_) @member) @member
(subscript_expression) @index
(call_expression function: (_) @callee arguments: (_) @arguments) @call
(pointer_expression operator: "&") @reference
(pointer_expression operator: "*") @dereference
(assignment_expression left: (_) @target operator: "=" right: (_) @value) @bind
(assignment_expression left: (_) @target right: (_) @value) @update
(update_expression argument: (_) @target) @update
(declaration (type_qualifier)* @constant type: (_) @skip declarator: (_)* @declared) @bind
(init_declarator declarator: (_) @declared value: (_) @value) @bind
(parameter_declaration (type_qualifier)* @constant type: (_) @skip declarator: (_)? @declared) @bind
(pointer_declarator declarator: (_) @declared (type_qualifier)* @skip) @bind.pointer
(array_declarator declarator: (_) @declared size: (_)? @value) @bind.pointer
(cast_expression type: (_) @skip value: (_) @value) @bind
(sizeof_expression) @skip
[(type_descriptor) (storage_class_specifier) (attribute_specifier) (struct_specifier) (union_specifier)
 (enum_specifier) (field_designator) (preproc_arg) (offsetof_expression)] @skip
(comment) @comment

((identifier) @words.rules (#any-of? @words.rules "break-leaves-switch" "labels-are-places" "arguments-are-copies"))
((identifier) @words.truth (#any-of? @words.truth "1" "true"))
((identifier) @words.never (#any-of? @words.never
  "exit" "_exit" "abort" "_Exit" "err" "errx" "longjmp" "die" "fatal" "panic" "__builtin_unreachable" "usage"))
((identifier) @words.pure (#any-of? @words.pure
  "strlen" "strnlen" "strcmp" "strncmp" "strcasecmp" "strncasecmp" "strchr" "strrchr" "strstr" "memcmp" "memchr"
  "printf" "puts" "perror" "atoi" "atol" "strtol" "strtoul" "strtod" "isdigit" "isspace" "isalpha" "isalnum" "toupper"
  "tolower" "abs" "sqrt" "pow" "floor" "ceil" "malloc" "calloc" "strdup" "strndup" "getenv" "assert" "sizeof" "htons"
  "ntohs" "htonl" "ntohl" "errno" "strerror" "isxdigit" "isupper" "islower" "ispunct" "strspn" "strcspn" "strpbrk"))
((identifier) @words.fills (#any-of? @words.fills
  "memcpy" "memmove" "memset" "strcpy" "strncpy" "strcat" "strncat" "sprintf" "snprintf" "vsnprintf" "fgets" "fread"
  "qsort" "strtok" "strtok_r" "free"))
((identifier) @words.views (#any-of? @words.views
  "strchr" "strrchr" "strstr" "memchr" "strpbrk" "strtok" "bsearch"))
