package ram

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLimitsOfControlGroups(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("v2", "0::/jobs/job7/step0\n")
	put("v1", "12:cpu,cpuacct:/other\n5:memory:/jobs/job7\n")
	limit := func(groups string) int64 { return groupLimit(filepath.Join(dir, groups), filepath.Join(dir, "fs")) }
	if limit("v2") != 0 || limit("v1") != 0 || limit("none") != 0 {
		t.Error("limits where there are none")
	}
	put("fs/jobs/job7/step0/memory.max", "max\n")
	put("fs/jobs/job7/memory.max", "5000\n")
	put("fs/jobs/memory.max", "70000\n")
	put("fs/memory/jobs/job7/memory.limit_in_bytes", "9223372036854771712\n")
	put("fs/memory/jobs/memory.limit_in_bytes", "6000\n")
	if got := limit("v2"); got != 5000 {
		t.Errorf("v2: %d", got)
	}
	if got := limit("v1"); got != 6000 {
		t.Errorf("v1: %d", got)
	}
}
