package dataset_test

import (
	"bytes"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/vectors"
	"imdbexp/internal/testkit/fixture"
)

// fuzzVectors feeds bytes to the reader of word vectors: what it takes is sound,
// and the same when it is read again for its words.
func fuzzVectors(t *testing.T, b []byte) {
	file := put(t, "fuzz", fixture.Gzip(t, b)) // compressed once: b is what is parsed
	v, err := vectors.Read(ctx, file, vectors.Options{})
	if err != nil {
		assert.ErrorContains(t, err, "fuzz")
		return
	}
	assert.Len(t, v.Rows, len(v.Words)*v.Dim)
	assert.Equal(t, v.Total, len(v.Words))
	assert.True(t, v.Dim >= 10 && v.Dim <= vectors.MaxDim)
	assert.Less(t, v.Dim, len(b))
	for _, x := range v.Rows {
		assert.False(t, math.IsNaN(float64(x)) || math.IsInf(float64(x), 0), "only finite numbers")
	}
	again, err := vectors.Read(ctx, file, vectors.Options{Keep: v.Words})
	require.NoError(t, err)
	assert.Equal(t, v, again)
}

// FuzzVectors feeds text.
func FuzzVectors(f *testing.F) {
	row := " 1 -2e-3 0.1 4 5 6 7 8 9 10"
	f.Add([]byte("the" + row + "\n," + row + "\nx y" + row + "\n"))
	f.Add([]byte("2 10\na" + row + "\nb" + row + " \r\n"))
	f.Add([]byte("a" + row + "\nb 1 nan 3 4 5 6 7 8 9 10\n"))
	f.Add([]byte("2 9\na 1 2 3 4 5 6 7 8 9\n"))
	f.Fuzz(fuzzVectors)
}

// FuzzWord2Vec feeds the binary format behind a header.
func FuzzWord2Vec(f *testing.F) {
	values := bytes.Repeat([]byte{0xcd, 0xcc, 0x8c, 0xbf}, 10) // −1.1
	f.Add(uint16(1), uint16(10), append([]byte("a "), values...))
	f.Add(uint16(2), uint16(10), append(append(append([]byte("a "), values...), "\nb "...), append(values, '\n')...))
	f.Add(uint16(9), uint16(10), append([]byte("a "), values[:30]...))
	f.Add(uint16(1), uint16(10), append([]byte("a "), bytes.Repeat([]byte{0, 0, 0xc0, 0x7f}, 10)...)) // NaN
	f.Fuzz(func(t *testing.T, words, dim uint16, body []byte) {
		fuzzVectors(t, append([]byte(strconv.Itoa(int(words))+" "+strconv.Itoa(int(dim))+"\n"), body...))
	})
}

// FuzzDetectVectors feeds files of any kind to the detection: plain, gzip, zstd
// and zip. What it takes for vectors has dimensions that can be read.
func FuzzDetectVectors(f *testing.F) {
	f.Add([]byte("the 1 2 3 4 5 6 7 8 9 10\n"))
	f.Add([]byte("1 10\na \xcd\xcc\x8c\xbf"))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Add([]byte("\x28\xb5\x2f\xfd\x24\x05\x29\x00\x00"))
	f.Add([]byte("PK\x05\x06" + string(make([]byte, 18))))
	f.Fuzz(func(t *testing.T, b []byte) {
		dim, _, err := vectors.Detect(ctx, put(t, "fuzz", b))
		if err != nil {
			assert.Zero(t, dim)
			assert.ErrorContains(t, err, "fuzz")
		}
		assert.True(t, dim == 0 || dim >= 10 && dim <= vectors.MaxDim)
	})
}
