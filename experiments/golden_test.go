package experiments_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"imdbexp/experiments"
	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	"imdbexp/runs"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the goldens anew; raise runs.PresentVersion of what changes")

// small makes a run quick: 256 reviews of the sample, two epochs.
var small = []string{"data=sample", "data.limit=128", "epochs=2"}

// smallPairs is the same for what translates.
var smallPairs = []string{"data.limit=64", "epochs=2", "lr=0.01"}

func plan(t *testing.T, name string, assignments ...string) *experiments.Plan {
	t.Helper()
	e, err := experiments.Lookup(name)
	require.NoError(t, err)
	p, err := experiments.NewPlan(experiments.Base{Experiment: e}, "sample", assignments)
	require.NoError(t, err)
	return p
}

func runner(t *testing.T, dir string, workers int) *experiments.Runner {
	pool := ops.NewPool(workers)
	t.Cleanup(pool.Close)
	return &experiments.Runner{Dir: dir, Pool: pool, Loader: &experiments.Loader{Dir: t.TempDir(), Workers: workers}}
}

func train(t *testing.T, r *experiments.Runner, p *experiments.Plan) *runs.Run {
	t.Helper()
	o, err := r.Run(context.Background(), p, experiments.Hooks{})
	require.NoError(t, err)
	require.Equal(t, runs.Finished, o.Run.Status.State)
	return o.Run
}

// result is everything of a run that must be the same wherever it is made.
func result(t *testing.T, r *runs.Run) string {
	t.Helper()
	var out bytes.Buffer
	told := "predictions.tsv"
	if r.Config.Translates() {
		told = "translations.tsv"
	}
	for _, name := range []string{"metrics.jsonl", runs.TestedFile, "entropy.jsonl", told, "last.safetensors"} {
		if name == runs.TestedFile && r.Config.Setting("test") != "last" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(r.Path, name))
		require.NoError(t, err)
		if name == "metrics.jsonl" || name == runs.TestedFile {
			out.Write(b)
			continue
		}
		sum := sha256.Sum256(b)
		out.WriteString(name + " " + hex.EncodeToString(sum[:]) + "\n")
	}
	return out.String()
}

// TestGolden trains every experiment for a moment; the numbers, predictions and
// weights must be those that were committed, on every machine.
func TestGolden(t *testing.T) {
	cases := map[string][]string{}
	for _, e := range experiments.All() {
		cases[e.Name] = nil
		if len(e.Original) > 0 {
			cases[e.Name+"-original"] = []string{"variant=original"}
		}
	}
	cases["tme9-lstm-sgd"] = []string{"optimizer=sgd", "momentum=0.9", "lr=0.1", "clip=1", "dropout=0.3", "oov=learned"}
	cases["tme9-values-best"] = []string{"select=best", "value.activation=relu", "optimizer=adamw", "weight_decay=0.01", "schedule=cosine", "schedule.warmup=0.5"}
	// 200 test reviews end in a partial batch, whose losses are no round numbers.
	cases["tme9-simple-partial"] = []string{"data.limit=100"}
	cases["tme9-simple-vectors"] = []string{"vectors.train=true", "vectors.lr=0.01", "clip=1"}
	// Small enough for kernels without assembly, and for an emulated CPU.
	cases["tme10-cls-pe-few"] = []string{"data.limit=12", "layers=2", "heads=2"}
	cases["transformer-few"] = []string{"data.limit=12", "layers=1"}
	for name, more := range cases {
		t.Run(name, func(t *testing.T) {
			base := name
			for _, suffix := range []string{"-original", "-sgd", "-best", "-partial", "-vectors", "-few"} {
				base = strings.TrimSuffix(base, suffix)
			}
			settings := small
			if strings.HasPrefix(name, "seq2seq") {
				settings = smallPairs
			}
			got := result(t, train(t, runner(t, t.TempDir(), 2), plan(t, base, slices.Concat(settings, more)...)))
			file := filepath.Join("testdata", "golden", name+".txt")
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err, "go test ./experiments -run Golden -update writes it")
			require.Equal(t, string(want), got)
		})
	}
}

// The same seed gives the same bits for any number of workers and on every
// level of the kernels.
func TestSameBits(t *testing.T) {
	sameBits(t, "tme9-lstm", append([]string{"batch=64", "data.limit=64"}, small[0], small[2])...)
}

// sameBits trains with each number of workers and on each level of the kernels.
func sameBits(t *testing.T, name string, assignments ...string) {
	t.Helper()
	defer simd.Use(simd.Best())
	want := ""
	for level := simd.Best(); level >= simd.Portable; level-- {
		require.NoError(t, simd.Use(level))
		for _, workers := range []int{1, 2, 4, 7} {
			if level != simd.Best() && workers != 2 {
				continue
			}
			got := result(t, train(t, runner(t, t.TempDir(), workers), plan(t, name, assignments...)))
			if want == "" {
				want = got
			}
			require.Equal(t, want, got, "%v, %v kernels, %d workers", assignments, level, workers)
		}
	}
}
