package experiments_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/settings"
)

// The closed forms agree with counting epochs one by one.
func TestEpochsTested(t *testing.T) {
	draw := func(t *rapid.T) *settings.Training {
		return &settings.Training{Epochs: rapid.IntRange(1, 12).Draw(t, "epochs"), Every: rapid.IntRange(1, 6).Draw(t, "every"),
			Tail: rapid.IntRange(0, 14).Draw(t, "tail"), Test: rapid.SampledFrom([]string{"each", "last"}).Draw(t, "test")}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b, until := draw(t), draw(t), rapid.IntRange(0, 12).Draw(t, "until")
		n, alike := 0, true
		for e := 1; e <= until; e++ {
			if a.Tests(e) {
				n++
			}
			alike = alike && a.Tests(e) == b.Tests(e)
		}
		require.Equal(t, n, a.TestsUntil(until))
		require.Equal(t, alike, a.TestsAlike(b, until))
	})
}
