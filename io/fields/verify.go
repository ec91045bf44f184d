package fields

// Checking a file against its own checksums.

import (
	"encoding/binary"
	"fmt"
	"os"

	"lbmsim/io/internal/h5"
	"lbmsim/io/internal/joint"
)

// Verify reads the named fields of a file and compares each plane with its
// checksum.
func Verify(path string, names ...string) error {
	places := make([][2]h5.Place, len(names))
	f, err := h5.Open(path)
	if err != nil {
		return err
	}
	for i, name := range names {
		data := layers + name
		if !f.Has("/lbmsim/layer") {
			data = points + name
		}
		var err2 error
		places[i][0], err = f.Place(data)
		places[i][1], err2 = f.Place(crcs + name)
		if err == nil {
			err = err2
		}
		if err != nil {
			f.Close()
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	r, err := os.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	for i, name := range names {
		data, sums := places[i][0], places[i][1]
		bytes := data.Size
		for _, n := range data.Dims {
			bytes *= n
		}
		if len(sums.Dims) != 1 || sums.Size != 4 || sums.Dims[0] == 0 || bytes%sums.Dims[0] != 0 {
			return fmt.Errorf("%s: field %q and its checksums do not fit together", path, name)
		}
		stored, plane := make([]byte, 4*sums.Dims[0]), make([]byte, bytes/sums.Dims[0])
		if _, err := r.ReadAt(stored, sums.Offset); err != nil {
			return fmt.Errorf("%s: read the checksums of field %q: %w", path, name, err)
		}
		for k := range sums.Dims[0] {
			if _, err := r.ReadAt(plane, data.Offset+int64(k)*int64(len(plane))); err != nil {
				return fmt.Errorf("%s: read plane %d of field %q: %w", path, k, name, err)
			}
			if joint.CRC(0, plane) != binary.NativeEndian.Uint32(stored[4*k:]) {
				return fmt.Errorf("%s: plane %d of field %q is damaged: it does not match its checksum", path, k, name)
			}
		}
	}
	return nil
}
