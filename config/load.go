package config

import (
	"fmt"
	"slices"
	"strings"
)

// Load reads and resolves a case file, with the changes that --set makes: KEY=VALUE each. path
// is used in messages and for the default output folder; nothing is opened. All errors of the
// text are reported at once: the error is of type Errors.
func Load(path string, src []byte, changes ...string) (*Case, error) {
	return LoadRefined(path, src, Refinement{}, changes...)
}

// LoadRefined is Load, of the same flow on a finer or a coarser grid. Lengths, times and
// velocities keep the meaning and the units that they have in the file: in a case in
// lattice units those are the cells and steps that the file speaks of, and Units leads back
// to them. Resolved is the text of the case itself, of factor 1, and says so.
func LoadRefined(path string, src []byte, f Refinement, changes ...string) (*Case, error) {
	c, err := resolved(path, src, f, changes)
	if list, ok := err.(Errors); ok && len(changes) > 0 {
		blame(list, changes, func(changes []string) bool {
			_, err := resolved(path, src, f, changes)
			return err == nil
		})
	}
	return c, err
}

func resolved(path string, src []byte, f Refinement, changes []string) (*Case, error) {
	text, edits, err := changed(src, changes)
	if err != nil {
		return nil, err
	}
	r := &resolver{reader: parse(problems{path: path, src: text, asis: src, edits: edits}), refinement: f}
	if len(r.sections) == 0 { // not TOML
		return nil, r.err()
	}
	r.c = &Case{Path: path, Source: append([]byte{}, text...)}
	r.resolve()
	if err := r.err(); err != nil {
		return nil, err
	}
	r.c.Resolved = r.echo()
	if factor := f.factor(); factor != 1 {
		r.c.Resolved = fmt.Sprintf("# computed on a grid refined by %s, %s scaling (lbmsim study); this is the case that was refined\n", short(factor), f.Scaling) + r.c.Resolved
	}
	return r.c, nil
}

// blame tells of the changes at mistakes in lines of the file that are none without them: a wall
// has no velocity, and who has made it a wall is the command line.
func blame(list Errors, changes []string, fine func(changes []string) bool) {
	if !fine(nil) {
		return
	}
	guilty := changes
	for i := range changes {
		if fine(slices.Delete(slices.Clone(changes), i, i+1)) {
			guilty = changes[i : i+1]
		}
	}
	var words []string
	for _, c := range guilty {
		words = append(words, "--set "+headline(c))
	}
	for i := range list {
		if p := &list[i]; p.Set == "" {
			p.Reason = strings.TrimPrefix(p.Reason+"\nthe file by itself has no errors: this one comes with "+strings.Join(words, ", "), "\n")
		}
	}
}
