// Package must shortens tests: a value that a test needs, or the test fails. Test programs that
// import it, which are nearly all, collect garbage seldom and do not sync files.
package must

import (
	"os"
	"runtime/debug"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
)

// Test programs have small heaps: with Go's default they would collect garbage for a fifth of their
// time. The variable is for the programs that they start, and for system.BoundGarbage.
func init() {
	if os.Getenv("GOGC") == "" {
		os.Setenv("GOGC", "400")
		debug.SetGCPercent(400)
	}
	fsx.Unsynced = true // tests of runs sync, and with EXP_CI=1 those of experiments/training
}

// Get returns a function that returns v, or fails the test if there is an error:
//
//	run := must.Get(runs.Lookup(dir, &c))(t)
//
// It is not inlined, because that takes a third of the time to compile tests.
//
//go:noinline
func Get[V any](v V, err error) func(require.TestingT) V {
	return func(t require.TestingT) V {
		if h, ok := t.(interface{ Helper() }); ok {
			h.Helper()
		}
		require.NoError(t, err)
		return v
	}
}

// Get2 is Get for two values.
//
//go:noinline
func Get2[V, W any](v V, w W, err error) func(require.TestingT) (V, W) {
	return func(t require.TestingT) (V, W) { return Get(v, err)(t), w }
}

// Fail returns the error of a call whose value a test does not need.
func Fail[V any](_ V, err error) error { return err }

// Fail2 is Fail for two values.
func Fail2[V, W any](_ V, _ W, err error) error { return err }
