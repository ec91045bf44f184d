package fields

// Checking a file against its own checksums.

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"lbmsim/io/internal/h5"
	"lbmsim/io/internal/joint"
)

// Verify reads the named fields of a file, and of those that hold its numbers, and
// compares each plane with its checksum.
func Verify(path string, names ...string) error {
	holders, group, err := numbers(path)
	if err != nil {
		return err
	}
	for _, name := range names {
		sums, err := placeOf(path, crcs+name)
		if err != nil {
			return err
		}
		stored := make([]byte, sums.bytes())
		if err := sums.read(stored, 0); err != nil {
			return err
		}
		all, data := 0, make([]place, len(holders))
		for i, file := range holders {
			if data[i], err = placeOf(file, group+name); err != nil {
				return err
			}
			all += data[i].bytes()
		}
		planes := len(stored) / 4
		if planes == 0 || all%planes != 0 {
			return fmt.Errorf("%s: field %q and its checksums do not fit together", path, name)
		}
		plane, k := make([]byte, all/planes), 0
		for _, d := range data {
			for at := 0; at < d.bytes(); at, k = at+len(plane), k+1 {
				if err := d.read(plane, at); err != nil {
					return err
				}
				if joint.CRC(0, plane) != binary.NativeEndian.Uint32(stored[4*k:]) {
					return fmt.Errorf("%s: plane %d of field %q is damaged: it does not match its checksum", d.path, k, name)
				}
			}
		}
	}
	return nil
}

// numbers is the files in which a file's numbers lie, in the order of their planes, and
// the group that they are in.
func numbers(path string) (holders []string, group string, err error) {
	f, err := h5.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	switch {
	case f.Has(files):
		names, err := f.ReadText(files)
		for _, name := range strings.Split(names, "\n") {
			holders = append(holders, filepath.Join(filepath.Dir(path), name))
		}
		return holders, "/", err
	case f.Has(strings.TrimSuffix(layers, "/")):
		return []string{path}, layers, nil
	}
	return []string{path}, points, nil
}

// place is a dataset in a file.
type place struct {
	path, dataset string
	h5.Place
}

func placeOf(path, dataset string) (place, error) {
	f, err := h5.Open(path)
	if err != nil {
		return place{}, err
	}
	defer f.Close()
	p, err := f.Place(dataset)
	return place{path, dataset, p}, err
}

func (p place) bytes() int {
	n := p.Size
	for _, d := range p.Dims {
		n *= d
	}
	return n
}

// read fills b with what is at that many bytes from the beginning.
func (p place) read(b []byte, at int) error {
	if at+len(b) > p.bytes() {
		return fmt.Errorf("%s: %s ends within a plane", p.path, p.dataset)
	}
	f, err := os.Open(p.path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.ReadAt(b, p.Offset+int64(at)); err != nil {
		return fmt.Errorf("%s: read %s: %w", p.path, p.dataset, err)
	}
	return nil
}
