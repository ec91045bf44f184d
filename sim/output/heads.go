package output

import (
	"io"
	"os"
	"strings"

	"lbmsim/io/checkpoint"
	"lbmsim/io/fields"
)

// heads are the first bytes of files that lbmsim writes, by the ends of their names.
var heads = []struct{ end, head, kind string }{
	{".csv", "# lbmsim ", "a table of lbmsim"},
	{".png", "\x89PNG\r\n\x1a\n", "a PNG picture"},
	{".hdf", "\x89HDF\r\n\x1a\n", "an HDF5 file"},
	{".h5", checkpoint.Magic, "a checkpoint of lbmsim"},
	{".hdf.series", fields.IndexHead, "an index of lbmsim"},
	{".xdmf", fields.XDMFHead, "an index of lbmsim"},
	{BlowupText, "lbmsim ", "a report of lbmsim"},
	{BlowupJSON, "{\n \"Case\": ", "a report of lbmsim"},
}

// written reports whether a regular file begins as lbmsim writes it.
func written(path string) bool {
	for _, h := range heads {
		if strings.HasSuffix(path, h.end) {
			return headOf(path, len(h.head)) == h.head
		}
	}
	return false
}

// headOf returns the first bytes of a regular file, none where there is no such file.
func headOf(path string, bytes int) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, bytes)
	n, _ := io.ReadFull(f, head)
	return string(head[:n])
}
