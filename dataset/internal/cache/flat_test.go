package cache

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type content struct {
	n       int
	i32     []int32
	i64     []int64
	f32     []float32
	s       string
	strings []string
}

func writeContent(t require.TestingT, c content) []byte {
	var out bytes.Buffer
	w := newWriter(&out, "testfil1")
	w.int(c.n)
	writeArray(w, c.i32)
	writeArray(w, c.i64)
	writeArray(w, c.f32)
	w.string(c.s)
	w.strings(c.strings)
	require.NoError(t, w.close())
	return out.Bytes()
}

func readContent(b []byte) (content, error) {
	r := newReader(bytes.NewReader(b), int64(len(b)), "testfil1", nil)
	c := content{r.int(), readArray[int32](r), readArray[int64](r), readArray[float32](r), r.string(), r.strings()}
	return c, r.close()
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := content{
			n:       rapid.Int().Draw(t, "n"),
			i32:     rapid.SliceOf(rapid.Int32()).Draw(t, "i32"),
			i64:     rapid.SliceOf(rapid.Int64()).Draw(t, "i64"),
			f32:     rapid.SliceOf(rapid.Float32()).Draw(t, "f32"),
			s:       rapid.String().Draw(t, "s"),
			strings: rapid.SliceOf(rapid.String()).Draw(t, "strings"),
		}
		got, err := readContent(writeContent(t, c))
		require.NoError(t, err)
		assert.Equal(t, c, got)
	})
}

// Arrays behind an Align are found in a mapped file, and read from any other.
func TestView(t *testing.T) {
	var out bytes.Buffer
	w := newWriter(&out, "testfil1")
	w.string("abc")
	w.align()
	writeArray(w, []int32{1, -2, 3})
	w.align()
	writeArray(w, []int64{4, -5})
	require.NoError(t, w.close())
	b := out.Bytes()
	for _, data := range [][]byte{nil, bytes.Clone(b), b[1:]} {
		r := newReader(bytes.NewReader(b), int64(len(b)), "testfil1", data)
		assert.Equal(t, "abc", r.string())
		var seen []int32
		r.align()
		ids := view(r, func(block []int32) { seen = append(seen, block...) })
		r.align()
		ends := view(r, func([]int) {})
		require.NoError(t, r.close())
		assert.Equal(t, []int32{1, -2, 3}, ids)
		assert.Equal(t, ids, seen)
		assert.Equal(t, []int{4, -5}, ends)
		if len(data) == len(b) && strconv.IntSize == 64 && binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
			data[24]++ // the 1, behind the magic, a length, three letters and zeros, a length
			data[32]++
			assert.NotEqual(t, []int32{1, -2, 3}, ids, "it is not copied")
		}
	}
}
