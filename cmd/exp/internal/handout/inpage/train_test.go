package inpage_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/handout/inpage"
	"imdbexp/cmd/exp/internal/testmodel"
	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/runs"
)

// What a page trains has the metrics, the ID and the weights of the run that the command makes;
// the model is asked before the first epoch and after each, and handed over at the end.
func TestTrain(t *testing.T) {
	const text = "the film is good and the story is a mess"
	var began inpage.Began
	var ended inpage.Ended
	var epochs []int
	var looks []inpage.Looked
	p := inpage.New()
	defer p.Close()
	heard := inpage.Listener{
		Began: func(b inpage.Began) { began = b },
		Moved: func(m inpage.Moved) { require.LessOrEqual(t, m.Done, m.Total) },
		Epoch: func(m runs.Metrics) { epochs = append(epochs, m.Epoch) },
		Look:  func(l inpage.Looked) { looks = append(looks, l) },
		Ended: func(e inpage.Ended) { ended = e },
		Model: func(table, model []byte) {
			require.NoError(t, p.Table(table))
			require.NoError(t, p.Model(model, 0))
		},
	}
	question, err := json.Marshal(inpage.Training{Name: "tme9-simple", LR: "0.03", Lambda: "0.01", Seed: "2", Text: text})
	require.NoError(t, err)
	require.NoError(t, inpage.Train(string(question), heard))

	require.Equal(t, "exp run tme9-simple data=sample lambda=0.01 lr=0.03 seed=2", strings.Join(began.Command, " "))
	run, _ := testmodel.Train(t, "tme9-simple", append(began.Command[3:], "epochs=6", "data.limit=0", "vectors=auto")...)
	metrics, err := run.MetricsText()
	require.NoError(t, err)
	require.Equal(t, string(metrics), ended.Metrics)
	cited, err := run.Citation()
	require.NoError(t, err)
	require.Equal(t, cited.String(), ended.Citation)
	require.Equal(t, run.Label(), ended.Run)
	require.Equal(t, []int{1, 2, 3, 4, 5, 6}, epochs)
	require.Len(t, looks, 7)
	require.Equal(t, 0, looks[0].Epoch)
	require.Equal(t, looks[6].Answer.P, put(t, p, 0, ask.Question{Text: text}).P)

	require.ErrorContains(t, inpage.Train(`{"name": "tme9-simpel"}`, heard), "tme9-simple")
	require.ErrorContains(t, inpage.Train(`{"name": "tme9-mean", "lr": "much"}`, heard), "lr")
}

// A page offers what the sample trains, each with what it has there by itself.
func TestOffered(t *testing.T) {
	o, err := inpage.Offered()
	require.NoError(t, err)
	require.Less(t, len(o.Text), 200)
	list := o.Trainables
	require.Equal(t, inpage.Trainable{Name: "tme9-mean", Shows: list[0].Shows, Epochs: 6, LR: "0.01", Seed: "1"}, list[0])
	require.Equal(t, "0.01", list[len(list)-1].Lambda)
}
