package inpage_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/cmd/exp/internal/web/offline/inpage"
	"imdbexp/cmd/exp/internal/web/train"
)

// What a page trains is handed over as a player takes it, and says there what it has said at
// the end of the training.
func TestTrain(t *testing.T) {
	o, err := train.Offered()
	require.NoError(t, err)
	p := inpage.New()
	defer p.Close()
	var kinds []string
	var last train.Answered
	tell := func(n train.News) {
		if kinds = append(kinds, n.Kind); n.Kind == "answer" {
			last = n.Value.(train.Answered)
		}
	}
	require.NoError(t, inpage.Train(`{"name": "tme9-mean"}`, tell, func(table, model []byte) {
		require.NoError(t, p.Table(table))
		require.NoError(t, p.Model(model, 0))
	}))
	require.Equal(t, "began", kinds[0])
	require.Equal(t, "ended", kinds[len(kinds)-1])
	require.Equal(t, last.Answer.P, put(t, p, 0, ask.Question{Text: o.Text}).P)

	require.ErrorContains(t, inpage.Train(`{"name": "tme9-simpel"}`, tell, nil), "tme9-simple")
}
