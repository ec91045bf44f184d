package halo_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"lbmsim/comm"
	"lbmsim/comm/commtest"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/halo"
	"lbmsim/halo/halotest"
)

func TestHostStagedStraight(t *testing.T) {
	halotest.Run(t, halo.HostStaged, func() halo.Memory { return halotest.NewDevice(true) })
}

func TestHostStagedThroughStaging(t *testing.T) {
	halotest.Run(t, halo.HostStaged, func() halo.Memory { return halotest.NewDevice(false) })
}

// The same for exchanges that are queued: nobody waits between steps, and the fill
// of a step is ordered before the next one by the stream alone.
func TestQueued(t *testing.T) {
	build := func(c comm.Comm, plan decomp.Plan, layout decomp.Layout, valueBytes int, dev halo.Memory) (halo.Exchange, error) {
		e, err := halo.New(c, plan, layout, valueBytes, dev)
		if err != nil {
			return nil, err
		}
		q, ok := e.(halo.Queued)
		if !ok {
			return nil, fmt.Errorf("%s can't be queued", e.Describe())
		}
		return &queued{Queued: q, stream: dev.NewStream(true)}, nil
	}
	for _, k := range halotest.Cases() {
		err := comm.RunLocal(1, func(c comm.Comm) error { return halotest.Check(c, build, halotest.NewDevice(false), k) })
		if err != nil {
			t.Errorf("%v: %v", k, err)
		}
	}
	err := comm.RunLocal(2, func(c comm.Comm) error {
		plan, err := decomp.Slabs([3]int{8, 8, 8}, [3]bool{}, 3, 2)
		if err != nil {
			return err
		}
		if _, err := halo.Local(c, plan, plan.Layout(c.Rank(), 10), 4, halotest.NewDevice(true)); err == nil {
			return errors.New("a rank with a neighbour has an exchange inside its device")
		}
		if _, err := build(c, plan, plan.Layout(c.Rank(), 10), 4, halotest.NewDevice(true)); err == nil {
			return errors.New("messages through the host are queued")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// queued runs an exchange through Queue.
type queued struct {
	halo.Queued
	stream device.Stream
}

func (q *queued) Start(state device.Buffer, ready device.Event) error {
	q.stream.After(ready)
	q.Queue(q.stream, state)
	return nil
}

func (q *queued) Finish() error { return q.stream.Sync() }

// pinned is a device with fast host memory.
type pinned struct {
	*halotest.Device
	held *int
}

func (p pinned) AllocHost(n int) ([]byte, func(), error) {
	*p.held++
	return make([]byte, n), func() { *p.held-- }, nil
}

func TestStagingMemoryOfTheDevice(t *testing.T) {
	err := comm.RunLocal(2, func(c comm.Comm) error {
		held := 0
		if err := halotest.Check(c, halo.New, pinned{halotest.NewDevice(false), &held}, halotest.Cases()[0]); err != nil {
			return err
		}
		if held != 0 {
			return fmt.Errorf("%d buffers were not given back", held)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestDescribe(t *testing.T) {
	for _, test := range []struct {
		ranks    int
		periodic bool
		visible  bool
		want     string
	}{
		{1, false, true, "none needed"},
		{1, true, false, "copies inside the device"},
		{2, false, true, "straight from the state"},
		{2, true, false, "through host memory"},
	} {
		err := comm.RunLocal(test.ranks, func(c comm.Comm) error {
			e, err := build(c, halotest.NewDevice(test.visible), test.periodic)
			if err != nil {
				return err
			}
			if got := e.Describe(); !strings.Contains(got, test.want) {
				return fmt.Errorf("%q, want %q", got, test.want)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// A rank that is a neighbour of itself along z and of another rank along y fills all
// of its ghost cells, edges included.
func TestNeighbourOfItselfAndOfOthers(t *testing.T) {
	for _, visible := range []bool{true, false} {
		err := comm.RunLocal(2, func(c comm.Comm) error {
			plan, err := decomp.Pencils([3]int{8, 5, 3}, [3]bool{false, true, true}, 2, 1)
			if err != nil {
				return err
			}
			layout, dev := plan.Layout(c.Rank(), 10), halotest.NewDevice(visible)
			e, err := halo.New(c, plan, layout, 4, dev)
			if err != nil {
				return err
			}
			defer e.Close()
			if text := e.Describe(); !strings.Contains(text, "messages") || !strings.Contains(text, "inside the device") {
				return fmt.Errorf("the exchange is %q", text)
			}
			b, err := dev.Alloc(4 * layout.Len())
			if err != nil {
				return err
			}
			// A row holds the number of the global row, in every value.
			image, row, at := make([]byte, b.Bytes()), 4*layout.RowLen(), plan.Box(c.Rank()).Lo
			each := func(f func(memory []byte, number byte, inside bool)) {
				for z := -1; z <= layout.N[2]; z++ {
					for y := -1; y <= layout.N[1]; y++ {
						number := (z+3)%3*5 + (y+at[1]+5)%5 + 1
						f(image[layout.Row(y, z)*row:][:row], byte(number), z >= 0 && z < layout.N[2] && y >= 0 && y < layout.N[1])
					}
				}
			}
			each(func(memory []byte, number byte, inside bool) {
				for i := range memory {
					if inside {
						memory[i] = number
					}
				}
			})
			for range 3 {
				if err := b.Write(image, 0); err != nil {
					return err
				}
				if err := e.Start(b, dev.NewStream(true).Record()); err != nil {
					return err
				}
				if err := e.Finish(); err != nil {
					return err
				}
				if err := b.Read(image, 0); err != nil {
					return err
				}
				each(func(memory []byte, number byte, inside bool) {
					for i := range memory {
						if memory[i] != number {
							err = fmt.Errorf("rank %d, visible %v: a row holds %d instead of %d", c.Rank(), visible, memory[i], number)
						}
						if !inside {
							memory[i] = 0
						}
					}
				})
				if err != nil {
					return err
				}
			}
			s := e.Stats()
			if want := (halo.Stats{Exchanges: 3, Messages: 18, Bytes: 3 * row * (2*3 + 4), Copied: 3 * row * 2 * layout.N[1]}); s.Exchanges != want.Exchanges ||
				s.Messages != want.Messages || s.Bytes != want.Bytes || s.Copied != want.Copied {
				return fmt.Errorf("stats %+v, want %+v", s, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// build makes an exchange of a small 3D box.
func build(c comm.Comm, dev halo.Memory, periodic bool) (halo.Exchange, error) {
	plan, err := decomp.Slabs([3]int{8, 8, 8}, [3]bool{2: periodic}, 3, c.Size())
	if err != nil {
		return nil, err
	}
	return halo.New(c, plan, plan.Layout(c.Rank(), 10), 4, dev)
}

func TestNewRefuses(t *testing.T) {
	err := comm.RunLocal(2, func(c comm.Comm) error {
		dev := halotest.NewDevice(true)
		if _, err := build(commtest.Bare(c), dev, true); err == nil || !strings.Contains(err.Error(), "non-blocking") {
			return fmt.Errorf("without non-blocking messages: %v", err)
		}
		plan, err := decomp.Slabs([3]int{8, 8, 8}, [3]bool{}, 3, 3)
		if err != nil {
			return err
		}
		if _, err := halo.New(c, plan, plan.Layout(0, 10), 4, dev); err == nil || !strings.Contains(err.Error(), "3 ranks") {
			return fmt.Errorf("a plan for other ranks: %v", err)
		}
		plan, err = decomp.Slabs([3]int{8, 8, 8}, [3]bool{}, 3, 2)
		if err != nil {
			return err
		}
		wrong := decomp.NewLayout([3]int{8, 8, 5}, plan.Ghost(), 10)
		if _, err := halo.New(c, plan, wrong, 4, dev); err == nil || !strings.Contains(err.Error(), "layout") {
			return fmt.Errorf("a wrong layout: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// exchange runs one exchange with an event of its own.
func exchange(c comm.Comm, visible bool, ready device.Event) error {
	dev := halotest.NewDevice(visible)
	e, err := build(c, dev, true)
	if err != nil {
		return err
	}
	b, err := dev.Alloc(decomp.NewLayout([3]int{8, 8, 8}, [3]int{0, 0, 1}, 10).Len() * 4)
	if err != nil {
		return err
	}
	if ready == nil {
		ready = dev.NewStream(true).Record()
	}
	if err := e.Start(b, ready); err != nil {
		return err
	}
	return e.Finish()
}

// A rank that is gone ends the others' exchange with an error, not with silence.
func TestLostNeighbour(t *testing.T) {
	for _, visible := range []bool{true, false} {
		ranks := comm.Local(3)
		result := make(chan error, 2)
		for _, c := range ranks[:2] {
			go func() { result <- exchange(c, visible, nil) }()
		}
		time.Sleep(5 * time.Millisecond)
		ranks[2].(comm.Aborter).Abort(7)
		for range ranks[:2] {
			var abort *comm.AbortError
			if err := <-result; !errors.As(err, &abort) || !strings.Contains(err.Error(), "exchange 1") {
				t.Errorf("the exchange ended with %v", err)
			}
		}
	}
}

type failed struct{}

func (failed) Done() bool       { return true }
func (failed) Wait() error      { return errors.New("kernel failed") }
func (failed) Seconds() float64 { return 0 }

// What goes wrong in the edge kernels is not sent to the neighbours.
func TestFailedEdges(t *testing.T) {
	c := comm.Local(2)[0]
	err := exchange(c, true, failed{})
	if err == nil || !strings.Contains(err.Error(), "rank 0: exchange 1, send: the edge cells: kernel failed") {
		t.Errorf("got %v", err)
	}
}

func TestMisuse(t *testing.T) {
	c := comm.Serial()
	dev := halotest.NewDevice(true)
	e, err := build(c, dev, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Finish(); err != nil {
		t.Errorf("finish without start: %v", err)
	}
	b, _ := dev.Alloc(decomp.NewLayout([3]int{8, 8, 8}, [3]int{0, 0, 1}, 10).Len() * 4)
	ready := dev.NewStream(true).Record()
	if err := e.Start(b, ready); err != nil {
		t.Fatal(err)
	}
	if err := e.Start(b, ready); err == nil {
		t.Error("two exchanges at once were accepted")
	}
}
