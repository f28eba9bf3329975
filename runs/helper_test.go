package runs_test

import (
	"errors"
	"io/fs"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/settings"
	_ "imdbexp/internal/testkit/inmemory"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// config returns the configuration of a small run with the given key=value.
func config(t testing.TB, assignments ...string) runs.Config {
	t.Helper()
	set := must.Get(settings.New(new(settings.Run)))(t)
	require.NoError(t, set.Apply("test", append([]string{"data=sample", "epochs=3"}, assignments...)...))
	c := runs.NewConfig("tme9-simple", "simple", 1, set, map[string]string{"data": "1234"})
	c.Classes = []string{"neg", "pos"}
	c.Data = runs.DataFacts{Name: "sample", Train: runs.Part{Reviews: 100, Words: 2000}, Test: runs.Part{Reviews: 3, Words: 60}}
	c.Published = &runs.Published{Row: "simple attention, Adam", TestAcc: 80.04, Epochs: 42, Source: "Tableau 1"}
	return c
}

var clock = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// environment returns an environment that is a second later with every call.
func environment() runs.Environment {
	clock = clock.Add(time.Second)
	return runs.Environment{Started: clock, Go: "go1.26", OS: "linux", Arch: "amd64", CPU: "test", SIMD: "portable", Workers: 1}
}

// train acts as a training loop: it starts or resumes the run of c and finishes it. The "model" is
// one number that each epoch changes in two steps, with a checkpoint between them, so that a lost
// or repeated step changes the result.
func train(dir string, c runs.Config) error {
	w, checkpoint, err := begin(dir, c)
	if w == nil || err != nil {
		return err
	}
	defer w.Close()
	weight := float32(1)
	best, bestEpoch, done, step := 0.0, 0, 0, 0
	sums := []float64{0}
	if checkpoint != nil {
		weight = checkpoint.Params[0].Data.([]float32)[0]
		best, bestEpoch, done = checkpoint.BestScore, checkpoint.BestEpoch, checkpoint.Epoch
		if step = checkpoint.Step; step > 0 {
			sums = checkpoint.Sums[0].Data.([]float64)
		}
	}
	tensors := func(k *runs.Checkpoint, epoch int) *runs.Checkpoint {
		k.Params = []runs.Tensor{{Name: "w", Shape: []int{1}, Data: []float32{weight}}}
		k.Optim = []runs.Tensor{{Name: "t", Data: []int64{int64(epoch)}}}
		return k
	}
	for epoch := done + 1; epoch <= c.Epochs(); epoch++ {
		if step == 0 {
			weight *= 1.5
			sums[0] = float64(weight)
			k := tensors(&runs.Checkpoint{Epoch: epoch - 1, Step: 1, BestEpoch: bestEpoch, BestScore: best}, epoch)
			k.Sums = []runs.Tensor{{Name: "sum", Shape: []int{1}, Data: sums}}
			if err := w.Step(k); err != nil {
				return err
			}
		}
		step = 0
		weight += float32(epoch)
		score := []float64{60, 50, 70, 65, 80}[(epoch-1)%5]
		if score > best {
			best, bestEpoch = score, epoch
		}
		m := runs.Metrics{
			Epoch: epoch, TrainLoss: new(1 / float64(weight)), GradNorm: new(sums[0]), TrainAcc: new(float64(weight)),
			TestLoss: new(0.5), TestAcc: new(score), TestQuantiles: &[5]float64{0, 1, 2, 3, 4},
		}
		histograms := []runs.Histogram{
			runs.NewHistogram(epoch, "train", []float32{0, weight}),
			runs.NewHistogram(epoch, "test", []float32{0.25}),
		}
		// The seconds are of different lengths at every try.
		timing := runs.Timing{Epoch: epoch, Seconds: float64(time.Now().UnixNano()%1000) / 8, Words: 1000}
		checkpoint = tensors(&runs.Checkpoint{Epoch: epoch, BestEpoch: bestEpoch, BestScore: best, Wait: epoch - bestEpoch}, epoch)
		if err := w.Epoch(m, timing, histograms, checkpoint, bestEpoch == epoch); err != nil {
			return err
		}
	}
	return w.Finish(&runs.Predictions{Classes: c.Classes, Rows: []runs.Prediction{
		{Review: "test/neg/0_1", Predicted: 1, Words: 20, Entropy: 0.5, P: []float32{0.25, 0.75}},
		{Review: "test/pos/1_9", Label: 1, Predicted: 1, Words: 19, Entropy: weight, P: []float32{0.125, 0.875}},
		{Review: "test/unsup/2_0", Label: -1, Words: 21, Entropy: float32(math.NaN()), P: []float32{0.5, 0.5}},
	}})
}

// begin creates, extends or resumes a run; w is nil if there is nothing to do.
func begin(dir string, c runs.Config) (*runs.Writer, *runs.Checkpoint, error) {
	r, err := runs.Lookup(dir, &c)
	if errors.Is(err, fs.ErrNotExist) {
		if shorter := runs.Shorter(dir, &c); shorter != nil {
			return runs.Extend(dir, c, environment(), shorter)
		}
		w, err := runs.Create(dir, c, environment())
		return w, nil, err
	}
	if err != nil {
		return nil, nil, err
	}
	if r.Status.State == runs.Finished && r.Verify() == nil {
		return nil, nil, nil
	}
	return runs.Resume(r, environment())
}
