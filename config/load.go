package config

// Load reads and resolves a case file. path is used in messages and for the
// default output folder; nothing is opened. All errors of the text are reported at
// once: the error is of type Errors.
func Load(path string, src []byte) (*Case, error) { return loadAs(path, src, Refinement{}) }

func loadAs(path string, src []byte, f Refinement) (*Case, error) {
	r := &resolver{reader: parse(path, src), refinement: f}
	if len(r.sections) == 0 { // not TOML
		return nil, r.err()
	}
	r.c = &Case{Path: path, Source: append([]byte{}, src...)}
	r.resolve()
	if err := r.err(); err != nil {
		return nil, err
	}
	r.c.Resolved = r.echo()
	return r.c, nil
}
