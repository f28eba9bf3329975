package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

// An unfinished run that a process holds is training.
func TestTrainingWhileHeld(t *testing.T) {
	w, err := runs.Create(t.TempDir(), config(t), environment())
	require.NoError(t, err)
	present := func() runs.Status {
		r, err := runs.Open(w.Path())
		require.NoError(t, err)
		return r.Present()
	}
	require.Equal(t, runs.Training, present().State)
	require.Contains(t, present().String(), "training (epoch 0 of ")
	require.NoError(t, w.Close())
	require.Equal(t, runs.Created, present().State)
}
