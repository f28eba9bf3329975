package runs_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

func trained(t *testing.T, dir string, assignments ...string) *runs.Run {
	t.Helper()
	c := config(t, assignments...)
	require.NoError(t, train(dir, c))
	return must.Get(runs.Lookup(dir, &c))(t)
}

func TestReadBack(t *testing.T) {
	dir := t.TempDir()
	c := config(t)
	r := trained(t, dir)
	require.Equal(t, c, r.Config)
	require.Equal(t, runs.Status{State: runs.Finished, Epoch: 3, Epochs: 3}, r.Status)
	require.Equal(t, "tme9-simple/"+c.ID, r.Label())

	metrics := must.Get(r.Metrics())(t)
	require.Len(t, metrics, 3)
	require.Nil(t, metrics[0].ValidAcc)
	require.Equal(t, 60.0, *metrics[0].TestAcc)

	timing := must.Get(r.Timing())(t)
	require.Len(t, timing, 3)

	entropies := must.Get(r.Entropies())(t)
	require.Len(t, entropies, 6)
	require.Equal(t, 1, entropies[1].Counts[2]) // 0.25 nats

	p := must.Get(r.Predictions())(t)
	require.Equal(t, []string{"neg", "pos"}, p.Classes)
	require.Equal(t, runs.Prediction{Review: "test/pos/1_9", Label: 1, Predicted: 1, Words: 19, Entropy: p.Rows[1].Entropy, P: []float32{0.125, 0.875}}, p.Rows[1])
	require.True(t, p.Rows[2].Entropy != p.Rows[2].Entropy)

	e := must.Get(r.Environments())(t)[0]
	require.Equal(t, "go1.26", e.Go)
	require.Equal(t, e.Started, r.Time())

	last := must.Get(r.Checkpoint(runs.Last))(t)
	require.Equal(t, 3, last.Epoch)
	require.Equal(t, []int64{3}, last.Optim[0].Data)
	require.Equal(t, "w", last.Params[0].Name)
}

// The keys of a line and their order are part of the format.
func TestMetricsLine(t *testing.T) {
	b := must.Get(json.Marshal(runs.Metrics{Epoch: 1, TrainLoss: new(0.5), TestQuantiles: &[5]float64{0, 1, 2, 3, 4}}))(t)
	require.Equal(t, `{"epoch":1,"train_loss":0.5,"train_acc":null,"valid_loss":null,"valid_acc":null,`+
		`"test_loss":null,"test_acc":null,"train_entropy":null,"test_entropy":null,`+
		`"train_entropy_quantiles":null,"test_entropy_quantiles":[0,1,2,3,4],"grad_norm":null}`, string(b))
}

func TestChosen(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		set    []string
		chosen int
		from   string
	}{
		{[]string{"epochs=4"}, 4, runs.Last},
		{[]string{"epochs=4", "select=best"}, 3, runs.Best},
	} {
		r := trained(t, dir, c.set...)
		m := must.Get(r.Chosen())(t)
		require.Equal(t, c.chosen, m.Epoch)
		require.Equal(t, c.from, r.ChosenCheckpoint())
		k := must.Get(r.Checkpoint(r.ChosenCheckpoint()))(t)
		require.Equal(t, c.chosen, k.Epoch)
		ends := must.Get(r.Ends())(t)
		require.Equal(t, 3, ends.Oracle.Epoch)
	}
}

func TestExtend(t *testing.T) {
	dir, separate := t.TempDir(), t.TempDir()
	trained(t, dir, "epochs=2")
	trained(t, dir, "epochs=3")
	trained(t, dir, "epochs=6", "seed=2")
	c := config(t, "epochs=5")
	shorter := runs.Shorter(dir, &c)
	require.Equal(t, 3, shorter.Config.Epochs())
	require.Equal(t,
		contents(t, trained(t, separate, "epochs=5").Path),
		contents(t, trained(t, dir, "epochs=5").Path))

	trained(t, dir, "schedule=cosine")
	cosine := config(t, "schedule=cosine", "epochs=5")
	none := runs.Shorter(dir, &cosine)
	require.Nil(t, none, "a cosine knows how long it is")

	require.ErrorContains(t, must.Fail2(runs.Extend(dir, config(t, "seed=3", "epochs=9"), environment(), shorter)), "is not a shorter run of")
}

