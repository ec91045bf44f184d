// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package stats

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// Vector is Blocking of many series that are sampled at once. The zero value is empty.
type Vector struct {
	Levels []VectorLevel `json:"levels"`
}

// VectorLevel is Level, with a number for each series.
type VectorLevel struct {
	N                   int64
	Mean, Squares, Half Floats
}

// Floats are stored in JSON as text of their bits, half as long as digits.
type Floats []float64

// Add adds the next sample of all series, as many as before.
func (v *Vector) Add(x []float64) {
	x = append([]float64(nil), x...)
	for k := 0; ; k++ {
		if k == len(v.Levels) {
			v.Levels = append(v.Levels, VectorLevel{Mean: make(Floats, len(x)), Squares: make(Floats, len(x)), Half: make(Floats, len(x))})
		}
		l := &v.Levels[k]
		l.N++
		n := float64(l.N)
		for i, x := range x {
			d := x - l.Mean[i]
			l.Mean[i] += d / n
			l.Squares[i] += d * (x - l.Mean[i])
		}
		if l.N%2 == 1 {
			copy(l.Half, x)
			return
		}
		for i := range x {
			x[i] = (l.Half[i] + x[i]) / 2
		}
	}
}

// Samples returns the number of samples of each series.
func (v *Vector) Samples() int64 {
	if len(v.Levels) == 0 {
		return 0
	}
	return v.Levels[0].N
}

// Estimate of one series.
func (v *Vector) Estimate(i int) Estimate {
	var b Blocking
	for _, l := range v.Levels {
		b.Levels = append(b.Levels, Level{N: l.N, Mean: l.Mean[i], Squares: l.Squares[i], Half: l.Half[i]})
	}
	return b.Estimate()
}

func (f Floats) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 8*len(f))
	for _, v := range f {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(b))
}

// UnmarshalJSON also takes the digits of earlier versions.
func (f *Floats) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '[' {
		return json.Unmarshal(text, (*[]float64)(f))
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(b)%8 != 0 {
		return fmt.Errorf("numbers of a series are damaged: %d bytes (%v)", len(b), err)
	}
	*f = make(Floats, len(b)/8)
	for i := range *f {
		(*f)[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return nil
}
