// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package transport has the names of transports of ghost planes: in the case file, on the command line, and in a run's
// report.
package transport

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is a transport to a neighbour.
type Kind int

const (
	Auto Kind = iota // the best of the others, for each neighbour
	Host             // messages through the host
	GPU              // messages from and to GPU memory
	Peer             // into the neighbour's memory
)

// kinds are their words, in the same order.
var kinds = []string{"auto", "host", "gpu", "peer"}

// Kinds returns the words of all kinds.
func Kinds() []string { return slices.Clone(kinds) }

// String returns the word. It panics for any value but the above.
func (k Kind) String() string { return kinds[k] }

// Parse reads a word; the error lists the valid ones.
func Parse(word string) (Kind, error) {
	if i := slices.Index(kinds, word); i >= 0 {
		return Kind(i), nil
	}
	return 0, fmt.Errorf("%s is not one of %s", word, strings.Join(kinds, ", "))
}

// Answer is a user's answer to a question that lbmsim would otherwise decide by queries.
type Answer int

const (
	Ask Answer = iota
	Yes
	No
)

// answers are their words, in the same order.
var answers = []string{"ask", "yes", "no"}

// Answers returns the words of all answers.
func Answers() []string { return slices.Clone(answers) }

// String returns the word. It panics for any value but the above.
func (a Answer) String() string { return answers[a] }

// ParseAnswer reads a word; the error lists the valid ones.
func ParseAnswer(word string) (Answer, error) {
	if i := slices.Index(answers, word); i >= 0 {
		return Answer(i), nil
	}
	return 0, fmt.Errorf("%s is not valid: must be %s", word, strings.Join(answers, ", "))
}
