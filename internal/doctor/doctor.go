// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package doctor examines the resources of a run: the ranks and their places, the
// messages between neighbours, the device, the folder for outputs. A Check examines one
// of these and returns findings in plain words, with advice where something is wrong.
//
// All ranks make the same checks in the same order, through the code that a run uses
// (comm, halo, device). A rank shares its own results before any rank continues.
// Before each collective operation the ranks call the roll (Punctual), so that one that
// does not answer is named instead of waited for.
package doctor

import (
	"errors"
	"time"

	"lbmsim/comm"
	"lbmsim/device"
)

// Severity of a finding.
type Severity int

const (
	Fine    Severity = iota
	Warning          // a job may start; it will be slower than it could be, or hard to read
	Fault            // a job must not start
)

func (s Severity) String() string { return [...]string{"ok", "warning", "FAULT"}[s] }

// Finding is one result of a check, the same on every rank.
type Finding struct {
	Severity Severity
	Text     string
	Advice   string // how to fix it
}

func fine(text string) Finding            { return Finding{Fine, text, ""} }
func warning(text, advice string) Finding { return Finding{Warning, text, advice} }
func fault(text, advice string) Finding   { return Finding{Fault, text, advice} }

// Site is the subject of the checks.
type Site struct {
	Comm   comm.Comm     // of Punctual
	Ranks  []Rank        // each rank's own description
	Device device.Device // nil where the ranks have none
	Dir    string        // folder for outputs
	Disk   int64         // bytes to write there
	// Limit is the time limit for a rank's answer.
	Limit time.Duration

	underWay []comm.Request // unanswered messages: they keep their memory
	silent   bool           // messages between neighbours arrived corrupted
}

// Check is one examination. Look is collective; its error means that the ranks cannot
// continue together.
type Check struct {
	Name string
	Look func(*Site) ([]Finding, error)
}

// checks lists all checks, in the order in which one depends on the other.
var checks = []Check{
	{"versions", versions},
	{"nodes", nodes},
	{"cores", cores},
	{"clocks", clocks},
	{"mpi", gpuAware},
	{"messages", messages},
	{"device", deviceWorks},
	{"kernel", kernel},
	{"ghosts", ghosts},
	{"disk", disk},
}

// Run makes all checks and passes on their findings as they arrive. A check that is not
// finished after twice the site's limit is passed to stuck, on another goroutine: this one
// may be waiting indefinitely.
func Run(s *Site, report func(check string, found Finding), stuck func(check string)) (worst Severity, err error) {
	for _, check := range checks {
		watch := time.AfterFunc(2*s.Limit, func() { stuck(check.Name) })
		found, err := check.Look(s)
		watch.Stop()
		var absent *Absent
		if errors.As(err, &absent) {
			for _, r := range absent.Ranks {
				absent.Hosts = append(absent.Hosts, s.Ranks[r].Host)
			}
			absent.Check = check.Name
		}
		if err != nil {
			return Fault, err
		}
		for _, f := range found {
			worst = max(worst, f.Severity)
			report(check.Name, f)
		}
	}
	return worst, nil
}

// agree returns the error text of the work that failed on some ranks, "" if it failed on none. Collective, after work
// that can fail on some ranks only. broken is an error of the communication.
func (s *Site) agree(err error) (wrong string, broken error) {
	broken = comm.Agree(s.Comm, err)
	var failure *comm.Failure
	if errors.As(broken, &failure) {
		return failure.Error(), nil
	}
	return "", broken
}

// share returns the findings of every rank, the same list on every rank, or the error text of one of them. Collective.
func share[T any](s *Site, mine T, err error) (all []T, wrong string, broken error) {
	if wrong, broken = s.agree(err); wrong != "" || broken != nil {
		return nil, wrong, broken
	}
	all, broken = comm.Together(s.Comm, mine)
	return all, "", broken
}
