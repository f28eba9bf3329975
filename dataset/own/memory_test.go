package own

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/internal/testkit/must"
)

// Reading, splitting and writing the texts of a file takes some 50 bytes a review and what
// does not grow with the file.
func TestWriteReviewsMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	small, large := adding(t, 10_000), adding(t, 200_000)
	assert.Less(t, large-small, int64(20<<20), "of 26 MB more")
}

// adding returns the most that the heap grew by.
func adding(t *testing.T, reviews int) int64 {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	f := must.Get(os.Create(path))(t)
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "label,text")
	for i := range reviews {
		fmt.Fprintf(w, "%d,review %d has nothing to say but is as long as others are that were written by people who have watched the film; it ends %d\n", i%2, i, i*i)
	}
	require.NoError(t, w.Flush())
	require.NoError(t, f.Close())

	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	grown := func() int64 {
		metrics.Read(heap)
		return int64(heap[0].Value.Uint64())
	}
	runtime.GC()
	before, most := grown(), int64(0)
	in := Data{Name: "a", Files: []string{path}}
	must.Get(in.WriteReviews(t.Context(), filepath.Join(dir, "out"), dataset.Limits{}, func(_, _ int64) { most = max(most, grown()) }))(t)
	return max(most, grown()) - before
}
