; What runs. TypeScript adds to this.
(function_declaration name: (_) @name parameters: (_) @parameters body: (_) @body) @function.hoisted
(generator_function_declaration name: (_) @name parameters: (_) @parameters body: (_) @body) @function.hoisted
(function_expression name: (_)? @name parameters: (_) @parameters body: (_) @body) @function
(generator_function name: (_)? @name parameters: (_) @parameters body: (_) @body) @function
(arrow_function parameter: (_)? @parameters parameters: (_)? @parameters body: (_) @body) @function
(method_definition name: (_) @name parameters: (_) @parameters body: (_) @body) @function
(class_declaration name: (_) @name body: (_) @body) @type
(statement_block) @block
[(expression_statement) (export_statement)] @statement
(empty_statement) @skip

(if_statement condition: (_) @condition consequence: (_) @then alternative: (_)? @else) @if
(else_clause) @else
(while_statement condition: (_) @condition body: (_) @body) @loop
(do_statement body: (_) @body condition: (_) @condition) @loop.after
(for_statement initializer: (_) @init condition: (_)* @condition increment: (_)? @update body: (_) @body) @loop
(for_in_statement kind: _ left: (_) @declared right: (_) @value body: (_) @body) @loop
(for_in_statement left: (_) @target right: (_) @value body: (_) @body) @loop
(switch_statement value: (_) @subject body: (_) @body) @switch
(switch_case value: (_) @value body: (_)* @body) @case.falling
(switch_default body: (_)* @body) @case.falling
(try_statement body: (_) @body handler: (_)? @handler finalizer: (_)? @finally) @try
(catch_clause parameter: (_)? @declared body: (_) @body) @catch
(finally_clause) @finally
(with_statement object: (_) body: (_) @body) @with

(return_statement) @return
(throw_statement) @throw
(break_statement label: (_)? @label) @break
(continue_statement label: (_)? @label) @continue
(labeled_statement label: (_) @label) @label
(ternary_expression) @decision
(binary_expression operator: ["&&" "||" "??"]) @decision
(augmented_assignment_expression left: (_) @target right: (_) @value) @update

; What is read and written.
[(identifier) (shorthand_property_identifier) (shorthand_property_identifier_pattern) (this) (super)] @name
(member_expression object: (_) @object property: (_) @member) @member
(subscript_expression) @index
(call_expression function: (_) @callee arguments: (_) @arguments) @call
(new_expression constructor: (_) @callee arguments: (_)? @arguments) @call
(await_expression) @through
(assignment_expression left: (_) @target right: (_) @value) @bind
(update_expression argument: (_) @target) @update
(variable_declaration) @hoist
(variable_declarator name: (_) @declared value: (_)? @value) @bind
(assignment_pattern left: (_) @target right: (_) @value) @bind
(object_assignment_pattern left: (_) @target right: (_) @value) @bind
(pair_pattern key: (_) @skip value: (_) @target) @bind
(pair key: (_) @name value: (_) @value) @property
(import_statement source: (_) @skip) @import
(import_specifier name: (_) @skip alias: (_) @declared) @import
(import_specifier name: (_) @declared) @import
(namespace_import (_) @declared) @import
(import_clause (identifier) @declared) @import
(export_clause) @skip
[(decorator) (comment) (hash_bang_line)] @comment

((identifier) @words.rules (#any-of? @words.rules "break-leaves-switch" "declarations-are-hoisted"))
((identifier) @words.truth (#any-of? @words.truth "true" "1"))
((identifier) @words.own (#any-of? @words.own "this"))
((identifier) @words.never (#any-of? @words.never "process.exit" "process.abort" "Deno.exit"))
((identifier) @words.pure (#any-of? @words.pure
  "console.log" "console.error" "console.warn" "console.info" "console.debug" "String" "Number" "Boolean" "BigInt"
  "parseInt" "parseFloat" "isNaN" "isFinite" "encodeURIComponent" "decodeURIComponent" "JSON.stringify" "JSON.parse"
  "Object.keys" "Object.values" "Object.entries" "Object.freeze" "Array.isArray" "Array.from" "Math*" "require"
  "get*" "is*" "has*" "to*" "find*" "includes" "indexOf" "lastIndexOf" "startsWith" "endsWith" "slice" "substring"
  "substr" "split" "join" "concat" "replace" "replaceAll" "trim" "trimStart" "trimEnd" "padStart" "padEnd" "repeat"
  "charAt" "charCodeAt" "codePointAt" "at" "match" "matchAll" "search" "test" "localeCompare" "normalize" "keys"
  "values" "entries" "map" "filter" "reduce" "reduceRight" "some" "every" "flat" "flatMap" "valueOf" "bind"
  "hasOwnProperty" "log" "debug" "info" "warn" "error" "trace" "then" "catch" "finally" "forEach" "stringify" "parse"
  "format" "equals" "compare" "clone" "copy" "peek" "lookup" "resolve" "assert*"
  "expect" "querySelector" "querySelectorAll" "closest" "setTimeout" "clearTimeout" "fetch" "toFixed" "count"))
((identifier) @words.mutates (#any-of? @words.mutates
  "push" "pop" "shift" "unshift" "splice" "sort" "reverse" "fill" "copyWithin" "set" "add" "delete" "clear" "append"
  "next" "read" "write" "exec" "getReader"))
((identifier) @words.fills (#any-of? @words.fills "Object.assign" "Object.defineProperty" "Reflect.set"))
((identifier) @words.views (#any-of? @words.views
  "get" "at" "find" "values" "entries" "filter" "slice" "reverse" "sort" "Object.values" "Object.entries"))
[(number) (string) (template_string) (true) (false) (unary_expression)] @scalar
(binary_expression) @scalar
((identifier) @words.now (#any-of? @words.now
  "map" "filter" "forEach" "reduce" "reduceRight" "some" "every" "find" "findIndex" "flatMap" "sort" "replace" "from"
  "it" "test" "describe" "Promise"))
