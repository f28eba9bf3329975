package embedding_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/mapped"
)

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	open := func() []byte {
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		return mapped.Open(f)
	}
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o644))
	one := open()
	if one == nil && runtime.GOOS == "windows" {
		t.Skip("not mapped here")
	}
	assert.Equal(t, "one", string(one))
	assert.Same(t, &one[0], &open()[0], "once")
	mapped.Release(one)
	assert.Equal(t, "one", string(one), "it comes back")

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, []byte("two"), 0o644))
	assert.Equal(t, "two", string(open()), "another file of that name")
	assert.Equal(t, "one", string(one), "the one before stays")

	heap := []int32{1, 2}
	mapped.Release(heap)
	assert.Equal(t, []int32{1, 2}, heap)
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	assert.Nil(t, open())
}
