//go:build cuda

package cuda

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"lbmsim/model"
)

// compilerForTest is this machine's NVRTC. `make test` fetches it and lets no test
// be skipped for want of it.
func compilerForTest(t *testing.T) *compiler {
	t.Helper()
	c, err := openCompiler(0, 0)
	if err != nil {
		if os.Getenv("LBMSIM_REQUIRE_NVRTC") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(c.close)
	return c
}

// architectures of the GPUs that are promised: V100, A100, H100 and B200.
var architectures = []int{70, 80, 90, 100}

// TestCompile translates every instance of the kernels for every GPU that we promise
// and the compiler knows.
func TestCompile(t *testing.T) {
	c := compilerForTest(t)
	t.Logf("%s knows %v", c, c.archs)
	for _, arch := range architectures {
		if !slices.Contains(c.archs, arch) {
			t.Logf("sm_%d is not compiled for: %s does not know it", arch, c)
			continue
		}
		for _, lattice := range model.Lattices {
			for _, collision := range model.Collisions {
				for _, precision := range model.Precisions {
					spec := model.Spec{Lattice: lattice, Collision: collision, Precision: precision}
					t.Run(fmt.Sprintf("sm_%d/%s", arch, spec), func(t *testing.T) {
						t.Parallel()
						start := time.Now()
						code, err := Compile(spec, arch)
						if err != nil {
							t.Fatal(err)
						}
						t.Logf("%d bytes in %.1f s", len(code), time.Since(start).Seconds())
					})
				}
			}
		}
	}
}
