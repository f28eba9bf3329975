package doctor

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
)

// A file system whose locks keep nobody out is found.
func TestLocks(t *testing.T) {
	require.NoError(t, locks(t.TempDir(), fsx.Acquire))
	n := 0
	require.ErrorIs(t, locks(t.TempDir(), func(path string) (*fsx.Lock, error) {
		n++
		return fsx.Acquire(fmt.Sprint(path, n)) // another file each time
	}), errNoLocks)
	full := errors.New("no space left on device")
	defer fsx.Inject(func(fsx.Op) error { return full })()
	require.ErrorIs(t, locks(t.TempDir(), fsx.Acquire), full)
}
