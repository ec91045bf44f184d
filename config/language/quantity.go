// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"errors"
	"fmt"

	"lbmsim/model"
)

// ReadQuantity reads a number with a unit that stands alone, such as on a command line; name is what messages call it.
func ReadQuantity(name, text string, d model.Dimension, within Span) (float64, error) {
	r, err := Read(name, []byte("value = "+Quote(text)+"\n"), nil, Schema{Tables: []Table{{Path: "", Keys: []Key{{Name: "value", Kind: Quantity, Dim: d, Within: within}}}}})
	if err != nil {
		return 0, err
	}
	var list Errors
	if errors.As(r.Err(), &list) {
		return 0, fmt.Errorf("%s %s: %s", name, ShortQuote(text), list[0].Message)
	}
	a := r.Section("").Get("value").Values[0]
	if a.Bare {
		return 0, fmt.Errorf("%s %s: give a unit, such as %q", name, ShortQuote(text), "0.1 "+Symbol(d))
	}
	return a.Value, nil
}
