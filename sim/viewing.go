package sim

import (
	"time"

	"lbmsim/internal/allowance"
	"lbmsim/sim/output"
)

// Viewer shows pictures of the present state to people while the run continues. Rank 0 asks it when the ranks agree on what to do
// (control.go); without a request nothing is computed or copied. Neither method may block.
type Viewer interface {
	// Wanted returns the first request that is waited for, has passed its Check, and is of an account with time left; nil: no request.
	Wanted(left func(output.Budget) bool) output.Request
	// Show takes the picture of the request that Wanted has returned last.
	Show(output.Request, output.Painter)
}

// viewing limits the cost of viewers.
type viewing struct {
	viewer   Viewer // may be nil
	asked    output.Request
	next     time.Time
	accounts [output.Budgets]*allowance.Allowance // nil: no request yet
	frozen   output.Orbit                         // what the outputs keep for views that turn ...
	frozenAt time.Time                            // ... since; zero: nothing
}

// Pictures are gathered at most four times per second, while a camera turns at each agreement.
const (
	showEvery = 250 * time.Millisecond
	turnEvery = 50 * time.Millisecond
	// Fields that a turning view keeps are gathered again when they are so old, and let go of when they are twice as old.
	frozenFor = 5 * time.Second
)

// tariffs are the shares of the run's time, one part of so many, and what may be saved up of them. A camera that turns needs a picture
// at once and then many, for a short time.
var tariffs = [output.Budgets]struct {
	share int
	most  time.Duration
}{output.Slices: {250, 200 * time.Millisecond}, output.Views: {50, 2 * time.Second}, output.Turns: {50, 2 * time.Second}}

// wanted returns the code of the picture to show now, zeros without a request. On rank 0.
func (v *viewing) wanted(now time.Time) (code [2]int64) {
	if v.viewer == nil {
		return code
	}
	if now.After(v.next) {
		v.asked = v.viewer.Wanted(func(b output.Budget) bool { return v.left(b, now) })
		if v.asked != nil {
			return v.prepared(now).Code()
		}
	}
	if !v.frozenAt.IsZero() && now.Sub(v.frozenAt) > 2*frozenFor {
		v.frozenAt = time.Time{}
		code[0] = output.Forget
	}
	return code
}

// left reports whether an account has time left.
func (v *viewing) left(b output.Budget, now time.Time) bool {
	if v.accounts[b] == nil {
		v.accounts[b] = allowance.New(tariffs[b].share, tariffs[b].most, now)
	}
	return v.accounts[b].Left(now)
}

// prepared returns the request, which shows fields that were gathered before where it is a view that turns.
func (v *viewing) prepared(now time.Time) output.Request {
	o, isView := v.asked.(output.Orbit)
	switch {
	case !isView:
		return v.asked
	case !o.Moving:
		v.frozenAt = time.Time{}
	case !v.frozenAt.IsZero() && now.Sub(v.frozenAt) < frozenFor && o.SameSurface(v.frozen):
		o.Again = true
	default:
		v.frozen, v.frozenAt = o, now
	}
	return o
}

// show computes the picture of a code and hands it to the viewer. Collective.
func (v *viewing) show(outputs *output.Set, code [2]int64) error {
	if code[0] == 0 {
		return nil
	}
	began := time.Now()
	p, err := output.Show(outputs, code)
	took := time.Since(began)
	outputs.Spent += took.Seconds()
	if err != nil || !outputs.Rank.Root || p == nil {
		return err
	}
	budget, every := v.asked.Budget(), showEvery
	if budget == output.Turns {
		every = turnEvery
	}
	v.left(budget, began) // opens the account, should the viewer not have asked
	v.accounts[budget].Spend(took)
	v.next = began.Add(every)
	v.viewer.Show(v.asked, p)
	return nil
}
