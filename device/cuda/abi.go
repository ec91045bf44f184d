// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"lbmsim/device"
	"lbmsim/kernels"
)

// The structs of kernels/gpu/api.h, special.h, scalar.h, timed.h, barrier.h and ../cast.h, as laid out in the device's memory; a test
// compares the layouts.

// block lists the special cells among 32 cells of a row (Block).
type block struct {
	links, solid uint32
	first        uint32
}

// blockCells is the number of cells of a block.
const blockCells = 32

// movingBit of a cell's word: one of the walls beside it moves.
const movingBit = 30

// boxABI is Case: one box of cells. boxLists writes it; faces adds the addresses of ends, row ends and rules (core.uploadBox),
// core.write the numbers of a step.
type boxABI struct {
	n, ghost, periodic [3]int32
	pitch              int32
	mirror             [2]int32
	blocks             uint64 // addresses in the device's memory
	words              uint64
	sets               uint64
	wallMomentum       uint64
	ends               uint64
	rowEnds            [2]uint64
	faceRules          uint64
	outletRules        uint64
	eddies             uint64
	uncounted          uint64
	numbers            kernels.Numbers
}

// rowEndABI is RowEnd: what lies beyond an end of a row.
type rowEndABI struct{ from, code, rule, outlet uint32 }

// Bits of rowEndABI.code, and the number of a row that is not stored.
const (
	rowEndNone    = 1<<32 - 1
	rowEndBounces = 1<<9 - 1
	rowEndOwn     = 9
	rowEndGhost   = 1 << 18
	rowEndOutlet  = 1 << 19
	rowEndInner   = 1 << 20
	rowEndCopy    = 1 << 21
)

// sumsABI is Sums, which the kernels of the part sums write: the sums of a row or a plane of cells.
type sumsABI struct {
	mass     float64
	momentum [3]float64
	energy   float64
	speed2   float64
	cells    int64
	at       int64
	bad      int64
	badAt    int64
}

// linksABI is Links of special.h, written by the part links: the lists of boundary.Links.
type linksABI struct{ cells, list, types, laws, ghosts, sent uint64 }

// modelledABI is Modelled of modelled.h, written by the part modelled.
type modelledABI struct {
	count                                                                           int64
	places, types, numbers, table, populations, results, tuning, layer, links, heat uint64
}

// joinedLinkABI is JoinedLink of modelled.h.
type joinedLinkABI struct {
	to               int64
	area             float64
	ghost, direction uint32
}

// gatheredABI is Gathered of modelled.h.
type gatheredABI struct{ from, to int64 }

// scalarABI is ScalarWalls of scalar.h, written by the part scalar.
type scalarABI struct{ types, laws, links, corrected, recomputed, distances, sent, heat uint64 }

// laterABI, termABI and clockABI are Later, Term and Clock of timed.h, written by the part timed.
type laterABI struct {
	base       [4]float64
	to         uint64
	first      uint32
	count, law uint16
}

type termABI struct {
	at          [3]float64
	gain        float64
	share       [4]float64
	wall, timed uint32
}

type clockABI struct {
	now, arrived, later, terms uint64
	count, numbers             uint32
}

// volumeABI is Volume of cast.h, written by the part volumes.
type volumeABI struct {
	scale                                float64
	shape, colour, finest, bricks, piles uint64 // addresses
	lo, n                                [3]int32
	ends                                 [2][3]int32
}

// barrierABI is Barrier of barrier.h.
type barrierABI struct {
	count, parties uint64
	broken         uint64 // addresses
	signal, await  [device.MaxParties]uint64
}

// rowThreads is ROW: the threads of a block of all kernels but lbm_step.
const rowThreads = 128
