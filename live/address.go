// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package live

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
)

// Local is the default address of a page: a free port reachable only from this machine.
const Local = "127.0.0.1:0"

// Refused explains why no page is served on an address, and what to do.
func Refused(address string, err error) error {
	_, port, _ := net.SplitHostPort(address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("cannot serve the page on %s: another program has port %s; give another port, or none for a free one", address, port)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("cannot serve the page on %s: port %s needs rights of the system; use one above 1023, or none for a free one", address, port)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("cannot serve the page on %s: it is not an address of this machine; use localhost, or :%s for all of its addresses", address, port)
	}
	return fmt.Errorf("cannot serve the page on %s: %w", address, err)
}

// Place is the machine that a page is served on.
type Place struct {
	Host   string // name
	Job    string // SLURM job, or ""
	Submit string // machine that the job was submitted from
}

// Here returns the place of this process.
func Here() Place {
	host, _ := os.Hostname()
	return Place{cmp.Or(os.Getenv("SLURMD_NODENAME"), host), os.Getenv("SLURM_JOB_ID"), os.Getenv("SLURM_SUBMIT_HOST")}
}

// Directions returns the instructions for viewing the page: its address, and how to reach it from another machine.
func (s *Server) Directions(at Place) []string {
	return directions(at, s.web.Port(), s.web.Loopback(), s.token)
}

func directions(at Place, port int, local bool, token string) []string {
	name := "localhost"
	if !local {
		name = at.Host
	}
	lines := []string{fmt.Sprintf("live      http://%s:%d/#%s", name, port, token)}
	there := "your own machine"
	if at.Job != "" {
		lines[0] += fmt.Sprintf("  (on %s, SLURM job %s)", at.Host, at.Job)
	}
	switch login := cmp.Or(at.Submit, "LOGIN"); {
	case local && at.Job != "":
		lines = append(lines, fmt.Sprintf("          from %s first: ssh -J %s -L %d:localhost:%d %s", there, login, port, port, at.Host))
	case local:
		lines = append(lines, fmt.Sprintf("          from your own machine first: ssh -L %d:localhost:%d %s", port, port, at.Host))
	case at.Job != "":
		lines = append(lines, fmt.Sprintf("          from %s: ssh -L %d:%s:%d %s, then http://localhost:%d/#%s", there, port, at.Host, port, login, port, token))
	}
	if !local {
		lines = append(lines, "          all machines of the network reach it; what it shows and the token travel unencrypted")
	}
	return lines
}

// String returns the lines of Directions as one text.
func (s *Server) String() string { return strings.Join(s.Directions(Here()), "\n") }
