package imdb

import (
	"archive/tar"
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
)

// FuzzTar feeds bytes to the tar reader: whatever it yields is a review.
func FuzzTar(f *testing.F) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for name, text := range map[string]string{"a/train/pos/0_9.txt": "good", "a/README": "x", "a/train/unsup/1_0.txt": ""} {
		require.NoError(f, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}))
		_, err := w.Write([]byte(text))
		require.NoError(f, err)
	}
	require.NoError(f, w.Close())
	f.Add(out.Bytes())
	f.Add(out.Bytes()[:700])
	limits := dataset.Limits{ReviewBytes: 1 << 16, Reviews: 100}.OrDefault()
	f.Fuzz(func(t *testing.T, b []byte) {
		r := reader{file: "fuzz", limits: limits, yield: func(p dataset.Part, r dataset.Review) error {
			assert.True(t, utf8.ValidString(r.Text))
			assert.LessOrEqual(t, len(r.Text), len(b))
			assert.True(t, strings.HasPrefix(r.ID, "train/") || strings.HasPrefix(r.ID, "test/"), r.ID)
			assert.Equal(t, p == dataset.Extra, r.Label == dataset.Unlabelled)
			return nil
		}}
		if err := r.tar(context.Background(), bytes.NewReader(b)); err != nil {
			assert.ErrorContains(t, err, "fuzz")
		}
	})
}
