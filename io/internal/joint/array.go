package joint

// Array is an array [plane][row] in a file under construction, of which this rank
// writes a part.
type Array struct {
	*Sums
	file       *File
	at         int64 // offset in the file
	planeBytes int
}

// NewArray is the array at an offset of the file, with so many rows of so many bytes
// in a plane.
func NewArray(f *File, offset int64, rows, rowBytes int, p Extent) *Array {
	return &Array{Sums: NewSums(p, rowBytes), file: f, at: offset, planeBytes: rows * rowBytes}
}

// Put writes data, which passed Check: whole planes in one piece, else one piece for
// each plane. Any goroutine, no messages; its error comes again from Commit.
func (a *Array) Put(first int, data []byte) error {
	step := a.bytes
	if a.bytes == a.planeBytes {
		step = len(data)
	}
	for plane := a.part.Planes[0] + first; len(data) > 0; plane++ {
		if err := a.file.WriteAt(data[:step], a.at+int64(plane)*int64(a.planeBytes)+int64(a.Sums.at)); err != nil {
			return err
		}
		data = data[step:]
	}
	return nil
}
