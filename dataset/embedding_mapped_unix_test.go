//go:build unix

package dataset_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/guard"
	"imdbexp/internal/mapped"
	"imdbexp/internal/testkit/must"
)

// A file that is cut off while it is mapped ends in an error and not the process.
func TestCutOff(t *testing.T) {
	f := must.Get(os.Create(filepath.Join(t.TempDir(), "f")))(t)
	defer f.Close()
	must.Get(f.Write(make([]byte, 1<<16)))(t)
	data := mapped.Open(f)
	require.NotNil(t, data)
	require.NoError(t, f.Truncate(0))
	sum := byte(0)
	err := guard.Call(func() error {
		for _, b := range data {
			sum += b
		}
		return nil
	})
	assert.ErrorAs(t, err, new(*guard.Error), sum)
}
