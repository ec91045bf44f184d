package sim

import (
	"errors"

	"lbmsim/device"
	"lbmsim/io/checkpoint"
)

// The image of this rank's own cells, which checkpoints and the post-mortem keep: of each row its values in the state and,
// where the law of the viscosity looks at neighbours, its eddies. Those are of an earlier step, and the state does not tell
// them.

// ReadImage copies the present state into an image of domain.Part.Bytes.
func (s *stepper) ReadImage(image []byte) error { return imaging{s}.planes(image, imaging{s}.read) }

// imaging is a state as an image.
type imaging struct{ *stepper }

// writeAll makes an image the present state.
func (s imaging) writeAll(image []byte) error { return s.planes(image, s.write) }

// planes does something with each plane of an image.
func (s imaging) planes(image []byte, do func(k int, plane []byte) error) error {
	n := s.Planes()
	each := len(image) / n
	pass := func(lo, hi int) error {
		for k := lo; k < hi; k++ {
			if err := do(k, image[k*each:(k+1)*each]); err != nil {
				return err
			}
		}
		return nil
	}
	if _, ok := s.state[0].(device.HostVisible); ok {
		return s.Share(n, pass)
	}
	return pass(0, n) // one thread calls the device
}

func (s imaging) read(k int, plane []byte) error {
	at, eddies := s.Interior(k, 1)[0], eddiesOf(s.program)
	if eddies == nil {
		return s.state[0].Read(plane, at.Lo)
	}
	state := make([]byte, at.Hi-at.Lo)
	own := make([]byte, len(plane)-len(state))
	err := errors.Join(s.state[0].Read(state, at.Lo), eddies.Read(own, k*len(own)))
	used := s.Layout.N[0] * s.Case.Spec.EddyBytes()
	for rest := own; len(rest) > 0; rest = rest[len(own)/s.RowsOfPlane():] {
		clear(rest[used : len(own)/s.RowsOfPlane()]) // the padding is anything
	}
	s.interleave(plane, state, own, func(image, part []byte) { copy(image, part) })
	return err
}

func (s imaging) write(k int, plane []byte) error {
	at, eddies := s.Interior(k, 1)[0], eddiesOf(s.program)
	if eddies == nil {
		return s.state[0].Write(plane, at.Lo)
	}
	state := make([]byte, at.Hi-at.Lo)
	own := make([]byte, len(plane)-len(state))
	s.interleave(plane, state, own, func(image, part []byte) { copy(part, image) })
	return errors.Join(s.state[0].Write(state, at.Lo), eddies.Write(own, k*len(own)))
}

// interleave passes what each row of a plane's image has of the state, and of the eddies.
func (s imaging) interleave(plane, state, eddies []byte, pass func(image, part []byte)) {
	rows := s.RowsOfPlane()
	a, b := len(state)/rows, len(eddies)/rows
	for y := range rows {
		row := plane[y*(a+b):]
		pass(row[:a], state[y*a:(y+1)*a])
		pass(row[a:a+b], eddies[y*b:(y+1)*b])
	}
}

// load brings this rank's part from the file to the device. Collective.
func (s imaging) load(f *checkpoint.Reader) error {
	each := s.Bytes() / max(s.Planes(), 1)
	return f.Load(s.Comm, s.Extent(), func(first int, data []byte) error {
		for k := 0; k < len(data)/each; k++ {
			if err := s.write(first+k, data[k*each:(k+1)*each]); err != nil {
				return err
			}
		}
		s.Heartbeat.Mark()
		return nil
	})
}
