package fetch_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset/fetch"
)

// Whatever a server has, the member found lies within it.
func FuzzFind(f *testing.F) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		e, err := w.CreateHeader(&zip.FileHeader{Name: "x/" + member, Method: method})
		require.NoError(f, err)
		fmt.Fprint(e, "the 0.1\n")
		require.NoError(f, w.Close())
		f.Add(out.Bytes())
		f.Add(out.Bytes()[:out.Len()-9])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		const limit = 1 << 12
		entry, start, err := fetch.Find(bytes.NewReader(b), int64(len(b)), member, limit)
		if err != nil {
			return
		}
		require.LessOrEqual(t, entry.CompressedSize64, uint64(limit))
		require.Positive(t, start)
		require.LessOrEqual(t, start+int64(entry.CompressedSize64), int64(len(b)))
	})
}
