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
	require.NoError(t, locks(fsx.In(t.TempDir()).Acquire))
	n, dir := 0, fsx.In(t.TempDir())
	require.ErrorIs(t, locks(func(name string) (*fsx.Lock, error) {
		n++
		return dir.Acquire(fmt.Sprint(name, n)) // another file each time
	}), errNoLocks)
	full := errors.New("no space left on device")
	defer fsx.Inject(func(fsx.Op) error { return full })()
	require.ErrorIs(t, locks(fsx.In(t.TempDir()).Acquire), full)
}
