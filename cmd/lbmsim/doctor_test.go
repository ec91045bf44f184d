// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/internal/doctor"
)

// rack is a gpuSource whose GPUs compute, each on one core; the GPUs with some numbers are broken.
type rack struct {
	machine
	broken int // -1: none
}

type disguised struct{ device.Device }

func (r rack) open(n int) (device.Device, error) {
	if n == r.broken {
		return nil, errors.New("GPU fell off the bus")
	}
	dev, err := cpu.New(1)
	return disguised{dev}, err
}

// Mismatches of ranks and GPUs are found, and all remaining checks still run.
func TestDoctorSeatsRanks(t *testing.T) {
	two := sees("", 0, "a b").Visible
	auto := choice{kind: config.AutoDevice, number: -1}
	for _, test := range []struct {
		what  string
		ranks int
		from  gpuSource
		want  choice
		worst doctor.Severity
		says  []string
	}{
		{"as many ranks as GPUs", 2, rack{machine{gpus: two}, -1}, auto, doctor.Fine, []string{"ok       nodes", "ok       kernel", "ok       ghosts"}},
		{"an idle GPU", 1, rack{machine{gpus: two}, -1}, auto, doctor.Warning, []string{"has 2 GPUs and 1 rank: 1 stay idle\n", "-> start 2 ranks on it", "ok       kernel", "ready to run: 1 warning\n"}},
		{"too many ranks", 3, rack{machine{gpus: two}, -1}, auto, doctor.Fault, []string{
			"FAULT    device    ranks 0 and 2 on ", "3 ranks for 2 GPUs; start at most 2 ranks per node",
			"kernel    not checked: the ranks have no device", "every byte as sent", "not ready to run: 1 fault, "}},
		{"a broken GPU", 2, rack{machine{gpus: two}, 1}, auto, doctor.Fault, []string{"FAULT    device    rank 1: GPU fell off the bus\n"}},
		{"no GPU", 1, machine{}, auto, doctor.Warning, []string{"warning  device    no GPU: there is no driver; computing on the CPU\n", "-> if that is intended, use --device cpu"}},
		{"GPUs not to be used", 1, rack{machine{gpus: two}, -1}, choice{kind: config.CPUDevice, number: -1}, doctor.Fine, []string{"ready to run\n"}},
	} {
		var out bytes.Buffer
		dir := t.TempDir()
		err := comm.RunLocal(test.ranks, func(c comm.Comm) error {
			f := doctorFlags{dir: dir, diskMiB: 1, limit: 30 * time.Second}
			var dev device.Device
			worst, err := examine(c, f, test.want, test.from, &out, &dev)
			if dev != nil {
				err = errors.Join(err, dev.Close())
			}
			// Warnings about cores depend on the machine of the test.
			if err == nil && (worst < test.worst || test.worst < doctor.Fault && worst == doctor.Fault) {
				t.Errorf("%s: rank %d ends with %v, want %v", test.what, c.Rank(), worst, test.worst)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", test.what, err)
		}
		for _, want := range test.says {
			if strings.Contains(want, "ready to run") && strings.Contains(out.String(), "warning  cores") {
				continue
			}
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", test.what, want, out.String())
			}
		}
	}
}
