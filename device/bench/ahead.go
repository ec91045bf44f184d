// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package bench

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"

	"lbmsim/device"
	"lbmsim/model"
)

// Catalogue returns every model on every lattice in every precision, in the order of the
// documentation.
func Catalogue() []model.Spec {
	var list []model.Spec
	for _, spec := range model.Pairs() {
		for _, spec.Precision = range model.Precisions {
			list = append(list, spec)
		}
	}
	return list
}

// WithEddies returns the spec with the eddy viscosity (Smagorinsky).
func WithEddies(spec model.Spec) model.Spec {
	spec.Viscosity = model.Smagorinsky
	return spec
}

// Verified are models that were compared with the oracle.
type Verified struct {
	mu       sync.Mutex
	outcomes map[string]outcome
}

type outcome struct {
	difference float64
	err        error
}

// VerifyAll verifies models, for rows of width cells, concurrently: the oracle's steps take the
// longest. NVRTC compiles one kernel at a time per process; several processes fill the cache
// faster. A wrong result has an error instead of a speed.
func VerifyAll(dev device.Device, specs []model.Spec, width func(model.Spec) int) *Verified {
	v := &Verified{outcomes: map[string]outcome{}}
	next := make(chan model.Spec)
	var workers sync.WaitGroup
	var using sync.Mutex // the device
	for range min(len(specs), runtime.GOMAXPROCS(0)) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for spec := range next {
				d, err := verify(dev, sample(spec, [3]int{width(spec)}), &using)
				v.mu.Lock()
				v.outcomes[spec.String()] = outcome{d, err}
				v.mu.Unlock()
			}
		}()
	}
	for _, spec := range specs {
		next <- spec
	}
	close(next)
	workers.Wait()
	return v
}

// Err joins the errors, in the order of the names.
func (v *Verified) Err() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(v.outcomes)) {
		errs = append(errs, v.outcomes[name].err)
	}
	return errors.Join(errs...)
}

// of returns the check that reports a model's outcome.
func (v *Verified) of(spec model.Spec) check {
	return func() (float64, error) {
		o, ok := v.outcomes[spec.String()]
		if !ok {
			return 0, fmt.Errorf("%s was not verified", spec)
		}
		return o.difference, o.err
	}
}

// Closed measures steps in a closed box with a moving lid.
func (v *Verified) Closed(spec model.Spec, n [3]int) Job {
	return func(dev device.Device) (*contender, error) {
		return driven(dev, newBox(spec, n), spec.String(), v.of(spec), nil)
	}
}

// Eddies measures Closed with and without the eddy viscosity, on one shared state, so that both fit
// into memory.
func (v *Verified) Eddies(spec model.Spec, n [3]int) []Job {
	var plain *contender
	return []Job{
		func(dev device.Device) (c *contender, err error) {
			plain, err = v.Closed(spec, n)(dev)
			return plain, err
		},
		func(dev device.Device) (*contender, error) {
			spec := WithEddies(spec)
			b := plain.flow.box
			b.spec, b.params = spec, b.params.WithSmagorinsky(eddies)
			c, err := driven(dev, b, spec.String(), v.of(spec), plain.flow)
			if err == nil {
				c.without = plain
			}
			return c, err
		},
	}
}
