package parallel

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/testrun"
)

// Reviews of 20 000 words are not measured: a step of self-attention on them takes minutes, in which
// nothing is heard. IMDB's longest ones are.
func TestTooLongToMeasure(t *testing.T) {
	p := testrun.Plan(t, "tme10-self", append([]string{"data.max_len=0"}, testrun.Few...)...)
	require.False(t, tooLong(&training.Job{Plan: p, Data: &task.Data{Train: fixture.Encoded(2770, 2500, 1900, 1800, 200)}}))
	require.True(t, tooLong(&training.Job{Plan: p, Data: &task.Data{Train: fixture.Encoded(20000, 20000, 10)}}))
}
