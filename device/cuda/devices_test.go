// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"regexp"
	"strings"
	"testing"
)

// Without a driver an executable with this package starts, and reports what is missing.
func TestDevices(t *testing.T) {
	list, err := Devices()
	if err != nil {
		t.Log(err)
		if list != nil || !strings.Contains(err.Error(), "NVIDIA driver") {
			t.Errorf("devices %v, error %q: the error should speak of the NVIDIA driver", list, err)
		}
		if _, err := New(0); err == nil {
			t.Error("a device without a driver")
		}
		return
	}
	for i, d := range list {
		if d.Number != i || d.Name == "" || d.Memory <= 0 || d.Major < 3 || len(d.PCI) < 12 || len(d.UUID) != 40 {
			t.Errorf("device %d is described as %+v", i, d)
		}
	}
	if _, err := New(len(list)); err == nil {
		t.Error("a device behind the last one")
	}
}

// Version names both halves, also where one or both are missing.
func TestVersion(t *testing.T) {
	form := regexp.MustCompile(`^(no driver|driver for CUDA \d+\.\d), (no NVRTC|NVRTC \d+\.\d+ \(.+\))$`)
	if v := Version(); !form.MatchString(v) {
		t.Errorf("Version is %q", v)
	}
}
