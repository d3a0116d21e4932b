; What runs.
(function_declaration name: (_) @name parameters: (_) @parameters result: (_)? @results body: (_)? @body) @function
(method_declaration receiver: (_) @parameters name: (_) @name parameters: (_) @parameters result: (_)? @results
  body: (_)? @body) @function
(func_literal parameters: (_) @parameters result: (_)? @results body: (_) @body) @function
[(block) (statement_list)] @block
(expression_statement) @statement
(go_statement) @statement
[(type_declaration) (import_declaration) (package_clause) (empty_statement)] @skip

(if_statement initializer: (_)? @init condition: (_) @condition consequence: (_) @then alternative: (_)? @else) @if
(for_statement body: (_) @body (_) @condition) @loop
(for_clause initializer: (_)? @init condition: (_)? @condition update: (_)? @update) @clause
(range_clause left: (_)? @target "=" right: (_) @value) @clause
(range_clause left: (_)? @declared right: (_) @value) @clause
(expression_switch_statement initializer: (_)? @init value: (_)? @subject) @switch
(type_switch_statement initializer: (_)? @init alias: (_)? @declared value: (_) @subject) @switch
(select_statement) @switch.whole
(expression_case value: (_) @value (_) @body) @case
(type_case type: (_)* @value (_) @body) @case
(communication_case communication: (_) @init (_) @body) @case
(default_case (_) @body) @case

(return_statement) @return
(break_statement (_)? @label) @break
(continue_statement (_)? @label) @continue
(goto_statement (_) @label) @goto
(labeled_statement label: (_) @label) @label
(fallthrough_statement) @fallthrough
(defer_statement) @defer
(binary_expression operator: ["&&" "||"]) @decision

; What is read and written.
(identifier) @name
(selector_expression operand: (_) @object field: (_) @member) @member
[(index_expression) (slice_expression)] @index
(call_expression function: (_) @callee arguments: (_) @arguments) @call
(unary_expression operator: "&") @reference
(unary_expression operator: "*") @dereference
(type_assertion_expression operand: (_) @object type: (_) @skip) @through
(short_var_declaration left: (_) @declared right: (_) @value) @bind
(assignment_statement left: (_) @target operator: "=" right: (_) @value) @bind
(assignment_statement left: (_) @target right: (_) @value) @update
(inc_statement (_) @target) @update
(dec_statement (_) @target) @update
(var_spec name: (_)* @declared type: (_)? @type value: (_)? @value) @bind
(const_spec name: (_)* @declared type: (_)? @skip value: (_)? @value) @bind
(receive_statement left: (_)? @declared right: (_) @value) @bind
(send_statement channel: (_) @receiver value: (_)) @call
(parameter_declaration name: (_)* @declared type: (_) @type) @bind
(variadic_parameter_declaration name: (_)? @declared type: (_) @skip) @bind
(composite_literal type: (_) @skip body: (_)) @bind
[(qualified_type) (generic_type) (pointer_type) (slice_type) (map_type) (array_type) (channel_type) (function_type)
 (struct_type) (interface_type) (type_arguments)] @skip
(comment) @comment

((identifier) @words.rules (#any-of? @words.rules "break-leaves-switch" "labels-are-places"))
((identifier) @words.truth (#any-of? @words.truth "true"))
((identifier) @words.never (#any-of? @words.never
  "panic" "os.Exit" "log.Fatal" "log.Fatalf" "log.Fatalln" "log.Panic" "log.Panicf" "runtime.Goexit" "t.Fatal"
  "t.Fatalf" "t.FailNow" "t.Skip" "t.Skipf" "b.Fatal" "b.Fatalf"))
((identifier) @words.pure (#any-of? @words.pure
  "len" "cap" "make" "new" "append" "min" "max" "string" "int" "int64" "int32" "uint64" "float64" "byte" "rune"
  "fmt.Println" "fmt.Printf" "fmt.Print" "fmt.Sprintf" "fmt.Sprint" "fmt.Errorf" "log.Printf" "log.Println" "log.Print"
  "errors.Is" "errors.New" "Error" "String" "Len" "Get*" "Is*" "Has*" "Contains" "Equal" "Before" "After" "Sub" "Add"
  "Format" "Unix" "UnixNano" "Name" "Type" "Kind" "Value" "Err" "Done" "Context" "Background" "Bytes" "Errorf" "Logf"
  "Log" "Helper" "Debug" "Info" "Warn" "Debugf" "Infof" "Warnf" "Printf" "Println" "Find*" "Match*" "Index" "Lock"
  "Unlock" "RLock" "RUnlock" "Elem" "Path" "Dir" "Base" "Ext" "Seconds" "Milliseconds" "NumField" "Field"))
((identifier) @words.fills (#any-of? @words.fills
  "copy" "delete" "clear" "close" "sort.Slice" "sort.SliceStable" "sort.Strings" "sort.Ints" "sort.Sort" "slices.Sort"
  "slices.SortFunc" "slices.Reverse" "heap.Push" "heap.Pop" "heap.Init" "fmt.Fprintf" "fmt.Fprintln" "fmt.Fprint"
  "io.Copy" "io.ReadFull" "binary.Read" "rand.Shuffle"))
((identifier) @words.views (#any-of? @words.views "Elem" "Front" "Back" "Value"))
[(int_literal) (float_literal) (interpreted_string_literal) (raw_string_literal) (rune_literal) (true) (false)] @scalar
(binary_expression) @scalar
((identifier) @words.scalars (#any-of? @words.scalars
  "int" "int8" "int16" "int32" "int64" "uint" "uint8" "uint16" "uint32" "uint64" "uintptr" "float32" "float64" "string"
  "bool" "byte" "rune" "error" "time.Duration"))
((identifier) @words.now (#any-of? @words.now
  "Slice" "SliceStable" "Search" "SortFunc" "Range" "Map" "FieldsFunc" "IndexFunc" "Do" "Walk" "WalkDir" "Run"))
