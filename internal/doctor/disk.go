// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"lbmsim/comm"
	"lbmsim/internal/plain"
)

// scarce is free space that may be too small for a checkpoint of a large case.
const scarce = 1 << 30

// disk checks whether all ranks see the same folder, and writes to it as outputs are
// written: one file, each rank its own range, flushed to the disk. The file is removed.
func disk(s *Site) (found []Finding, broken error) {
	rank, size := s.Comm.Rank(), s.Comm.Size()
	var path, text string
	var err error
	if rank == 0 {
		path, text, err = probeFile(s.Dir)
		if err == nil {
			defer func() {
				if err := os.Remove(path); err != nil {
					found = append(found, warning(fmt.Sprintf("the test file was not removed: %s", plain.Text(err)), "remove it"))
				}
			}()
		}
	}
	if wrong, broken := s.agree(err); wrong != "" || broken != nil {
		return []Finding{fault(wrong, "grant write permission there, or use another folder: --output here and in the run")}, broken
	}
	b, broken := comm.Broadcast(s.Comm, []byte(filepath.Base(path)+"\n"+text))
	if broken != nil {
		return nil, broken
	}
	name, text, _ := strings.Cut(string(b), "\n")
	path = filepath.Join(s.Dir, name)
	wrong, broken := s.agree(sees(path, text))
	if broken != nil {
		return nil, broken
	}
	if wrong != "" {
		return []Finding{fault(wrong, "outputs need a folder on a file system shared by all nodes: set --output, here and in the run")}, nil
	}
	room, err := freeRoom(s.Dir)
	rooms, wrong, broken := share(s, room, err)
	if broken != nil {
		return nil, broken
	}
	if wrong != "" {
		return []Finding{fault(wrong, "")}, nil
	}
	for _, r := range rooms { // servers may count a little differently
		room = min(room, r)
	}
	if room < 2*s.Disk {
		return []Finding{fault(fmt.Sprintf("%s has %s free, not enough for a test file of %s", s.Dir, mib(room), mib(s.Disk)),
			"free disk space, or use another folder with --output")}, nil
	}
	part := max(1, s.Disk/int64(size))
	start := time.Now()
	wrong, broken = s.agree(writePart(path, text, rank, part))
	seconds := time.Since(start).Seconds() // of the slowest rank: all have synchronized
	if broken != nil {
		return nil, broken
	}
	if wrong != "" {
		return []Finding{fault(wrong, "check quotas and the state of the file system (df, quota, the log of its server)")}, nil
	}
	said := fmt.Sprintf("%s in %s at %.0f MB/s to disk from %s, visible to all; %s free",
		mib(part*int64(size)), s.Dir, float64(part*int64(size))/seconds/1e6, plain.Count(size, "rank"), mib(room))
	if room < scarce {
		return []Finding{warning(said, "`lbmsim check` shows how much the outputs of a case need; free disk space, or use another folder with --output")}, nil
	}
	return []Finding{fine(said)}, nil
}

// probeFile makes a file with a unique text in the folder, and the folder, as a run does.
func probeFile(dir string) (path, text string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", "", fmt.Errorf("outputs cannot be written: %w", err)
	}
	f, err := os.CreateTemp(dir, ".lbmsim-doctor-")
	if err != nil {
		return "", "", fmt.Errorf("outputs cannot be written: %w", err)
	}
	text = fmt.Sprintf("%s %d", filepath.Base(f.Name()), time.Now().UnixNano())
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(f.Name()) // the first error is sufficient
		return "", "", fmt.Errorf("outputs cannot be written: %w", err)
	}
	return f.Name(), text, nil
}

// sees checks for rank 0's file. Shared file systems may show a new file a moment later.
func sees(path, text string) error {
	for end := time.Now().Add(3 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		got, err := os.ReadFile(path)
		switch {
		case err == nil && string(got) == text:
			return nil
		case time.Now().Before(end):
			continue
		case err == nil:
			err = errors.New("its content differs")
		}
		host, _ := os.Hostname() // a word for the message
		return fmt.Errorf("%s does not see the file of rank 0 in its folder %s: %w", host, filepath.Dir(path), err)
	}
}

// writePart writes this rank's range behind the text and waits for the disk.
func writePart(path, text string, rank int, part int64) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	// Not zeros, which some file systems do not store.
	piece := pattern(int(min(part, 4<<20)), rank, rank)
	at := int64(len(text)) + int64(rank)*part
	for left := part; left > 0; {
		n, err := f.WriteAt(piece[:min(left, int64(len(piece)))], at)
		if err != nil {
			return err
		}
		left, at = left-int64(n), at+int64(n)
	}
	return f.Sync()
}

func freeRoom(dir string) (int64, error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return int64(fs.Bavail) * fs.Bsize, nil
}

func mib(n int64) string {
	if n >= 10<<30 {
		return fmt.Sprintf("%d GiB", n>>30)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
