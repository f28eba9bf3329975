// Package infertest opens small models for tests of packages that ask models.
package infertest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset/folder"
	"imdbexp/internal/infer"
	"imdbexp/internal/testkit/testmodel"
)

// Open trains an experiment as testmodel.Train does and opens its model until the test ends.
func Open(t testing.TB, name string, assignments ...string) *infer.Model {
	t.Helper()
	run, pool := testmodel.Train(t, name, assignments...)
	m, err := infer.Open(run, pool)
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

// Split returns the first reviews of each class of the sample's test set.
func Split(t testing.TB, m *infer.Model, each int) *infer.Split {
	t.Helper()
	s, err := m.TestSplit(t.Context(), t.TempDir(), "sample", each, folder.Options{})
	require.NoError(t, err)
	return s
}