func TestSecondProcess(t *testing.T) {
	dir, c := t.TempDir(), config(t)
	w := must.Get(runs.Create(dir, c, environment()))(t)
	_, err := runs.Create(dir, c, environment())
	held, ok := errors.AsType[*fsx.HeldError](err)
	require.True(t, ok)
	require.Equal(t, os.Getpid(), held.PID)
	r := must.Get(runs.Lookup(dir, &c))(t)
	require.Equal(t, runs.Created, r.Status.State)
	require.ErrorContains(t, must.Fail2(runs.Resume(r, environment())), "another process is training tme9-simple/")
	require.NoError(t, w.Close())
	require.NoError(t, w.Close())
	require.ErrorIs(t, w.Diverged("late"), fs.ErrClosed)

	require.ErrorIs(t, must.Fail(runs.Create(dir, c, environment())), fs.ErrExist)
}

func TestEnds(t *testing.T) {
	dir, c := t.TempDir(), config(t)
	w := must.Get(runs.Create(dir, c, environment()))(t)
	require.NoError(t, w.Diverged("loss NaN at epoch 1, step 3"))
	require.Error(t, w.Finish(&runs.Predictions{Classes: c.Classes}))
	require.NoError(t, w.Close())
	r := must.Get(runs.Lookup(dir, &c))(t)
	require.Equal(t, "diverged: loss NaN at epoch 1, step 3", r.Status.String())
	require.ErrorContains(t, must.Fail(r.Chosen()), "has no results yet")
	require.ErrorContains(t, must.Fail2(runs.Resume(r, environment())), "cannot be resumed")

	w = must.Get(runs.Replace(dir, c, environment()))(t)
	require.NoError(t, w.Close())
	require.NoError(t, train(dir, c))
	require.Equal(t, runs.Finished, trained(t, dir).Status.State)
}

func TestEpochOutOfTurn(t *testing.T) {
	w := must.Get(runs.Create(t.TempDir(), config(t), environment()))(t)
	defer w.Close()
	err := w.Epoch(runs.Metrics{Epoch: 2}, runs.Timing{Epoch: 2}, nil, &runs.Checkpoint{Epoch: 2}, false)
	require.ErrorContains(t, err, "after epoch 0")
	require.Equal(t, err, w.Epoch(runs.Metrics{Epoch: 1}, runs.Timing{Epoch: 1}, nil, &runs.Checkpoint{Epoch: 1}, false))
}

// Every changed byte of a checkpoint and every truncation is detected.
func TestDamagedCheckpoint(t *testing.T) {
	r := trained(t, t.TempDir())
	path := filepath.Join(r.Path, "last.safetensors")
	whole := must.Get(os.ReadFile(path))(t)
	must.Get(runs.ParseCheckpoint(whole))(t)
	for i := range whole {
		b := append([]byte{}, whole...)
		b[i] ^= 4
		require.Error(t, must.Fail(runs.ParseCheckpoint(b)), "byte %d", i)
		require.Error(t, must.Fail(runs.ParseCheckpoint(whole[:i])), "cut at %d", i)
	}

	require.NoError(t, os.Truncate(path, int64(len(whole)-1)))
	_, err := r.Checkpoint(runs.Last)
	damaged, ok := errors.AsType[*runs.DamagedError](err)
	require.True(t, ok)
	require.Equal(t, path, damaged.Path)
	require.ErrorAs(t, r.Verify(), &damaged)

	require.NoError(t, os.Truncate(path, 20))
	r = must.Get(runs.Open(r.Path))(t)
	require.Equal(t, runs.Damaged, r.Status.State)
	metrics := must.Get(r.Metrics())(t)
	require.Len(t, metrics, 3, "lines are still there")
}

func TestIdentify(t *testing.T) {
	base := config(t)
	for _, c := range []struct {
		set     string
		id      bool // same ID
		lineage bool
	}{
		{"epochs=3", true, true},
		{"epochs=4", false, true},
		{"lr=1e-3", true, true}, // the default, written otherwise
		{"lr=0.01", false, false},
		{"seed=2", false, false},
		{"data=imdb", true, true}, // the digest of the content stands for it
	} {
		other := config(t, c.set)
		require.Equal(t, c.id, base.ID == other.ID, c.set)
		require.Equal(t, c.lineage, base.Lineage == other.Lineage, c.set)
	}
	set := must.Get(settings.New(new(settings.Run)))(t)
	require.NotEqual(t, runs.NewConfig("n", "simple", 1, set, nil).ID, runs.NewConfig("n", "simple", 2, set, nil).ID)
	require.NotEqual(t, runs.NewConfig("n", "simple", 1, set, nil).ID, runs.NewConfig("n", "mean", 1, set, nil).ID)
	require.Equal(t, runs.NewConfig("n", "simple", 1, set, nil).ID, runs.NewConfig("m", "simple", 1, set, nil).ID)
}
