; What runs.
(method_declaration name: (_) @name parameters: (_) @parameters body: (_)? @body) @function
(constructor_declaration name: (_) @name parameters: (_) @parameters body: (_) @body) @function
(compact_constructor_declaration name: (_) @name body: (_) @body) @function
(lambda_expression parameters: (_) @parameters body: (_) @body) @function
(class_declaration name: (_) @name body: (_) @body) @type
(interface_declaration name: (_) @name body: (_) @body) @type
(enum_declaration name: (_) @name body: (_) @body) @type
(record_declaration name: (_) @name body: (_) @body) @type
(annotation_type_declaration name: (_) @name body: (_) @body) @type
[(block) (constructor_body)] @block
(expression_statement) @statement
[(import_declaration) (package_declaration) (module_declaration)] @skip

(if_statement condition: (_) @condition consequence: (_) @then alternative: (_)? @else) @if
(while_statement condition: (_) @condition body: (_) @body) @loop
(do_statement body: (_) @body condition: (_) @condition) @loop.after
(for_statement init: (_)* @init condition: (_)? @condition update: (_)* @update body: (_) @body) @loop
(enhanced_for_statement (modifiers)? @skip type: (_) @type name: (_) @declared value: (_) @value body: (_) @body) @loop
(switch_expression condition: (_) @subject body: (_) @body) @switch
(switch_block_statement_group (switch_label)* @value (_)* @body) @case.falling
(switch_rule (switch_label) @value (_) @body) @case
(switch_label (pattern)? @declared (guard)? @guard) @bind
(try_statement body: (_) @body (catch_clause)* @handler (finally_clause)? @finally) @try
(try_with_resources_statement resources: (_) @init body: (_) @body (catch_clause)* @handler
  (finally_clause)? @finally) @try
(catch_clause (catch_formal_parameter) @pattern body: (_) @body) @catch
(finally_clause) @finally
(synchronized_statement (parenthesized_expression) body: (_) @body) @with

(return_statement) @return
(throw_statement) @throw
(yield_statement) @give
(break_statement (_)? @label) @break
(continue_statement (_)? @label) @continue
(labeled_statement (identifier) @label) @label
(assert_statement) @assert
(ternary_expression) @decision
(binary_expression operator: ["&&" "||"]) @decision

; What is read and written.
[(identifier) (this) (super)] @name
(field_access object: (_) @object field: (_) @member) @member
(array_access) @index
(method_invocation object: (_)? @receiver name: (_) @method type_arguments: (_)? @skip arguments: (_) @arguments) @call
(object_creation_expression type: (_) @method arguments: (_) @arguments) @call
(explicit_constructor_invocation arguments: (_) @arguments) @call
(assignment_expression left: (_) @target operator: "=" right: (_) @value) @bind
(assignment_expression left: (_) @target right: (_) @value) @update
(update_expression (_) @target) @update
(variable_declarator name: (_) @declared value: (_)? @value) @bind
(local_variable_declaration (modifiers)? @skip type: (_) @type) @bind
(resource (modifiers)? @skip type: (_)? @skip name: (_)? @declared value: (_)? @value) @bind
(formal_parameter (modifiers)? @skip type: (_) @type name: (_) @declared) @bind
(spread_parameter (modifiers)? @skip) @bind
(catch_formal_parameter (catch_type) @skip (modifiers)? @skip name: (_) @declared) @bind
(instanceof_expression left: (_) @value right: (_)? @skip name: (_)? @target pattern: (_)? @target) @bind
(record_pattern (identifier)? @skip) @bind
(cast_expression type: (_) @skip value: (_) @value) @bind
(array_creation_expression type: (_) @skip) @bind
[(type_identifier) (generic_type) (type_arguments) (marker_annotation) (annotation) (modifiers) (class_literal)] @skip
[(line_comment) (block_comment)] @comment

((identifier) @words.rules (#any-of? @words.rules "break-leaves-switch" "fields-are-bare"))
((identifier) @words.truth (#any-of? @words.truth "true"))
((identifier) @words.own (#any-of? @words.own "this"))
((identifier) @words.never (#any-of? @words.never "System.exit" "fail"))
((identifier) @words.pure (#any-of? @words.pure
  "get*" "is*" "has*" "to*" "as*" "size" "length" "charAt" "substring" "indexOf" "lastIndexOf" "contains*" "startsWith"
  "endsWith" "equals" "equalsIgnoreCase" "compareTo" "compare" "hashCode" "trim" "strip" "split" "replace" "replaceAll"
  "toLowerCase" "toUpperCase" "concat" "matches" "format" "join" "valueOf" "values" "keySet" "entrySet" "stream" "map"
  "filter" "collect" "findFirst" "findAny" "anyMatch" "allMatch" "noneMatch" "orElse" "orElseGet" "orElseThrow"
  "ifPresent" "iterator" "hasNext" "peek" "println" "print" "printf" "debug" "info" "warn" "error" "trace" "name"
  "ordinal" "intValue" "longValue" "doubleValue" "min" "max" "abs" "copyOf" "of" "plus*" "minus*" "before" "after"
  "exists" "resolve" "requireNonNull" "checkNotNull" "checkArgument" "build" "copy" "clone" "forEach" "sum" "count"
  "reduce" "sorted" "distinct" "limit" "boxed" "mapToInt" "mapToObj" "flatMap" "repeat" "chars" "lines" "bytes"
  "assert*" "find*" "count*"))
((identifier) @words.mutates (#any-of? @words.mutates
  "add" "addAll" "put" "putAll" "putIfAbsent" "computeIfAbsent" "compute" "merge" "remove" "removeAll" "removeIf"
  "clear" "set" "push" "pop" "poll" "pollFirst" "pollLast" "offer" "append" "insert" "delete" "deleteCharAt" "setLength"
  "next" "read" "readLine" "write" "sort" "reverse" "incrementAndGet" "getAndIncrement" "addAndGet" "getAndSet"
  "take" "nextInt" "nextLine" "nextToken" "getAndAdd" "decrementAndGet"))
((identifier) @words.fills (#any-of? @words.fills
  "Collections.sort" "Collections.reverse" "Collections.shuffle" "Collections.addAll" "Arrays.sort" "Arrays.fill"
  "sort" "fill" "reverse" "shuffle" "addAll"))
((identifier) @words.views (#any-of? @words.views
  "get" "values" "entrySet" "keySet" "computeIfAbsent" "getOrDefault" "iterator" "next" "peek" "getKey" "getValue"
  "subList" "poll" "pop" "remove"))
[(decimal_integer_literal) (decimal_floating_point_literal) (string_literal) (character_literal) (true) (false)] @scalar
(binary_expression) @scalar
((identifier) @words.scalars (#any-of? @words.scalars
  "int" "long" "short" "byte" "char" "boolean" "float" "double" "String" "Integer" "Long" "Boolean" "Double" "Character"))
((identifier) @words.now (#any-of? @words.now
  "map" "filter" "forEach" "reduce" "anyMatch" "allMatch" "noneMatch" "flatMap" "sort" "removeIf" "computeIfAbsent"
  "ifPresent" "collect" "merge" "mapToInt" "orElseGet" "replaceAll" "sorted"))
