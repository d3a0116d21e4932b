// What Go's own parser finds in files: every definition with its lines.
//
//	go run go.go -- FILE... > lines of {file, definitions: [{name, owner, kind, lines, ends}]}
//
// Functions, methods, types wherever they stand, constants and variables of the package. `_` defines nothing.
package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
)

type definition struct {
	Name  string `json:"name"`
	Owner string `json:"owner"`
	Kind  string `json:"kind"`
	Lines []int  `json:"lines"`
	Ends  []int  `json:"ends"`
}

func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}

func main() {
	out := json.NewEncoder(os.Stdout)
	for _, path := range os.Args[2:] { // behind the `--` that tells files from programs
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			out.Encode(map[string]any{"file": path, "error": err.Error()})
			continue
		}
		line := func(at token.Pos) int { return files.Position(at).Line }
		found := []definition{}
		add := func(name *ast.Ident, owner, kind string, node, around ast.Node) {
			if name.Name == "_" {
				return
			}
			// With nothing else in the declaration its keyword is the first token of the definition.
			found = append(found, definition{name.Name, owner, kind, []int{line(name.Pos()), line(around.Pos())},
				[]int{line(node.End()), line(around.End())}})
		}
		top := map[ast.Node]bool{}
		for _, declaration := range file.Decls {
			top[declaration] = true
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.FuncDecl:
				kind, owner := "function", ""
				if node.Recv != nil {
					kind, owner = "method", receiver(node.Recv.List[0].Type)
				}
				add(node.Name, owner, kind, node, node)
			case *ast.GenDecl:
				for _, spec := range node.Specs {
					var around ast.Node = spec
					if !node.Lparen.IsValid() {
						around = node
					}
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						kind := "type"
						if !top[node] {
							kind = "local type"
						}
						add(spec.Name, "", kind, spec, around)
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							if top[node] {
								add(name, "", node.Tok.String(), spec, around)
							}
						}
					}
				}
			}
			return true
		})
		out.Encode(map[string]any{"file": path, "definitions": found})
	}
}
