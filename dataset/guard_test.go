package dataset_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/guard"
)

func TestCall(t *testing.T) {
	require.NoError(t, guard.Call(func() error { return nil }))
	require.Equal(t, io.EOF, guard.Call(func() error { return io.EOF }))

	err := guard.Func(func() error {
		var none []int
		none[3] = 1
		return nil
	})()
	caught, ok := errors.AsType[*guard.Error](err)
	require.True(t, ok)
	assert.ErrorContains(t, err, "internal error: runtime error: index out of range [3] with length 0\n")
	assert.Contains(t, string(caught.Stack), "guard_test.go", "where it was")
}
