package sim

import (
	"time"

	"lbmsim/internal/allowance"
	"lbmsim/io/picture"
	"lbmsim/sim/output"
)

// Viewer shows slices of the present state while the run continues. Rank 0 queries it when the ranks synchronize (control.go);
// without a request nothing is computed or copied. Neither method may block.
type Viewer interface {
	// Wanted returns the requested slice, which output.Slice.Check has passed; false: none.
	Wanted() (output.Slice, bool)
	// Show takes the requested slice.
	Show(output.Slice, picture.Picture)
}

// viewing limits the cost of viewers.
type viewing struct {
	viewer Viewer // may be nil
	next   time.Time
	time   *allowance.Allowance // nil: no slice yet
}

// Slices are gathered at most four times per second, and the run waits for them in at most 0.4 % of its time.
const (
	showEvery = 250 * time.Millisecond
	showShare = 250
	showSaved = 200 * time.Millisecond
)

// wanted returns the code of the slice to show now, 0 without a request. On rank 0.
func (v *viewing) wanted(now time.Time) int64 {
	if v.viewer == nil || now.Before(v.next) {
		return 0
	}
	s, ok := v.viewer.Wanted()
	if !ok || !v.allowed(now) {
		return 0
	}
	return s.Code()
}

// allowed reports whether there is time left for a slice.
func (v *viewing) allowed(now time.Time) bool {
	if v.time == nil {
		v.time = allowance.New(showShare, showSaved, now)
	}
	return v.time.Left(now)
}

// show gathers the slice of a code and hands it to the viewer. Collective.
func (v *viewing) show(outputs *output.Set, code int64) error {
	if code == 0 {
		return nil
	}
	began, slice := time.Now(), output.SliceOf(code)
	p, err := outputs.Show(slice)
	took := time.Since(began)
	outputs.Spent += took.Seconds()
	if err != nil || !outputs.Rank.Root {
		return err
	}
	v.time.Spend(took)
	v.next = began.Add(showEvery)
	v.viewer.Show(slice, p)
	return nil
}
