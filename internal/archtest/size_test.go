package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a reader can keep in mind of a type and of a function.
const (
	mostMethods = 40
	mostFields  = 19
	mostLines   = 80
)

// data are the functions that are no more than a table.
var data = map[string][]string{
	"config": {"tables"},
}

// fieldsOf are the types with more fields than mostFields, and how many they have: a record that others read as JSON. A
// number is the truth, and may only be lowered; no type has more methods than mostMethods.
var fieldsOf = map[string]int{
	"io/status.State": 33,
}

// TestTypesAndFunctionsStaySmall holds all packages to sizes, but for those of tests.
func TestTypesAndFunctionsStaySmall(t *testing.T) {
	methods, larger := map[string]int{}, map[string]int{}
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
			if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > mostLines && !slices.Contains(data[pkg], f.Name.Name) {
				t.Errorf("%s: %s has %d lines, more than %d", name, f.Name.Name, n, mostLines)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok {
				if fields, ok := s.Type.(*ast.StructType); ok && fields.Fields.NumFields() > mostFields {
					larger[pkg+"."+s.Name.Name] = fields.Fields.NumFields()
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
	for name, n := range larger {
		if most := max(mostFields, fieldsOf[name]); n > most {
			t.Errorf("%s has %d fields, more than %d", name, n, most)
		}
	}
	for name, most := range fieldsOf {
		if larger[name] < most {
			t.Errorf("%s has %d fields: lower the %d of fieldsOf, or take it out up to %d", name, larger[name], most, mostFields)
		}
	}
}
