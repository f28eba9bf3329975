package train_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web/train"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/ops"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testmodel"
	"imdbexp/runs"
)

func runner(t *testing.T, workers int) *training.Runner {
	pool := ops.NewPool(workers)
	t.Cleanup(pool.Close)
	return &training.Runner{Loader: &task.Loader{Workers: workers}, Pool: pool}
}

// What a page trains has the metrics, the ID and the citation of the run that the command makes;
// the model is asked before the first epoch and after each.
func TestTrain(t *testing.T) {
	var began train.Began
	var epochs []int
	var looks []train.Answered
	tell := func(n train.News) {
		switch v := n.Value.(type) {
		case train.Began:
			began = v
		case train.Progress:
			require.LessOrEqual(t, v.Done, v.Total)
		case runs.Metrics:
			epochs = append(epochs, v.Epoch)
		case train.Answered:
			looks = append(looks, v)
		}
	}
	q := train.Question{Name: "tme9-simple", LR: "0.03", Lambda: "0.01", Seed: "2"}
	of, ended, err := train.Train(t.Context(), q, runner(t, 2), tell)
	require.NoError(t, err)

	require.Equal(t, "exp run tme9-simple data=sample lambda=0.01 lr=0.03 seed=2", strings.Join(began.Command, " "))
	require.Equal(t, "lambda=0.01 lr=0.03 seed=2", ended.About)
	run, _ := testmodel.Train(t, "tme9-simple", append(began.Command[3:], "epochs=6", "data.limit=0", "vectors=auto")...)
	metrics := must.Get(run.MetricsText())(t)
	require.Equal(t, string(metrics), ended.Metrics)
	cited := must.Get(run.Citation())(t)
	require.Equal(t, cited.String(), ended.Citation)
	require.Equal(t, run.Label(), ended.Run)
	require.Equal(t, run.Label(), of.Label())
	require.Equal(t, []int{1, 2, 3, 4, 5, 6}, epochs)
	require.Len(t, looks, 7)
	require.Equal(t, 0, looks[0].Epoch)
}

// A training ends with its context, and what makes no sense never begins.
func TestTrainEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := runner(t, 1)
	_, _, err := train.Train(ctx, train.Question{Name: "tme9-lstm"}, r, func(n train.News) {
		if n.Kind == "progress" {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	for want, q := range map[string]train.Question{
		"did you mean tme9-simple":     {Name: "tme9-simpel"},
		"choose one of tme9-mean, ":    {Name: "tme10-cls"},
		"lr=much: want a number":       {Name: "tme9-mean", LR: "much"},
		"lambda=NaN: want a number":    {Name: "tme9-simple", Lambda: "NaN"},
		"seed=1e99: want a whole":      {Name: "tme9-simple", Seed: "1e99"},
		"99999999999999999999: want a": {Name: "tme9-simple", Seed: "99999999999999999999"},
		"lambda":                       {Name: "tme9-mean", Lambda: "0.1"},
	} {
		_, err := q.Plan()
		require.ErrorContains(t, err, want)
	}
}

// A page offers what the sample trains, each with what it has there by itself.
func TestOffered(t *testing.T) {
	o := must.Get(train.Offered())(t)
	require.Less(t, len(o.Text), 200)
	list := o.Trainables
	require.Equal(t, train.Trainable{Name: "tme9-mean", Shows: list[0].Shows, Epochs: 6, LR: "0.01", Seed: "1"}, list[0])
	require.Equal(t, "0.01", list[len(list)-1].Lambda)
}
