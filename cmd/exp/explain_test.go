package main

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What an interrupted exp explain has kept is said where it keeps something.
func TestInterruptedExplain(t *testing.T) {
	_, flags := folders(t)
	ok(t, append([]string{"run", "tme9-simple", "epochs=1", "data.limit=30", "vectors=random"}, flags...)...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for into, want := range map[string]string{
		"":                                    "exp: interrupted\n",
		filepath.Join(t.TempDir(), "results"): "results, and the same command continues\n",
	} {
		args := append([]string{"explain", "@last"}, flags...)
		if into != "" {
			args = append(args, "--out", into)
		}
		var out output
		require.Equal(t, exitInterrupted, call(ctx, &out, 0, false, args...), out.String())
		require.Contains(t, out.String(), want)
	}
}
