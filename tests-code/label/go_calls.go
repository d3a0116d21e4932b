// Dumps every function of a Go folder and every call of it, resolved by go/types.
//
//	GO111MODULE=off GOPATH=… go run go_calls.go PACKAGE FOLDER > dump.json
//
// A folder is checked as the compiler would (package, package with its tests, tests outside the package), but with
// every file whatever its build constraints are, and going on after an error: a missing dependency leaves single calls
// unresolved, which are listed under "unknown" for a person to read.
package main

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

type site struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

type definition struct {
	Package    string   `json:"package"`
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Name       string   `json:"name"`
	Bare       string   `json:"bare"`
	Kind       string   `json:"kind"`
	Private    bool     `json:"private"`
	Shared     bool     `json:"shared"`
	Reexported bool     `json:"reexported"`
	Yes        []site   `json:"yes"`
	Look       []string `json:"look"`
}

var (
	root    string
	files   = token.NewFileSet()
	calls   = map[site]map[site]bool{} // definition -> sites
	outside = map[site]bool{}          // definitions called from another package
	unknown = map[string]map[site]bool{}
	found   []*definition
)

func place(at token.Pos) (site, bool) {
	p := files.Position(at)
	name, err := filepath.EvalSymlinks(p.Filename)
	if err != nil {
		return site{}, false
	}
	inside, err := filepath.Rel(root, name)
	return site{inside, p.Line}, err == nil && !strings.HasPrefix(inside, "..")
}

func check(name string, parsed []*ast.File, from types.Importer) {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: from, Error: func(error) {}, FakeImportC: true}
	pkg, _ := config.Check(name, files, parsed, info)
	for _, file := range parsed {
		ast.Inspect(file, func(node ast.Node) bool {
			call, is := node.(*ast.CallExpr)
			if !is {
				return true
			}
			fun := call.Fun
			for {
				if paren, is := fun.(*ast.ParenExpr); is {
					fun = paren.X
				} else if index, is := fun.(*ast.IndexExpr); is {
					fun = index.X
				} else {
					break
				}
			}
			var called *ast.Ident
			switch fun := fun.(type) {
			case *ast.Ident:
				called = fun
			case *ast.SelectorExpr:
				called = fun.Sel
			default:
				return true
			}
			here, _ := place(called.Pos())
			switch object := info.Uses[called].(type) {
			case nil:
				if unknown[called.Name] == nil {
					unknown[called.Name] = map[site]bool{}
				}
				unknown[called.Name][here] = true
			case *types.Func:
				target, ours := place(object.Origin().Pos())
				if !ours {
					return true
				}
				if calls[target] == nil {
					calls[target] = map[site]bool{}
				}
				calls[target][here] = true
				if object.Pkg() != pkg {
					outside[target] = true
				}
			}
			return true
		})
	}
}

func owner(receiver ast.Expr) string {
	switch receiver := receiver.(type) {
	case *ast.StarExpr:
		return owner(receiver.X)
	case *ast.IndexExpr:
		return owner(receiver.X)
	case *ast.Ident:
		return receiver.Name
	}
	return ""
}

func define(name string, file *ast.File) {
	for _, declaration := range file.Decls {
		function, is := declaration.(*ast.FuncDecl)
		if !is || function.Name.Name == "init" || function.Name.Name == "main" || function.Name.Name == "_" {
			continue
		}
		at, _ := place(function.Name.Pos())
		d := &definition{Package: name, File: at.File, Line: at.Line, Name: function.Name.Name, Bare: function.Name.Name,
			Kind: "function", Private: !function.Name.IsExported(), Look: []string{}}
		if function.Recv != nil {
			d.Kind, d.Name = "method", owner(function.Recv.List[0].Type)+"."+d.Bare
		}
		found = append(found, d)
	}
}

func sorted(set map[site]bool) []site {
	list := []site{}
	for s := range set {
		list = append(list, s)
	}
	sort.Slice(list, func(i, j int) bool {
		return list[i].File < list[j].File || list[i].File == list[j].File && list[i].Line < list[j].Line
	})
	return list
}

func main() {
	name := os.Args[1]
	root, _ = filepath.EvalSymlinks(os.Args[2])
	root, _ = filepath.Abs(root)
	from := importer.ForCompiler(files, "source", nil)
	filepath.Walk(root, func(folder string, entry os.FileInfo, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		parsed, _ := parser.ParseDir(files, folder, nil, 0)
		for title, pkg := range parsed {
			var plain, all []*ast.File
			for path, file := range pkg.Files {
				all = append(all, file)
				if !strings.HasSuffix(path, "_test.go") {
					plain = append(plain, file)
					if !strings.Contains(path, "/_") && !strings.Contains(path, "/internal/tag") {
						define(name, file)
					}
				}
			}
			if len(plain) > 0 {
				check(title, plain, from)
			}
			if len(all) > len(plain) {
				check(title, all, from)
			}
		}
		return nil
	})
	owners := map[string]map[string]bool{}
	for _, d := range found {
		if d.Kind == "method" {
			if owners[d.Bare] == nil {
				owners[d.Bare] = map[string]bool{}
			}
			owners[d.Bare][d.File[:strings.LastIndex("/"+d.File, "/")]+d.Name] = true
		}
	}
	for _, d := range found {
		here := site{d.File, d.Line}
		d.Yes, d.Shared, d.Reexported = sorted(calls[here]), len(owners[d.Bare]) > 1, outside[here]
	}
	open := map[string][]site{}
	for bare, set := range unknown {
		open[bare] = sorted(set)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{"definitions": found, "unknown": open})
}
