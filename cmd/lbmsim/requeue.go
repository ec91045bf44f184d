// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/internal/slurm"
	"lbmsim/io/checkpoint"
	"lbmsim/report"
	"lbmsim/sim"
)

// A run that exceeds its job's time limit requeues the job once all files are on disk, and resumes
// from its checkpoint at the next start.

// mayRequeue checks, on rank 0, for obstacles to --requeue-self: better now than after a night.
func mayRequeue(c comm.Comm, caseFile *config.Case, restart string) error {
	err := func() error {
		if c.Rank() != 0 {
			return nil
		}
		if restart != "" {
			return errors.New("it resumes from the newest checkpoint itself: remove --restart")
		}
		if !caseFile.Checkpoint.On {
			return fmt.Errorf("%s has no [checkpoint] from which the next job could resume", caseFile.Path)
		}
		job, inside := slurm.Here()
		if !inside {
			return errors.New("not a SLURM job (SLURM_JOB_ID is not set): start it with sbatch, see docs/slurm.md")
		}
		if _, err := exec.LookPath("scontrol"); err != nil {
			return errors.New("scontrol, which requeues a job, is not on PATH on the node of rank 0")
		}
		s, err := job.Ask()
		switch {
		case err != nil: // the controller is busy: ask again at the end
			return nil
		case !s.Batch:
			return fmt.Errorf("%s has no batch script that SLURM could restart: submit one with sbatch", job)
		case !s.Again:
			return fmt.Errorf("%s must not be requeued: use sbatch --requeue, or ask your site about its default (JobRequeue)", job)
		}
		return nil
	}()
	if err != nil {
		err = fmt.Errorf("--requeue-self: %w", err)
	}
	if caseFile.Run.EndMargin < 0 && caseFile.Run.WallTime == 0 {
		caseFile.Warnings = append(caseFile.Warnings, finding.RequeueBlind.Says("--requeue-self with end_margin = \"off\" and without wall_time relies on SLURM's signals: a job that is killed before its checkpoint is on disk is not requeued"))
	}
	return sim.Agreed(sim.ExitUsage, comm.Agree(c, err))
}

// requeue requeues the job if its run should continue. Collective; the summary is rank 0's.
func requeue(c comm.Comm, s sim.Summary, reports report.Reporter) error {
	var err error
	if c.Rank() == 0 && s.OutOfTime() {
		err = requeueJob(s, reports)
	}
	return sim.Agreed(sim.ExitFailure, comm.Agree(c, err))
}

func requeueJob(s sim.Summary, reports report.Reporter) error {
	saved, first := s.Files["checkpoint"], s.Last-s.Steps
	if saved == "" || filepath.Base(saved) == filepath.Base(checkpoint.Path("", int64(first))) {
		return fmt.Errorf("--requeue-self: no checkpoint after step %d, the first of this job, was written before its time limit (%s): not requeued, because the next job would get no further", first, s.Reason)
	}
	job, _ := slurm.Here()
	on := fmt.Sprintf("the run is on disk (%s)", saved)
	// Otherwise a cancelled job would also be requeued.
	now, err := job.Ask()
	if err != nil {
		return fmt.Errorf("--requeue-self: %s is not requeued: %w; %s", job, err, on)
	}
	if now.Name != "RUNNING" && now.Reason != "TimeLimit" {
		reports.Note(fmt.Sprintf("%s was ended externally (%s): not requeued; %s", job, now.Name, on))
		return nil
	}
	if err := job.Requeue(); err != nil {
		return fmt.Errorf("--requeue-self: %w; %s", err, on)
	}
	reports.Note(fmt.Sprintf("%s is requeued, to resume from %s", job, saved))
	return nil
}
