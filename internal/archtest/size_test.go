// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// Bounds on the size of types and functions, so that a reader can keep one in mind.
const (
	mostMethods = 40
	mostFields  = 19
	mostLines   = 80
)

// TestTypesAndFunctionsStaySmall checks the sizes of the types and functions of all packages except test packages.
func TestTypesAndFunctionsStaySmall(t *testing.T) {
	methods := map[string]int{}
	for _, name := range treeFiles(t) {
		pkg := path.Dir(name)
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(pkg, "test") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(root, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if f.Recv != nil {
				of := f.Recv.List[0].Type
				if star, ok := of.(*ast.StarExpr); ok {
					of = star.X
				}
				if id, ok := of.(*ast.Ident); ok {
					methods[pkg+"."+id.Name]++
				}
			}
			if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > mostLines {
				t.Errorf("%s: %s has %d lines, more than %d", name, f.Name.Name, n, mostLines)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok {
				if fields, ok := s.Type.(*ast.StructType); ok && fields.Fields.NumFields() > mostFields {
					t.Errorf("%s: %s has %d fields, more than %d", name, s.Name.Name, fields.Fields.NumFields(), mostFields)
				}
			}
			return true
		})
	}
	if len(methods) < 20 {
		t.Errorf("only %d types with methods were found", len(methods))
	}
	for name, n := range methods {
		if n > mostMethods {
			t.Errorf("%s has %d methods, more than %d", name, n, mostMethods)
		}
	}
}
