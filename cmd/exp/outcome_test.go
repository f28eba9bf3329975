package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/outcome"
	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// A run that is under way and looks at test now and then tells what it has seen, not that
// none was asked for.
func TestLineBetweenTests(t *testing.T) {
	for _, c := range []struct {
		test   string
		tested int // after this epoch; 0: after none
		want   string
	}{
		{"test.every=2", 2, "tme9-simple: test accuracy 71.50 % after epoch 2; epoch 3 of 3 (last)"},
		{"test=last", 0, "tme9-simple: not evaluated on the test set yet; epoch 3 of 3 (last)"},
		{"test=never", 0, "tme9-simple: not evaluated on the test set (test=never); epoch 3 of 3 (last)"},
	} {
		set := must.Get(settings.New(new(settings.Run)))(t)
		require.NoError(t, set.Apply("command line", "data=sample", "epochs=4", c.test))
		config := runs.NewConfig("tme9-simple", "simple", 1, set, map[string]string{"data": "1234"})
		config.Classes = []string{"neg", "pos"}
		dir := t.TempDir()
		w := must.Get(runs.Create(dir, config, runs.Environment{}))(t)
		for epoch := 1; epoch <= 3; epoch++ {
			m := runs.Metrics{Epoch: epoch, TrainLoss: runs.Number(0.5), TrainAcc: runs.Number(90)}
			if epoch == c.tested {
				m.TestLoss, m.TestAcc = runs.Number(0.6), runs.Number(71.5)
			}
			require.NoError(t, w.Epoch(m, runs.Timing{Epoch: epoch}, nil, &runs.Checkpoint{Epoch: epoch}, false))
		}
		require.NoError(t, w.Close())
		list := must.Get(runs.List(dir))(t)
		require.Len(t, list, 1)
		line := must.Get(outcome.Line(list[0]))(t)
		require.Equal(t, c.want+", trained in 0.0 s", line)
	}
}
