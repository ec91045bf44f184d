// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

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
	next     [output.Budgets]time.Time            // before which no picture is gathered
	accounts [output.Budgets]*allowance.Allowance // nil: no request yet
	frozen   output.Orbit                         // fields that the outputs keep for rotating views ...
	frozenAt time.Time                            // ... since; zero: nothing
}

// frozenFor is the age at which fields that a turning view keeps are gathered again; at twice this age they are freed. A variable for
// tests.
var frozenFor = 5 * time.Second

// tariffs are the shares of the run's time, one part of so many, what may be saved up of them, and the shortest time between two
// pictures. A camera that turns needs a picture at once and then many, for a short time. Each account is limited separately,
// so that a view at rest never slows down another viewer's rotation.
var tariffs = [output.Budgets]struct {
	share       int
	most, every time.Duration
}{
	output.Slices: {250, 200 * time.Millisecond, 250 * time.Millisecond},
	output.Views:  {50, 2 * time.Second, 250 * time.Millisecond},
	output.Turns:  {50, 2 * time.Second, 50 * time.Millisecond},
}

// wanted returns the code of the picture to show now, zeros without a request. On rank 0.
func (v *viewing) wanted(now time.Time) (code [2]int64) {
	if v.viewer == nil {
		return code
	}
	v.asked = v.viewer.Wanted(func(b output.Budget) bool { return now.After(v.next[b]) && v.left(b, now) })
	if v.asked != nil {
		return v.prepared(now).Code()
	}
	if !v.frozenAt.IsZero() && now.Sub(v.frozenAt) > 2*frozenFor {
		v.frozenAt = time.Time{}
		code[0] = output.Forget
	}
	return code
}

// charge takes time for rays beside the steps from the accounts.
func (v *viewing) charge(now time.Time, took [output.Budgets]time.Duration) {
	for k, t := range took {
		if b := output.Budget(k); t > 0 {
			v.left(b, now) // opens the account
			v.accounts[b].Spend(t)
		}
	}
}

// left reports whether an account has time left.
func (v *viewing) left(b output.Budget, now time.Time) bool {
	if v.accounts[b] == nil {
		v.accounts[b] = allowance.New(tariffs[b].share, tariffs[b].most, now)
	}
	return v.accounts[b].Left(now)
}

// prepared returns the request; a rotating view uses fields that were gathered before. Views at rest, which may belong to
// another viewer, leave these fields unchanged.
func (v *viewing) prepared(now time.Time) output.Request {
	o, isView := v.asked.(output.Orbit)
	switch {
	case !isView || !o.Moving:
		return v.asked
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
	budget := v.asked.Budget()
	v.left(budget, began) // opens the account if the viewer has not done so
	v.accounts[budget].Spend(took)
	v.next[budget] = began.Add(tariffs[budget].every)
	v.viewer.Show(v.asked, p)
	return nil
}
