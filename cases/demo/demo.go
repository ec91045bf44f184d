// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package demo holds the cases of `lbmsim demo`: flows with an animation, small enough for the cores at hand.
package demo

import (
	_ "embed"
	"regexp"
)

//go:embed street.toml
var street string

//go:embed convection.toml
var convection string

//go:embed ball.toml
var ball string

// Demo is a case whose only pictures are the frames of an animation.
type Demo struct {
	Name, Title, Text string
}

// All returns the demos; the first one is the default.
func All() []Demo {
	title := regexp.MustCompile(`(?m)^title = "(.*)"$`)
	list := []Demo{{Name: "street", Text: street}, {Name: "convection", Text: convection}, {Name: "ball", Text: ball}}
	for i, d := range list {
		if m := title.FindStringSubmatch(d.Text); m != nil {
			list[i].Title = m[1]
		}
	}
	return list
}
