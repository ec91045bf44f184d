// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lbmsim/config/language"
)

// Every key or table that the source reads is in the schema. If the source gives a section's table,
// by Section, Named or All in the same function, that table must have the key, otherwise some table
// must.
func TestAllKeysAskedForAreInTheSchema(t *testing.T) {
	names, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	schema, asked := caseLanguage(), 0
	for _, f := range names {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			of := map[string]string{} // tables of variables
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					for i, l := range n.Lhs {
						if v, ok := l.(*ast.Ident); ok && len(n.Rhs) == len(n.Lhs) {
							of[v.Name] = tableOf(n.Rhs[i], of)
						}
					}
				case *ast.RangeStmt:
					if v, ok := n.Value.(*ast.Ident); ok {
						of[v.Name] = tableOf(n.X, of)
					}
				case *ast.CallExpr:
					table, keys := askedFor(n, of)
					if table == "" && len(keys) == 0 {
						return true
					}
					if table != "" && !slices.ContainsFunc(schema.Tables, func(o language.Table) bool { return o.Path == table }) {
						t.Errorf("%s: the schema has no table [%s]", set.Position(n.Pos()), table)
					}
					for _, key := range keys {
						asked++
						if !slices.ContainsFunc(schema.Tables, func(o language.Table) bool { return (table == "" || o.Path == table) && o.Find(key) != nil }) {
							t.Errorf("%s: the schema has no key %s in [%s]", set.Position(n.Pos()), key, table)
						}
					}
				}
				return true
			})
		}
	}
	if asked < 200 {
		t.Errorf("only %d keys were found in the source", asked)
	}
}

// tableOf returns the path of the table whose sections an expression gives; "": the expression does not determine it.
func tableOf(e ast.Expr, of map[string]string) string {
	if v, ok := e.(*ast.Ident); ok {
		return of[v.Name]
	}
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return ""
	}
	path := literal(call.Args[0])
	switch method(call) {
	case "Section":
		return path
	case "Named", "All":
		if path != "" {
			return path + ".*"
		}
	}
	return ""
}

// askedFor returns the table and the keys that a call reads.
func askedFor(call *ast.CallExpr, of map[string]string) (table string, keys []string) {
	args := call.Args
	switch method(call) {
	case "Section", "Named", "All":
		return tableOf(call, of), nil
	case "Get", "Has", "InFile", "KeyAt", "ValueAt", "Drop", "Broken":
		table = tableOf(call.Fun.(*ast.SelectorExpr).X, of)
	case "SetDefault", "need", "vector", "pointOf", "period", "digest":
		table, args = tableOf(args[0], of), args[1:2]
	case "exclusive":
		table, args = tableOf(args[0], of), args[2:]
	default:
		return "", nil
	}
	for _, a := range args {
		if key := literal(a); key != "" {
			keys = append(keys, key)
		}
	}
	return table, keys
}

func method(call *ast.CallExpr) string {
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}

func literal(e ast.Expr) string {
	b, ok := e.(*ast.BasicLit)
	if !ok || b.Kind != token.STRING {
		return ""
	}
	s, _ := strconv.Unquote(b.Value)
	return s
}
