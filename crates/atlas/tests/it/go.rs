//! Who calls what in Go: packages, receivers, blocks.

use crate::workspace::callers;

#[test]
fn a_name_means_what_it_is_in_its_block() {
    let files = [(
        "a.go",
        "package a

type Router struct{}
type Request struct{}

func New() *Router               { return nil }
func (r *Router) Get(f func())   {}
func (r *Request) Get(f func())  {}

func main() {
	r := New()
	r.Get(func() {})
	handle(func(r *Request) {
		r.Get(nil)
	})
	r.Get(nil)
	each(func(r *Request) { r.Get(nil) })
	if r := request(); r != nil {
		r.Get(nil)
	}
	r.Get(func(r *Request) {
	})
}

func request() *Request { return nil }
",
    )];
    assert_eq!(callers(&files, "Router.Get"), ["a.go:12", "a.go:16", "a.go:21"]);
    assert_eq!(callers(&files, "Request.Get"), ["a.go:14", "a.go:17", "a.go:19"]);
}

#[test]
fn what_a_call_gives_has_parts() {
    let files = [
        ("go.mod", "module example.com/shop\n"),
        (
            "store/store.go",
            "package store\n\ntype Store struct{ Hook *Hook }\ntype Hook struct{}\n\nfunc Open() (s *Store, h *Hook, err error) { return }\nfunc (h *Hook) Fire() {}\n",
        ),
        (
            "main.go",
            "package main\n\nimport \"example.com/shop/store\"\n\nfunc main() {\n\ts, hook, err := store.Open()\n\thook.Fire()\n\ts.Hook.Fire()\n\t_ = err\n\tnew(store.Hook).Fire()\n}\n",
        ),
    ];
    assert_eq!(callers(&files, "Hook.Fire"), ["main.go:7", "main.go:8", "main.go:10"]);
    assert_eq!(callers(&files, "store/store.go:Open"), ["main.go:6"]);
}

#[test]
fn a_field_may_be_called_like_its_type_and_a_list_has_elements() {
    let files = [(
        "a.go",
        "package a

type node struct{ node *node }
type nodes []*node
type Level int

const (
	Low Level = iota
	// in between
	Middle
	High
)

func (n *node) walk()    {}
func (l Level) String()  {}

func run(all nodes) {
	for _, n := range all {
		n.node.walk()
	}
	all[0].walk()
	High.String()
}
",
    )];
    assert_eq!(callers(&files, "node.walk"), ["a.go:19", "a.go:21"]);
    assert_eq!(callers(&files, "Level.String"), ["a.go:22"]);
}

#[test]
fn a_function_for_each_system_is_called_wherever_one_of_them_is() {
    let files = [
        ("lock_linux.go", "package a\n\nfunc lock() {}\n"),
        ("lock_windows.go", "package a\n\nfunc lock() {}\n"),
        ("a.go", "package a\n\nfunc run() { lock() }\n"),
        ("b/b.go", "package b\n\nfunc lock() {}\n"),
    ];
    for file in ["lock_linux.go", "lock_windows.go"] {
        assert_eq!(callers(&files, &format!("{file}:lock")), ["a.go:3"], "{file}");
    }
    assert!(callers(&files, "b/b.go:lock").is_empty());
}
