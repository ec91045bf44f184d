package level

import "lbmsim/device"

// WallFlow returns the flow of the current state at the walls with a model, in the order of boundary.Modelled.Cells.
func (l *Level) WallFlow() ([]device.ModelledWall, error) {
	if err := l.Sync(); err != nil {
		return nil, err
	}
	if err := present(l); err != nil {
		return nil, err
	}
	l.fillModelled(l.State[0])
	if err := l.Sync(); err != nil {
		return nil, err
	}
	return Walls(l).ModelledWalls()
}

// WallPlus returns y+ of half a cell in the rank's own cells beside walls with a model, [z][y][x], and 0 in others.
func (l *Level) WallPlus() ([]float32, error) {
	flow, err := l.WallFlow()
	if err != nil {
		return nil, err
	}
	n := l.Part.Layout.N
	plus := make([]float32, n[0]*n[1]*n[2])
	for i, c := range l.Part.Cells.Modelled.Cells {
		for _, link := range c.Links {
			at := &plus[(link.To[2]*n[1]+link.To[1])*n[0]+link.To[0]]
			*at = max(*at, float32(flow[i].HalfPlus))
		}
	}
	return plus, nil
}

// Walls returns what computes the walls with a model; nil: there are no such walls.
func Walls(l *Level) device.WallModeler {
	if l.Part.Cells.Modelled == nil {
		return nil
	}
	return l.Program.(device.WallModeler)
}
