package postmortem

// Steps is the search's view of the steps of a run.
type Steps interface {
	// Again recomputes one step, and writes nothing. Collective.
	Again() error
	// Save copies the present state of this rank's own cells into image, and gives what the
	// coming steps depend on besides.
	Save(image []byte) (Circumstances, error)
	// Back makes a state that was saved the present one; image nil: the initial one. Collective.
	Back(image []byte, c Circumstances) error
	// Heard is more than 0 when this rank has got a signal, or knows that the job's time is over.
	Heard() int64
}
