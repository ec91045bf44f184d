// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package live

import (
	"fmt"
	"net/url"
	"strconv"

	"lbmsim/config"
	"lbmsim/model"
	"lbmsim/sim/output"
)

// seenOf lists the fields of a case for slices, and their normal axes.
func seenOf(c *config.Case) (fields []field, axes []axis) {
	for _, f := range model.Fields {
		if output.Sliced(c, f) {
			fields = append(fields, fieldOf(f, c.Dims()))
		}
	}
	for k := range 3 {
		axes = append(axes, axisOf(c, k))
	}
	return fields, axes
}

// viewOf returns the initial content of a case's views: as its first [output.view.NAME], or the default of that table.
func viewOf(c *config.Case) *view {
	if c.Dims() != 3 {
		return nil
	}
	if len(c.Views) > 0 {
		if v := c.Views[0]; output.Viewed(c, v.Surface) && output.Viewed(c, v.Colour) {
			return &view{v.Surface.Name, &v.Value, v.Colour.Name}
		}
	}
	return &view{Surface: config.UsualSurface, Colour: config.UsualColour}
}

// fieldOf lists the components that a viewer may choose: in 2D those that are not always zero.
func fieldOf(f model.Field, dims int) field {
	l := field{Name: f.Name}
	switch {
	case f.Components == 1:
	case dims == 3:
		l.Components = []string{"magnitude", "x", "y", "z"}
	case f.Name == "vorticity":
		l.Components = []string{"z", "magnitude"}
	default:
		l.Components = []string{"magnitude", "x", "y"}
	}
	return l
}

func axisOf(c *config.Case, k int) axis {
	u := c.Units
	return axis{Name: axisNames[k : k+1], Cells: c.Cells[k], First: c.Origin[k] + u.Length/2, Step: u.Length, Unit: u.Symbol(model.Length), Across: c.Dims() == 3 || k == 2}
}

const axisNames = "xyz"

// The kinds of requests.
const (
	sliceWord = "slice"
	viewWord  = "view"
)

// sliceOf parses a viewer's request of a slice.
func sliceOf(keys url.Values) (output.Request, error) {
	at, err := strconv.Atoi(keys.Get("at"))
	if err != nil {
		return nil, fmt.Errorf("at = %.40q is not the number of a cell", keys.Get("at"))
	}
	f, err := fieldNamed(keys.Get("field"))
	if err != nil {
		return nil, err
	}
	component := keys.Get("component")
	s := output.Slice{Field: f, Component: index(axisNames, component), Axis: index(axisNames, keys.Get("axis")), At: at}
	if component != "" && component != "magnitude" && s.Component < 0 {
		return nil, fmt.Errorf("there is no component %.40q", component)
	}
	return s, nil
}

// orbitOf parses a viewer's request of a view; without a value the run chooses one.
func orbitOf(keys url.Values) (output.Request, error) {
	o := output.Orbit{Moving: keys.Get("moving") != "", Auto: keys.Get("value") == ""}
	var err error
	if o.Surface, err = fieldNamed(keys.Get("surface")); err != nil {
		return nil, err
	}
	if o.Colour, err = fieldNamed(keys.Get("colour")); err != nil {
		return nil, err
	}
	if !o.Auto {
		v, err := strconv.ParseFloat(keys.Get("value"), 32)
		if err != nil {
			return nil, fmt.Errorf("value = %.40q is not a number of 32 bits", keys.Get("value"))
		}
		o.Value = float32(v)
	}
	for _, n := range []struct {
		key string
		to  *int
	}{{"turn", &o.Turn}, {"tilt", &o.Tilt}, {"zoom", &o.Zoom}} {
		if *n.to, err = strconv.Atoi(keys.Get(n.key)); err != nil {
			return nil, fmt.Errorf("%s = %.40q is not a whole number", n.key, keys.Get(n.key))
		}
	}
	return o, nil
}

func fieldNamed(name string) (model.Field, error) {
	f, ok := model.FindField(name)
	if !ok {
		return f, fmt.Errorf("there is no field %.40q", name)
	}
	return f, nil
}

// index returns the position of a letter, -1 for other words.
func index(letters, word string) int {
	for k := range letters {
		if letters[k:k+1] == word {
			return k
		}
	}
	return -1
}
