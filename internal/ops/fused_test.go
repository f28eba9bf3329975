package ops_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
)

// Go fuses x*y + z into one instruction on arm64 (and on amd64 with GOAMD64=v3), which rounds once
// instead of twice. A number that is kept would then differ between machines. So every function that
// computes kept numbers writes float64(x*y) + z, or calls math.FMA on purpose. Those below do, or only
// compute numbers that are shown, or fuse with an exact product.
var mayFuse = regexp.MustCompile(`^imdbexp/internal/simd\.|^imdbexp/internal/simd/selftest\.|^imdbexp/internal/ops\.(\(\*\w+\)\.)?\w*[eE]xact\w*(\.func\d+)?$` +
	`|^imdbexp/internal/ops\.\(\*additive\)\.weighing\.exactAdditive\.func1$|^imdbexp/internal/ops\.\(\*bahdanau\)\.reviewExact\.exactAdditive\.func1$` +
	`|^imdbexp/internal/ops\.(factor|init\.func\d+)$|^imdbexp/dataset/vectors\.Random$` +
	`|^imdbexp/experiments/(parallel\.Seconds|training\.\(\*Runner\)\.sweep)$`)

func TestNothingIsFused(t *testing.T) {
	if os.Getenv("EXP_CI") == "" {
		t.Skip("compiles for other processors: set EXP_CI=1")
	}
	t.Run("arm64", func(t *testing.T) { nothingFused(t, `FN?M(ADD|SUB)[SD]`, "", "GOARCH=arm64") })
	// Only this test compiles for v3: without optimization that takes half the time.
	t.Run("amd64 v3", func(t *testing.T) { nothingFused(t, `VFN?M(ADD|SUB)\d+S[SD]`, "-N -l", "GOARCH=amd64", "GOAMD64=v3") })
}

// nothingFused compiles for a processor and looks for its fused instructions outside of the functions that may have them.
// deps are the compiler's flags for other modules.
func nothingFused(t *testing.T, instruction, deps string, processor ...string) {
	build := exec.CommandContext(t.Context(), "go", "build", "-gcflags=all="+deps, "-gcflags=imdbexp/...=-S",
		"./internal/...", "./models/...", "./dataset/...", "./experiments/...", "./runs/...")
	build.Dir, build.Env = "../..", append(append(os.Environ(), "CGO_ENABLED=0"), processor...)
	listing := must.Get(build.CombinedOutput())(t)
	function := regexp.MustCompile(`^(imdbexp/\S+) STEXT`)
	kept := regexp.MustCompile(`^imdbexp/(internal/(ops|simd|optim|convex|sparse|ragged)|models|dataset|experiments|runs)\b`)
	fused := regexp.MustCompile(`\(.*/([\w.-]+\.go:\d+)\)\t` + instruction + `\t`)
	in, allowed := "", 0
	var found []string
	lines := bufio.NewScanner(bytes.NewReader(listing))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if m := function.FindSubmatch(lines.Bytes()); m != nil {
			in = string(m[1])
		} else if m := fused.FindSubmatch(lines.Bytes()); m == nil {
			continue
		} else if mayFuse.MatchString(in) {
			allowed++
		} else if kept.MatchString(in) {
			found = append(found, in+" at "+string(m[1]))
		}
	}
	require.NoError(t, lines.Err())
	require.Greater(t, allowed, 20, "the listing is not understood")
	require.Empty(t, slices.Compact(found), "fused by the compiler: write float64(x*y) + z or float32(x*y) + z")
}
