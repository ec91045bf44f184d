package config

import (
	"fmt"

	"lbmsim/model"
)

// symbol writes a dimension as an SI unit, e.g. "kg/m3" or "m/s2".
func symbol(d model.Dimension) string {
	switch d {
	case model.Dimensionless:
		return "1"
	case model.Pressure:
		return "Pa"
	}
	up, down := "", ""
	add := func(u string, n int) {
		s := &up
		if n < 0 {
			s, n = &down, -n
		}
		if n == 0 {
			return
		}
		if *s != "" {
			*s += " "
		}
		*s += u
		if n > 1 {
			*s += fmt.Sprint(n)
		}
	}
	add("kg", d.Kg)
	add("m", d.M)
	add("s", d.S)
	if up == "" {
		up = "1"
	}
	if down == "" {
		return up
	}
	return up + "/" + down
}
