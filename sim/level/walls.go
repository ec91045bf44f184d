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
