package experiments_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/settings"
)

func TestTwice(t *testing.T) {
	require.NoError(t, settings.Twice([]string{"tme9-lstm", "lr=0.1", "seed=1,2", "a=b/c.yaml", "./a=b/d.yaml", "./a=b/d.yaml"}))
	require.EqualError(t, settings.Twice([]string{"lr=0.1", "seed=1", "lr=0.2"}), "lr is given twice, lr=0.1 and lr=0.2: leave one out; a grid of both is lr=0.1,0.2")
	require.EqualError(t, settings.Twice([]string{"lr=0.1", "lr=0.1"}), "lr=0.1 is there twice: leave one out")
}
