// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"gorgonia.org/cu"

	"lbmsim/internal/raw"
	"lbmsim/kernels"
	"lbmsim/kernels/lookup"
	"lbmsim/model"
)

// numbers are the numbers of a step: rates, force, law.
type numbers struct {
	mu     sync.Mutex   // of what follows
	params model.Params // on the GPU
	given  bool         // whether the GPU has any
	forces bool         // steps use the force of their moment: see schedule
}

// upload writes the numbers of a step to the GPU if it has others. Among several concurrent callers
// one writes and the others wait.
func (c *core) upload(q model.Params) error {
	c.numbers.mu.Lock()
	defer c.numbers.mu.Unlock()
	if c.numbers.given && c.numbers.params == q {
		return nil
	}
	return c.write(q, 0, unsafe.Sizeof(kernels.Numbers{}))
}

// uploadStep uploads the numbers of a step; where a schedule gives the forces (see numbers.forces), it leaves the force
// on the GPU unchanged.
func (c *core) uploadStep(q model.Params) error {
	n := &c.numbers
	if !n.forces {
		return c.upload(q)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	q.Force = n.params.Force
	given, wanted := n.params, q
	given.Force, wanted.Force = [3]float64{}, [3]float64{} // which may be no numbers
	if n.given && given == wanted {
		return nil
	}
	force := unsafe.Offsetof(kernels.Numbers{}.Force)
	return errors.Join(c.write(q, 0, force), c.write(q, force+unsafe.Sizeof(q.Force), unsafe.Sizeof(kernels.Numbers{})))
}

// schedule makes steps use the force of their moment; this is the force of the last scheduled one.
func (n *numbers) schedule(force [3]float64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.forces, n.params.Force = true, force
}

// write brings the numbers of these bytes to the GPU. They are one for all streams: work that is queued has
// to see the old ones.
func (c *core) write(q model.Params, from, to uintptr) error {
	if c.d.recording.Load() {
		return fmt.Errorf("the parameters of %s change while a graph is recorded", c.spec)
	}
	if err := c.d.call("waiting before the parameters change", cu.Synchronize); err != nil {
		return err
	}
	numbers := raw.Bytes([]kernels.Numbers{lookup.Numbers(c.spec, q)})
	if err := c.box.Write(numbers[from:to], int(unsafe.Offsetof(boxABI{}.numbers)+from)); err != nil {
		return err
	}
	c.numbers.params, c.numbers.given = q, true
	return nil
}
