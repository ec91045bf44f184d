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

// planes does something with the planes of an image from first on.
func (s imaging) planes(image []byte, do func(first int, planes []byte) error) error {
	n := s.Planes()
	each := len(image) / n
	pass := func(lo, hi int) error { return do(lo, image[lo*each:hi*each]) }
	if _, ok := s.state[0].(device.HostVisible); ok {
		return s.Share(n, pass)
	}
	return pass(0, n) // one thread calls the device
}

func (s imaging) read(first int, planes []byte) error {
	eddies := eddiesOf(s.program)
	if eddies == nil {
		return s.plain(first, planes, s.state[0].Read)
	}
	return s.woven(first, planes, func(k int, plane, state, own []byte) error {
		err := errors.Join(s.state[0].Read(state, s.Interior(k, 1)[0].Lo), eddies.Read(own, k*len(own)))
		used := s.Layout.N[0] * s.Case.Spec.EddyBytes()
		for rest := own; len(rest) > 0; rest = rest[len(own)/s.RowsOfPlane():] {
			clear(rest[used : len(own)/s.RowsOfPlane()]) // the padding is anything
		}
		s.weave(plane, state, own, func(image, part []byte) { copy(image, part) })
		return err
	})
}

func (s imaging) write(first int, planes []byte) error {
	eddies := eddiesOf(s.program)
	if eddies == nil {
		return s.plain(first, planes, s.state[0].Write)
	}
	return s.woven(first, planes, func(k int, plane, state, own []byte) error {
		s.weave(plane, state, own, func(image, part []byte) { copy(part, image) })
		return errors.Join(s.state[0].Write(state, s.Interior(k, 1)[0].Lo), eddies.Write(own, k*len(own)))
	})
}

// plain passes planes that are as the state has them, in as few calls of the device as there are runs.
func (s imaging) plain(first int, planes []byte, pass func(run []byte, offset int) error) error {
	for _, run := range s.Interior(first, len(planes)/s.planeBytes()) {
		n := run.Hi - run.Lo
		if err := pass(planes[:n], run.Lo); err != nil {
			return err
		}
		planes = planes[n:]
	}
	return nil
}

// woven does something with each plane's image, and room for what it has of the state and of the eddies.
func (s imaging) woven(first int, planes []byte, do func(k int, plane, state, eddies []byte) error) error {
	each, at := s.planeBytes(), s.Interior(first, 1)[0]
	room := make([]byte, each)
	for k := 0; k < len(planes)/each; k++ {
		if err := do(first+k, planes[k*each:][:each], room[:at.Hi-at.Lo], room[at.Hi-at.Lo:]); err != nil {
			return err
		}
	}
	return nil
}

// planeBytes is the size of a plane's image.
func (s imaging) planeBytes() int { return s.Bytes() / s.Planes() }

// weave passes what each row of a plane's image has of the state, and of the eddies.
func (s imaging) weave(plane, state, eddies []byte, pass func(image, part []byte)) {
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
	return f.Load(s.Comm, s.Extent(), func(first int, data []byte) error {
		err := s.write(first, data)
		s.Heartbeat.Mark()
		return err
	})
}
