package level

import "lbmsim/device"

// WallFlow returns the flow of the current state at the walls with a model, in the order of boundary.Modelled.Cells.
func (l *Level) WallFlow() ([]device.ModelledWall, error) {
	if err := l.Sync(); err != nil {
		return nil, err
	}
	l.fillModelled(l.State[0])
	if err := l.Sync(); err != nil {
		return nil, err
	}
	return l.Program.(device.WallModeler).ModelledWalls()
}

// WallTuner returns what corrects the walls with a model; nil: there are no such walls, or the device does not.
func (l *Level) WallTuner() device.WallTuner {
	if t, ok := l.Program.(device.WallTuner); ok && l.Part.Cells.Modelled != nil {
		return t
	}
	return nil
}
