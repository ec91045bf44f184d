package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"lbmsim/comm"
)

// A second signal ends the program at once, with the code by which shells tell that signal,
// if it comes late enough to be a person's. SLURM repeats SIGTERM as late.
func TestSecondSignalForces(t *testing.T) {
	if os.Getenv("LBMSIM_TEST_CATCH") != "" {
		_ = comm.RunLocal(1, func(c comm.Comm) error {
			signals := catch(c)
			fmt.Println("ready")
			fmt.Println("caught", <-signals)
			time.Sleep(insist + 3*time.Second) // as a checkpoint on a slow disk
			os.Exit(0)
			return nil
		})
	}
	for _, c := range []struct {
		first, second syscall.Signal
		job           string
		wait          time.Duration
		code          int
	}{
		{syscall.SIGINT, syscall.SIGINT, "", insist, 130},
		{syscall.SIGUSR1, syscall.SIGTERM, "", insist, 143},
		{syscall.SIGTERM, syscall.SIGTERM, "7", insist, 0},
		{syscall.SIGTERM, syscall.SIGINT, "7", insist, 130},
		{syscall.SIGUSR1, syscall.SIGUSR1, "", insist, 0},
		{syscall.SIGTERM, syscall.SIGTERM, "", 0, 0}, // as a launcher does
	} {
		t.Run(fmt.Sprintf("%v, %v, job %s, after %v", c.first, c.second, c.job, c.wait), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run", "^TestSecondSignalForces$")
			cmd.Env = append(os.Environ(), "LBMSIM_TEST_CATCH=1", "SLURM_JOB_ID="+c.job)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			lines.Scan()
			_ = cmd.Process.Signal(c.first)
			lines.Scan()
			if lines.Text() != "caught "+c.first.String() {
				t.Errorf("the program said %q", lines.Text())
			}
			time.Sleep(c.wait + 100*time.Millisecond)
			_ = cmd.Process.Signal(c.second)
			err = cmd.Wait()
			code := 0
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				code = exit.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
		})
	}
}
