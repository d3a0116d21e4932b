; What runs.
(function_definition name: (_) @name parameters: (_) @parameters body: (_) @body) @function
(lambda parameters: (_)? @parameters body: (_) @body) @function
(class_definition name: (_) @name body: (_) @body) @type
(block) @block
(decorated_definition) @block
(expression_statement) @statement

(if_statement condition: (_) @condition consequence: (_) @then alternative: (_)* @else) @if
(elif_clause condition: (_) @condition consequence: (_) @then) @if
(else_clause) @else
(while_statement condition: (_) @condition body: (_) @body alternative: (_)? @else) @loop
(for_statement left: (_) @target right: (_) @value body: (_) @body alternative: (_)? @else) @loop
(match_statement subject: (_) @subject body: (_) @body) @switch
(case_clause (case_pattern) @pattern guard: (_)? @guard consequence: (_) @body) @case
(try_statement body: (_) @body (except_clause)* @handler (else_clause)? @else (finally_clause)? @finally) @try
(except_clause value: (_)* @pattern alias: (_)? @target (block) @body) @catch
(finally_clause) @finally
(with_statement (with_clause) body: (_) @body) @with

(return_statement) @return
(raise_statement) @throw
(break_statement) @break
(continue_statement) @continue
(assert_statement) @assert
[(boolean_operator) (conditional_expression) (if_clause)] @decision

; What is read and written.
(identifier) @name
(attribute object: (_) @object attribute: (_) @member) @member
(subscript) @index
(call function: (_) @callee arguments: (_) @arguments) @call
(await) @through
(assignment left: (_) @target type: (_)? @type right: (_)? @value) @bind
(augmented_assignment left: (_) @target right: (_) @value) @update
(named_expression name: (_) @target value: (_) @value) @bind
(as_pattern (_) @value alias: (_) @target) @bind
(delete_statement (_) @target) @update
[(list_comprehension) (dictionary_comprehension) (set_comprehension) (generator_expression)] @inner
(for_in_clause left: (_) @declared right: (_) @value) @clause
(keyword_argument name: (_) @skip value: (_) @value) @property
(pair key: (_) @value value: (_) @value) @property
(default_parameter name: (_) @declared value: (_) @value) @bind
(typed_default_parameter name: (_) @declared type: (_) @type value: (_) @value) @bind
(typed_parameter type: (_) @type) @bind
(class_pattern (dotted_name) @skip) @bind
(keyword_pattern (identifier) @skip) @bind
(dict_pattern key: (_)* @value value: (_)* @target) @bind
(dotted_name ".") @skip
(import_statement name: (_) @target) @import
(import_from_statement module_name: (_) @skip name: (_)* @target) @import
(future_import_statement) @skip
(aliased_import name: (_) @skip alias: (_) @target) @import
(global_statement) @outer
(nonlocal_statement) @outer
(type) @skip
(type_parameter) @skip
(type_alias_statement) @skip
(comment) @comment

((identifier) @words.rules (#any-of? @words.rules "assignment-declares"))
((identifier) @words.truth (#any-of? @words.truth "True" "1"))
((identifier) @words.own (#any-of? @words.own "self" "cls"))
((identifier) @words.never (#any-of? @words.never
  "exit" "quit" "sys.exit" "os._exit" "os.abort" "pytest.fail" "pytest.skip" "self.fail" "self.skipTest"))
; Of built-in types and common libraries; what is not here may change what it is asked of.
((identifier) @words.pure (#any-of? @words.pure
  "print" "len" "isinstance" "issubclass" "hasattr" "getattr" "callable" "type" "id" "hash" "repr" "str" "int" "float"
  "bool" "bytes" "list" "tuple" "set" "dict" "frozenset" "sorted" "reversed" "enumerate" "zip" "map" "filter" "range"
  "min" "max" "sum" "any" "all" "abs" "round" "divmod" "pow" "ord" "chr" "hex" "bin" "oct" "format" "iter" "open"
  "super" "vars" "dir" "cast" "property" "slice" "ascii" "input"
  "get*" "is*" "has*" "to_*" "as_*" "find*" "count" "index" "copy" "deepcopy" "items" "keys" "values" "startswith"
  "endswith" "strip" "lstrip" "rstrip" "split" "rsplit" "splitlines" "join" "replace" "lower" "upper" "title"
  "capitalize" "casefold" "swapcase" "center" "ljust" "rjust" "zfill" "expandtabs" "partition" "rpartition" "encode"
  "decode" "translate" "removeprefix" "removesuffix" "union" "intersection" "difference" "symmetric_difference"
  "rfind" "rindex" "rjust" "format_map" "exists" "resolve" "absolute" "relative_to" "joinpath" "with_suffix"
  "with_name" "glob" "rglob" "stat" "match" "fullmatch" "search" "sub" "finditer" "groups" "group" "groupdict" "span"
  "start" "end" "debug" "info" "warning" "warn" "error" "exception" "critical" "log" "isoformat" "strftime"
  "timestamp" "total_seconds" "bit_length" "hexdigest" "digest" "mean" "shape" "astype" "reshape" "dot" "fetchone"
  "fetchall" "filter_by" "all" "json" "loads" "dumps" "dirname" "basename" "assert*"
  "compile" "quote" "unquote" "lookup" "signature" "most_common"))
((identifier) @words.mutates (#any-of? @words.mutates
  "pop" "popleft" "popitem" "append" "appendleft" "extend" "insert" "remove" "discard" "add" "clear" "update"
  "setdefault" "sort" "reverse" "write" "writelines" "read" "readline" "readlines" "send" "put" "get_nowait" "next"))
((identifier) @words.fills (#any-of? @words.fills
  "next" "setattr" "delattr" "heappush" "heappop" "heapq.heappush" "heapq.heappop" "heapify" "heapq.heapify" "shuffle"
  "random.shuffle" "insort" "bisect.insort"))
((identifier) @words.views (#any-of? @words.views
  "get" "setdefault" "items" "values" "enumerate" "reversed" "sorted" "zip" "list" "iter" "getattr" "pop"))
[(integer) (float) (string) (concatenated_string) (true) (false) (comparison_operator) (not_operator)] @scalar
(binary_operator operator: ["-" "/" "//" "%" "**"]) @scalar
((identifier) @words.scalars (#any-of? @words.scalars "int" "float" "str" "bool" "bytes" "complex"))
