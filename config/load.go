package config

import "strings"

// Load reads and resolves a case file, with the changes that --set makes: KEY=VALUE each. path
// is used in messages and for the default output folder; nothing is opened. All errors of the
// text are reported at once: the error is of type Errors.
func Load(path string, src []byte, changes ...string) (*Case, error) {
	return LoadRefined(path, src, Refinement{}, changes...)
}

// LoadRefined is Load, of the same flow on a finer or a coarser grid. Lengths, times and
// velocities keep the meaning and the units that they have in the file: in a case in
// lattice units those are the cells and steps that the file speaks of, and Units leads back
// to them. Resolved is the text of the case itself, of factor 1.
func LoadRefined(path string, src []byte, f Refinement, changes ...string) (*Case, error) {
	text, edits, err := changed(src, changes)
	if err != nil {
		return nil, err
	}
	r := &resolver{reader: parse(problems{path: path, src: text, asis: src, edits: edits}), refinement: f}
	if len(r.sections) == 0 { // not TOML
		return nil, r.blame(r.err(), f)
	}
	r.c = &Case{Path: path, Source: append([]byte{}, text...)}
	r.resolve()
	if err := r.err(); err != nil {
		return nil, r.blame(err, f)
	}
	r.c.Resolved = r.echo()
	return r.c, nil
}

// blame tells of the changes at mistakes in lines of the file that are none without them: a wall
// has no velocity, and who has made it a wall is the command line.
func (r *resolver) blame(err error, f Refinement) error {
	if len(r.edits) == 0 {
		return err
	}
	if _, alone := LoadRefined(r.path, r.asis, f); alone != nil {
		return err
	}
	var changes []string
	for _, e := range r.edits {
		changes = append(changes, "--set "+headline(e.arg))
	}
	for i := range r.list {
		if p := &r.list[i]; p.Set == "" {
			p.Reason = strings.TrimPrefix(p.Reason+"\nthe file by itself has no errors: this one comes with "+strings.Join(changes, ", "), "\n")
		}
	}
	return r.list
}
