//! What a call does to what its function does not declare. In each text the first column says which lines the slice of
//! the line with `?` has (`+`), all of them and no others.

use code::flow::{self, Direction};
use code::languages;

fn check(language: &str, marked: &str) {
    let text = unmarked(marked);
    let at = |sign: char| {
        let numbered = marked.lines().zip(1_u32..);
        numbered.filter(move |(line, _)| line.starts_with(sign)).map(|(_, number)| number)
    };
    let line = at('?').next().expect("a line is asked about");
    let flow = flow::try_flow(languages::by_name(language).unwrap(), &text, line).unwrap();
    let slice = flow.slice(line, None, Direction::Backward);
    let found: Vec<u32> = (1..=marked.lines().count() as u32).filter(|line| slice.contains(*line)).collect();
    let mut needed: Vec<u32> = at('+').chain([line]).collect();
    needed.sort_unstable();
    assert_eq!(found, needed, "{language}:\n{marked}");
}

/// Without the first column.
fn unmarked(marked: &str) -> String {
    let lines: Vec<&str> = marked.lines().map(|line| line.get(1..).unwrap_or_default()).collect();
    lines.join("\n")
}

#[test]
fn a_field_is_one_variable_with_and_without_its_receiver() {
    let text = "
 class A {
+    int f(int a, int b) {
+        int sum = a + b;
+        this.field = sum;
         this.other = 1;
?        int t = field + 1;
         return t;
     }
 }";
    check("java", text.trim_start_matches('\n'));
    let text = unmarked(text.trim_start_matches('\n'));
    let flow = flow::try_flow(languages::by_name("java").unwrap(), &text, 6).unwrap();
    for name in ["field", "this.field"] {
        let slice = flow.slice(6, Some(name), Direction::Backward);
        assert!(slice.contains(4) && !slice.contains(5), "{name}");
    }
}

#[test]
fn a_method_of_the_same_type_changes_and_reads_the_fields_its_text_does() {
    check(
        "java",
        " class A {
     int g(int q) {
+        total = 0;
         other = 9;
+        add(3);
         touch();
?        int x = total;
         return x;
     }
     void add(int n) { total += n; }
     void touch() { other++; }
 }",
    );
    check(
        "java",
        " class A {
     int h() {
+        total = 5;
         other = 2;
?        int y = compute();
         return y;
     }
     int compute() { return total * 2; }
 }",
    );
    // `set` is a function that changes nothing, but not here.
    check(
        "python",
        " class T:
+    def run(self, k):
+        self.n = 0
         self.o = 1
+        self.set(k)
         self.look()
?        m = self.n
         return m
     def set(self, k):
         self.store(k)
     def store(self, k):
         self.n = k
     def look(self):
         return self.o",
    );
    check(
        "typescript",
        " class C {
+  run(k: number) {
+    this.n = 0;
     this.o = 3;
+    this.set(k);
     this.look();
?    const m = this.n;
     return m;
   }
   set(k: number) { this.n = k; }
   look() { this.o = 2; }
 }",
    );
}

#[test]
fn a_function_changes_the_variables_of_its_file_that_its_text_does() {
    check(
        "c",
        " int g = 0;
 int h = 0;
 static void bump(void) { g++; }
 static void other(void) { int g = 1; g++; h = g; }
 static void deep(void) { bump(); }
+int use(int x) {
+    bump();
     other();
+    int y = x + g;
+    deep();
?    y += g;
     return y;
 }",
    );
    check(
        "typescript",
        " let count = 0;
 function increase() { count += 1; }
 const decrease = () => { count -= 1; };
 function use(x: number) {
   const a = x;
+  increase();
+  const b = count;
+  decrease();
?  return b + count;
 }",
    );
    check(
        "python",
        " g = 0
 def bump():
     global g
     g += 1
 def local():
     g = 2
+def use(x):
+    bump()
     local()
?    y = x + g
     return y",
    );
}

#[test]
fn who_calls_itself_is_looked_into_once() {
    check(
        "python",
        " class T:
+    def walk(self, node):
+        self.n = 0
+        self.walk(node.next)
?        m = self.n
         return m",
    );
}

#[test]
fn a_name_that_is_said_to_be_of_outside_is_needed_where_it_is_written() {
    check(
        "python",
        "+def outer(xs):
+    total = 0
+    def add(x):
+        nonlocal total
+        total = 5
+    for x in xs:
+        add(x)
?    return total",
    );
}

#[test]
fn what_is_put_off_may_write_what_a_return_gives() {
    check(
        "go",
        " package a
+func f(xs []int) (res int, err error) {
+	sum := 0
+	other := 1
 	unused := 2
+	defer func() {
+		res = sum
 	}()
+	for _, x := range xs {
+		sum += x
 	}
?	return other, nil
 }",
    );
    check(
        "go",
        " package a
+func f(xs []int) (res int, err error) {
 	other := 1
+	for _, x := range xs {
+		res += x
 	}
 	other++
?	return
 }",
    );
}
